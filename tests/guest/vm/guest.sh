# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Put a guest together: its root folder (busybox, init and the payload), and
# the command line that boots a kernel with it. To source, after lib.sh.

# What the caller asks for.
LANE=stock KERNEL='' CPUS='' NODES='' LEAKS='' MEMORY=${MEMORY:-}

# What the functions here answer with.
IMAGE='' COMMAND=()

# The QEMU for KERNEL.
emulator()
{
	case $(kernel_arch "$KERNEL") in
	arm64) printf 'qemu-system-aarch64\n' ;;
	*) printf 'qemu-system-x86_64\n' ;;
	esac
}

want_qemu()
{
	local tool

	for tool in "$(emulator)" cpio; do
		command -v "$tool" >/dev/null ||
			die "$CANNOT" "no $tool: run \"tests/guest/vm/fetch packages\""
	done
}

# The shell of the guest.
busybox_path()
{
	local path

	for path in /bin/busybox /usr/bin/busybox /bin/busybox.static; do
		if [[ -x $path ]] && ! ldd "$path" >/dev/null 2>&1; then
			printf '%s\n' "$path"
			return
		fi
	done
	die "$CANNOT" "no static busybox: run \"tests/guest/vm/fetch packages\""
}

# make_root ROOT PAYLOAD CHANNEL MODE: the root folder of a guest.
make_root()
{
	local root=$1 busybox applet arch

	busybox=$(busybox_path)
	mkdir -p "$root"/{bin,dev,proc,sys,tmp,vm,etc,payload}
	cp "$busybox" "$root/bin/busybox"
	arch=$(kernel_arch "$KERNEL")
	if [[ $arch != amd64 ]]; then
		cp "$("$VM_DIR/fetch" busybox "$arch")" "$root/bin/busybox" || exit
	fi
	while read -r applet; do
		[[ $applet == busybox ]] || ln -s busybox "$root/bin/$applet"
	done < <("$busybox" --list)
	cp "$VM_DIR/init" "$root/init"
	cp -rL --reflink=auto "$2/." "$root/payload"
	ln -s "$3" "$root/verdict"
	printf '%s\n' "MODE=$4" "LANE=$LANE" "CPUS=$CPUS" "NODES=$NODES" \
		"LEAKS=$LEAKS" \
		"END_MARK='$END_MARK'" > "$root/vm/settings"
}

# Pack a root folder as an initramfs; the same files give the same bytes.
pack_root()
{
	(
		cd "$1" || exit
		find . -exec touch -h -d @0 {} +
		find . | LC_ALL=C sort |
			cpio -o -H newc -R 0:0 --reproducible --quiet
	) > "$2"
}

# The uncompressed kernel boots seconds sooner. It is in the folder that fetch
# made for the kernel, if QEMU can boot it.
uncompressed_image()
{
	local dir=${1%"/${1#"$CACHE"/*/}"}

	if [[ -s $dir/vmlinux ]]; then
		printf '%s\n' "$dir/vmlinux"
	else
		printf '%s\n' "$1"
	fi
}

# Set IMAGE to what boots KERNEL, or the newest kernel that has headers here and
# an image to be had; sets KERNEL too.
find_image()
{
	local kver candidates

	candidates=("$KERNEL")
	[[ $KERNEL ]] || mapfile -t candidates < <(installed_kernels)
	for kver in "${candidates[@]}"; do
		if IMAGE=$("$VM_DIR/fetch" image "$kver"); then
			KERNEL=$kver
			IMAGE=$(uncompressed_image "$IMAGE")
			return
		fi
	done
	die "$CANNOT" "no kernel image; name a kernel with --kernel, or install" \
		"headers (tests/guest/vm/fetch packages)"
}

# Set IMAGE and KERNEL to the debug kernel of LANE.
find_debug_kernel()
{
	local build

	build=$("$VM_DIR/fetch" debug "$LANE") || exit "$CANNOT"
	IMAGE=$build/vmlinux
	KERNEL=$(<"$build/include/config/kernel.release")
}

# Arguments of every kernel here: an oops ends the guest, random numbers are
# there at once, a slow host is no lockup.
KERNEL_ARGS=(
	panic=-1 oops=panic loglevel=7 printk.devkmsg=on random.trust_cpu=on
	rcupdate.rcu_cpu_stall_timeout=60
)

