# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# bash completion for scounter(8)

# Names have a colon, at which readline begins a new word.
_scounter_events()
{
	local before=''

	[[ $1 != : ]] || set -- '' "${@:2}"
	if ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[COMP_CWORD]} == : ]]; then
		before=${COMP_WORDS[COMP_CWORD - 1]}:
	elif ((COMP_CWORD > 2)) && [[ ${COMP_WORDS[COMP_CWORD - 1]} == : ]]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}:
	fi
	mapfile -t COMPREPLY < <(compgen -W "$(scounter events --tsv "${@:2}" 2>/dev/null |
		sed 1d | cut -f 1)" -- "$before$1")
	COMPREPLY=("${COMPREPLY[@]#"$before"}")
}

_scounter()
{
	local word=${COMP_WORDS[COMP_CWORD]} command='' i
	local commands='list read sum watch record report diff export reset kinds events attach detach functions top topk array'

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ " $commands " != *" ${COMP_WORDS[i]} "* ]] || { command=${COMP_WORDS[i]}; break; }
	done
	local options='--help'
	case $command in
	'') options+=' --from --color --version' ;;
	list) options+=' --tsv --verbose --wide' ;;
	kinds) options+=' --wide' ;;
	sum) options+=' --tsv' ;;
	read) options+=' --value' ;;
	watch) options+=' --interval --count --batch --plain --raw --sort' ;;
	record) options+=' --output --interval --count --tables' ;;
	topk) options+=' --top --raw --tsv --watch --interval --count --batch' ;;
	report) options+=' --tsv --csv --html --gnuplot' ;;
	diff) options+=' --tsv' ;;
	events) options+=' --attached --top --tsv' ;;
	attach) options+=' --kind --error --group --top --entries --sum --hist' ;;
	top) options+=' --entries --interval --count --batch' ;;
	functions) options+=' --top --rate --tsv' ;;
	array) options+=' --top --histogram --max --bits --error --kind --q --m --theta' ;;
	merge) options+=' --output --tsv --top --clones' ;;
	export) options+=' --openmetrics --prometheus --json --otlp --tables --state --output' ;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
	elif [[ ! $command ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
	elif [[ $command == array ]]; then
		mapfile -t COMPREPLY < <(compgen -W 'list show sum choose range' -- "$word")
	elif [[ $command == report || $command == diff || $command == merge ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	elif [[ $command == events || $command == attach ]]; then
		_scounter_events "$word"
	elif [[ $command == top || $command == topk ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(scounter topk 2>/dev/null)" -- "$word")
	elif [[ $command == functions ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(scounter functions --tsv 2>/dev/null |
			sed 1d | cut -f 1)" -- "$word")
	elif [[ $command == detach ]]; then
		_scounter_events "$word" --attached
	else
		mapfile -t COMPREPLY < <(scounter read '*/*' 2>/dev/null | cut -f 1 |
			while read -r i; do [[ $i != "$word"* ]] || printf '%q\n' "$i"; done)
	fi
}
complete -F _scounter scounter
