# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Packages of Debian suites and architectures that are not this system's: apt
# with lists of its own in the cache, on the mirror that this system's apt uses.
# Nothing of the system's apt is changed. To source, after lib.sh.

# The architecture to look for; empty for that of this system.
APT_ARCH=

KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

tmp=

cleanup()
{
	[[ -z $tmp ]] || rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
trap 'exit 141' PIPE

# A scratch folder beside what it will become, for an atomic rename.
make_tmp()
{
	cleanup
	find "$CACHE" -maxdepth 1 -name '.tmp-*' -mtime +1 -exec rm -rf {} +
	tmp=$(mktemp -d "$CACHE/.tmp-XXXXXX")
}

# This system's release, such as bookworm.
home_codename()
{
	sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
}

# The mirror of the main archive, from the configuration of this system's apt.
mirror()
{
	local codename

	codename=$(home_codename)
	# shellcheck disable=SC2016	# apt expands these
	apt-get indextargets --format '$(RELEASE) $(SITE)' \
		'Created-By: Packages' |
		awk -v codename="$codename" '
			$1 ~ /-security/ { next }
			$1 == codename { found = $2; exit }
			!found { found = $2 }
			END { if (!found) exit 1; print found }' ||
		die "$CANNOT" "apt's configuration names no mirror"
}

# What a line of sources.list says of SUITE: source_line SITE SUITE.
source_line()
{
	printf 'deb [signed-by=%s] %s %s main\n' "$KEYRING" "$1" "$2"
}

# The suites that are not released: a mirror that keeps a state of them has
# signatures that are good, and older than they were meant to get.
NO_EXPIRY='Acquire::Check-Valid-Until "false";'
moves()
{
	[[ $1 == forky || $1 == sid ]]
}

apt_root()
{
	printf '%s/apt/%s\n' "$CACHE" "$1${APT_ARCH:+-$APT_ARCH}"
}

# Look for packages of ARCH from now on.
foreign()
{
	[[ $1 == "$(dpkg --print-architecture)" ]] || APT_ARCH=$1
}

# Set apt_opts so that apt sees SUITE only, with its lists in the cache, and
# make sure that it has lists. SUITE "system" stands for what the system's
# own configuration names, with the lists up to date.
apt_opts=()
use_suite()
{
	local suite=$1 root site

	root=$(apt_root "$suite")
	mkdir -p "$root/lists/partial" "$root/cache/archives/partial"
	cat > "$root/apt.conf" <<-CONF
	Dir::State::lists "$root/lists";
	Dir::Cache "$root/cache";
	// What is installed here is not of the suite.
	Dir::State::status "/dev/null";
	// The hooks of the system belong to the system's lists.
	#clear APT::Update::Post-Invoke;
	#clear APT::Update::Post-Invoke-Success;
	CONF
	[[ -z $APT_ARCH ]] || cat >> "$root/apt.conf" <<-CONF
	APT::Architecture "$APT_ARCH";
	APT::Architectures { "$APT_ARCH"; };
	CONF
	if [[ $suite != system ]]; then
		[[ -r $KEYRING ]] ||
			die "$CANNOT" "no $KEYRING: package debian-archive-keyring"
		site=$(mirror) || exit
		source_line "$site" "$suite" > "$root/sources.list"
		cat >> "$root/apt.conf" <<-CONF
		Dir::Etc::sourcelist "$root/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		CONF
		! moves "$suite" || printf '%s\n' "$NO_EXPIRY" >> "$root/apt.conf"
	fi
	apt_opts=(-c "$root/apt.conf")
	# The cache may be where apt's unprivileged user cannot go.
	((EUID)) || apt_opts+=(-o APT::Sandbox::User=root)
	if [[ ! -e $root/updated || ${2:-} == update ]]; then
		say "reading the package lists of $suite"
		apt-get "${apt_opts[@]}" -q \
			-o APT::Update::Error-Mode=any update >&2 || return
		touch "$root/updated"
	fi
}

# Download PACKAGE into the scratch folder.
download()
{
	say "downloading $1"
	(cd "$tmp" && apt-get "${apt_opts[@]}" -q download "$1" >&2)
}

# Download one of PACKAGES from SUITE: download_from SUITE PACKAGE...
download_from()
{
	local suite=$1 fresh package

	shift
	for fresh in '' update; do
		use_suite "$suite" $fresh || return
		for package; do
			apt-cache "${apt_opts[@]}" show "$package" \
				>/dev/null 2>&1 || continue
			if download "$package"; then
				return
			fi
		done
		# Lists that are days old may name files that are gone.
		[[ -n $(find "$(apt_root "$suite")/updated" -mmin +60) ]] || break
	done
	return 1
}