# CPUs and memory, spread over the nodes: sets topology.
spread_over_nodes()
{
	local node first last cpus sockets=$NODES

	# A socket must not lie in two nodes.
	((CPUS % NODES == 0)) || sockets=$CPUS
	MEMORY=$((MEMORY / NODES * NODES))
	topology=(-smp "$CPUS,sockets=$sockets" -m "$MEMORY")
	((NODES > 1)) || return 0
	for ((node = 0; node < NODES; node++)); do
		first=$((node * CPUS / NODES))
		last=$(((node + 1) * CPUS / NODES - 1))
		cpus=
		((first > last)) || cpus=",cpus=$first-$last"
		topology+=(
			-object "memory-backend-ram,id=m$node,size=$((MEMORY / NODES))M"
			-numa "node,nodeid=$node,memdev=m$node$cpus"
		)
	done
}

# The serial port of the kernel's messages in the guest.
console()
{
	case $(kernel_arch "$KERNEL") in
	arm64) printf 'ttyAMA0\n' ;;
	*) printf 'ttyS0\n' ;;
	esac
}

# "on" if the guest is to look for leaks.
kmemleak()
{
	if [[ $LEAKS ]]; then echo on; else echo off; fi
}

# Set COMMAND to what boots IMAGE with an initramfs in QEMU. What is added to
# the kernel's arguments comes as parameters.
qemu_command()
{
	local initramfs=$1 accel=${ACCEL:-tcg,thread=multi} cpu=max topology
	local args=("${KERNEL_ARGS[@]}" console="$(console)" mitigations=off
		watchdog_thresh=30 tsc=reliable audit=0 apparmor=0 noresume
		8250.nr_uarts=2 cryptomgr.notests "kmemleak=$(kmemleak)") machine=()

	shift
	# KASAN keeps an eighth, and what was freed for a while.
	[[ $LANE != kasan ]] || MEMORY=${MEMORY:-2048}
	MEMORY=${MEMORY:-1024}
	[[ $accel != kvm* ]] || cpu=host
	if [[ $(emulator) == *aarch64 ]]; then
		# With LSE atomics, and without pointer authentication, which is
		# slow to emulate.
		machine=(-machine "virt,gic-version=3")
		cpu=cortex-a76
	fi
	if is_debug_kernel "$LANE"; then
		# Where all else is off, so are the suites. How fast the TSC is
		# such a kernel cannot tell when the host is busy.
		args+=(kunit.enable=1 kunit.autorun=1 clocksource=hpet tsc=unstable)
	fi
	if [[ $LANE == kasan ]]; then
		args+=(kasan_multi_shot)
	fi
	spread_over_nodes
	COMMAND=("$(emulator)" "${machine[@]}" -nodefaults -no-user-config -no-reboot
		-display none -monitor none -nic none -cpu "$cpu" "${topology[@]}")
	if [[ $LANE == icount ]]; then
		# Nothing from outside: no clock, no random numbers.
		COMMAND+=(-accel tcg -icount "shift=0,sleep=off" -seed 1
			-rtc "base=2020-01-01,clock=vm")
		args+=(nokaslr clocksource=tsc tsc_early_khz=1000000)
	else
		COMMAND+=(-accel "$accel")
	fi
	COMMAND+=(-kernel "$IMAGE" -initrd "$initramfs" -append "${args[*]} $*")
}

# Set COMMAND to what boots user-mode Linux BUILD with the root folder ROOT.
# The verdict channel is its file descriptor 9. The guest sees no other folder
# of the host than ROOT, unless its root user mounts one on purpose.
uml_command()
{
	local build=$1 root=$2

	MEMORY=${MEMORY:-256}
	COMMAND=("$build/linux" "mem=${MEMORY}M" "ncpus=$CPUS" seccomp=on
		"uml_dir=${root%/*}/" umid=uml
		"hostfs=$root" root=none rootfstype=hostfs rootflags=/ rw init=/init
		"con=null" "con0=null,fd:1" "ssl=null" "ssl0=null,fd:9"
		"${KERNEL_ARGS[@]}" "kmemleak=$(kmemleak)" slab_debug=FZP)
}
