# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# bash completion for scounter(8)

_scounter()
{
	local word=${COMP_WORDS[COMP_CWORD]} command='' i
	local commands='list read sum watch record report diff export reset kinds topk array'

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ " $commands " != *" ${COMP_WORDS[i]} "* ]] || { command=${COMP_WORDS[i]}; break; }
	done
	local options='--help'
	case $command in
	'') options+=' --from --color --version' ;;
	list) options+=' --tsv --verbose' ;;
	sum) options+=' --tsv' ;;
	read) options+=' --value' ;;
	watch) options+=' --interval --count --batch --sort' ;;
	record) options+=' --output --interval --count' ;;
	report) options+=' --csv --gnuplot' ;;
	array) options+=' --max --bits --error --kind --q --m --theta' ;;
	export) options+=' --openmetrics --prometheus --json --state --output' ;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
	elif [[ ! $command ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
	elif [[ $command == array ]]; then
		mapfile -t COMPREPLY < <(compgen -W 'choose range' -- "$word")
	elif [[ $command == report || $command == diff ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	else
		mapfile -t COMPREPLY < <(scounter read '*/*' 2>/dev/null | cut -f 1 |
			while read -r i; do [[ $i != "$word"* ]] || printf '%q\n' "$i"; done)
	fi
}
complete -F _scounter scounter
