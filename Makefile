# SPDX-License-Identifier: GPL-2.0
# The verbs of the project; `make help` lists them.  Kbuild says what the module
# is made of, scripts/, tests/ and bench/ what the longer verbs do.

# The newest kernel headers that are installed: the running kernel may have none.
# Looked for when needed, as `make check` installs them.
ifeq ($(KDIR),)
KDIR = $(shell scripts/newest-headers)
endif
MODULES := scounter.ko scounter_events.ko
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
DESTDIR ?=
PREFIX ?= /usr/local
HEADERDIR ?= /usr/src/scounter
TOOLS := $(patsubst %/Makefile,%,$(wildcard tools/scounter/Makefile))
RELEASE = $(shell sed -n 's/^.define UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h)

# The verbs of a group, from the comments behind them.
define verbs
	@echo '$(1)'
	@sed -n 's/^\([a-z%-]*\):.*## $(2): \(.*\)/\1:\$(if $(findstring more,$(2)),3,2)/p' Makefile | \
		while IFS=: read -r verb text; do printf '  make %-16s %s\n' "$$verb" "$$text"; done
endef

all: modules samples	## use: build the modules and the samples (KDIR= chooses the kernel)

modules:	## more use: build scounter.ko and scounter_events.ko
	$(if $(KDIR),,$(error no kernel headers; install them or set KDIR=))
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

samples: modules	## more use: build the sample clients
	$(MAKE) -C samples SCOUNTER=$(CURDIR) KDIR=$(KDIR) modules

scale: modules	## more measure: build scounter_scale.ko, the benchmark for large machines
	$(MAKE) -C $(KDIR) M=$(CURDIR)/bench/scale SCOUNTER=$(CURDIR) \
		KBUILD_EXTRA_SYMBOLS=$(CURDIR)/Module.symvers modules

.PHONY: new-client run-client
new-client:	## use: a module of your own that counts (NAME=foo, DIR=): Documentation/tutorial.rst
	@scripts/client/new $(if $(NAME),'$(subst ','\'',$(NAME))',) $(if $(DIR),'$(subst ','\'',$(DIR))')

run-client:	## use: boot that module in QEMU and show what it counts (NAME=, DIR=)
	@scripts/client/run $(if $(NAME),'$(subst ','\'',$(NAME))',) $(if $(DIR),'$(subst ','\'',$(DIR))')

demo:	## use: watch scounter count context switches on a real kernel (in QEMU)
	@scripts/demo/run

check:	## test: run all tests; ends with "N passed, N failed"
	@scripts/check

check-quick:	## test: what needs no virtual machine and no kernel build
	@scripts/check quick

check-kernels:	## more test: build, boot and test on every supported kernel (25 minutes the first time)
	@tests/guest/kernels/run $(KERNELS)

check-%:	## test: run one part of the tests; scripts/check --help lists them
	@scripts/check $*

in-tree:	## more: add scounter to the sources of a kernel, LINUX=dir (REMOVE=1 takes it out again)
	@scripts/in-tree $(if $(REMOVE),--remove) $(LINUX)

check-deep:	## more test: the tests that take hours: debug kernels, and torture on them (MINUTES=, default 10)
	@MINUTES=$(MINUTES) scripts/check deep

bench-insn:	## measure: instructions a call of every kind, under emulation
	@bench/insn/run

bench-operator:	## more measure: instructions of listing, reading and watching, under emulation (2 minutes)
	@bench/operator/run

bench-registry:	## more measure: bytes of a counter with a name, and instructions to make it (2 minutes)
	@bench/registry/run

bench-events:	## more measure: counting events beside ftrace, perf, BPF and bpftrace, in one guest (8 minutes)
	@bench/events/run

bench-xu:	## more measure: all events in few bits each, beside counters that are rotated over them; the figure
	$(MAKE) -s -C bench/events/xu
	build/xu/xu table bench/events/streams/files.dat
	build/xu/xu table bench/events/streams/messages.dat
	build/xu/xu lfsr
	@bench/events/xu/figure

bench-million:	## more measure: what keeps a CPU from others beside a million counters (10 minutes, 3 GiB)
	@bench/registry/run --million

bench-fleet:	## more measure: seconds that it takes to merge the files of a thousand machines
	@$(MAKE) -s -C tools/scounter O=$(CURDIR)/build/tool
	@tests/user/tool/fleet.py measure build/tool/scounter 1000 1000

accuracy:	## more measure: measured and exact errors of the approximate kinds, as tables (some minutes)
	$(MAKE) -C tests/user/accuracy
	build/accuracy/accuracy table

accuracy-figure:	## more measure: the figure of Documentation/accuracy.rst, and its data (some minutes)
	@tests/user/accuracy/figure

docs:	## use: the documentation as web pages, in build/docs/html
	@tests/guest/vm/fetch packages
	@scripts/docs/build $(CURDIR)/build/docs

bench-arrays:	## more measure: arrays: every table of Documentation/arrays.rst (10 min; the npm counts need the network)
	$(MAKE) -s -C tests/user/arrays
	$(MAKE) -s -C bench/arrays
	@tests/user/arrays/run
	build/arrays-bench/arrays-bench table2
	build/arrays-bench/arrays-bench table3
	bench/arrays/figure build/arrays-bench/inside.png

bench-lda:	## more measure: topic models with approximate counters over processes (20 minutes; needs bible-kjv; LDA=, options)
	@bench/lda/run $(LDA) table
	@bench/lda/run $(LDA) decrement
	@bench/lda/run $(LDA) draw

check-topk-long:	## more test: tables of frequent items on long streams of all kinds (an hour or less)
	$(MAKE) -C tests/user/topk
	build/topk-native/topk long

check-topk-words:	## more test: the same on the 49.7 million tokens of subtlex (needs npm; 10 minutes)
	$(MAKE) -C tests/user/topk
	tests/user/topk/words

bench-topk:	## more measure: instructions of a hit, and the designs' speeds and figure (an hour or less)
	@bench/topk/run
	$(MAKE) -s -C bench/topk/native
	build/topk-bench/topk-bench tuning
	bench/topk/figure measure
	bench/topk/figure model
	bench/topk/figure rivals
	bench/topk/figure draw

bench-topk-paper:	## more measure: figures 1, 2 and 5 to 10 of Das et al. 2009, by its own designs (15 minutes)
	bench/topk/figure paper
	bench/topk/figure paper-model

sim-topk:	## more measure: the designs of tables on modelled machines of up to 64 CPUs (10 minutes)
	$(MAKE) -s -C bench/topk/model
	build/topk-sim/topk-sim run -m bench/model/machines/x86-2s.machine -t 4,8,32,64 -n 4000
	build/topk-sim/topk-sim run -m bench/model/machines/t5440.machine -t 8,64 -n 4000

sim:	## more measure: modelled increments at up to 256 CPUs, as a table (about 3 minutes)
	$(MAKE) -s -C bench/model
	build/sim/sim run -m bench/model/machines/t5440.machine -w 0,99 -t 8,32,256 -n 50000 \
		-k atomic,racing,rbo,rbo_numa_adapt,multiline,multiline_adapt,morris,bfp_dup,exact,approx,percpu

bench:	## measure: native timings of all kinds on one and two CPUs (about 3 minutes)
	@bench/native/run

figures:	## more measure: the papers' figures and statements again, from the model (about 30 minutes)
	$(MAKE) -s -C bench/model
	bench/model/figures
	bench/model/facts

figures-here:	## more measure: what figures 3 to 6 show, measured on the CPUs of this machine, against paper and model (5 minutes or more)
	$(MAKE) -s -C bench/model
	$(MAKE) -s -C bench/scale
	build/scale/scale figures=1 >build/scale/figures.txt
	bench/scale/report build/scale/figures.txt

files:	## more test: junk on all files of scounter in a guest (OPERATIONS=, default 1000000; SEED=; LANE=, default uml)
	@tests/guest/payload $(or $(LANE),uml) build/files
	@tests/guest/vm/run --lane $(or $(LANE),uml) --payload build/files/payload --timeout 36000 --tap --show \
		files.sh $(or $(SEED),1) $(or $(OPERATIONS),1000000)

rounds:	## more test: every module loaded and unloaded again and again in a guest (ROUNDS=, default 1000; LANE=, default uml)
	@tests/guest/payload $(or $(LANE),uml) build/files
	@tests/guest/vm/run --lane $(or $(LANE),uml) --payload build/files/payload --timeout 36000 --tap --show \
		rounds.sh $(or $(ROUNDS),1000)

coverage:	## more test: the lines of kmod/ that tests run, and whether all others are explained (LINES=--lines: show those)
	@scripts/coverage $(LINES)

fuzz:	## more test: 10^7 executions of each fuzzer (hours; RUNS=, TARGETS= choose)
	@tests/guest/vm/fetch packages
	$(MAKE) -s -C tests/user/fuzz fuzz

vm:	## use: a shell in a virtual machine with modules, samples and the command (WITH=my.ko, CMDLINE='my.size=3')
	@CMDLINE='$(subst ','\'',$(CMDLINE))' scripts/vm/run $(WITH)

install: install-module install-headers install-tools	## use: install all of it (DESTDIR=, PREFIX=, KDIR=, SIGN_KEY=, SIGN_CERT=)

# Not by modules_install: it signs with a key that distributions do not hand
# out, and leaves depmod out where there is no System.map.
install-module: modules
	install -d $(DESTDIR)/lib/modules/$(RELEASE)/updates
	install -m 644 $(MODULES) $(DESTDIR)/lib/modules/$(RELEASE)/updates
	$(if $(SIGN_KEY),for module in $(MODULES); do \
		$(KDIR)/scripts/sign-file sha256 $(SIGN_KEY) $(SIGN_CERT) \
			$(DESTDIR)/lib/modules/$(RELEASE)/updates/$$module || exit; done)
	$(if $(DESTDIR),,depmod $(RELEASE))
	install -d $(DESTDIR)$(HEADERDIR)
	install -m 644 Module.symvers $(DESTDIR)$(HEADERDIR)

install-headers:
	install -d $(addprefix $(DESTDIR)$(HEADERDIR)/include/,linux uapi/linux trace/events)
	install -m 644 include/linux/*.h $(DESTDIR)$(HEADERDIR)/include/linux
	install -m 644 include/uapi/linux/*.h $(DESTDIR)$(HEADERDIR)/include/uapi/linux
	install -m 644 include/trace/events/*.h $(DESTDIR)$(HEADERDIR)/include/trace/events

install-tools:
	$(if $(TOOLS),$(MAKE) -C $(TOOLS) install DESTDIR=$(DESTDIR) PREFIX=$(PREFIX))
	$(MAKE) -C tools/lib install DESTDIR=$(DESTDIR) PREFIX=$(PREFIX)

# What an installation into an empty folder would bring is what goes.
uninstall:	## more use: remove what install has installed (same DESTDIR=, PREFIX=, KDIR=)
	rm -rf build/uninstall
	$(if $(TOOLS),$(MAKE) install-tools DESTDIR=$(CURDIR)/build/uninstall)
	@if [ -d build/uninstall ]; then cd build/uninstall && find . ! -type d; fi | \
		while read -r file; do rm -vf "$(DESTDIR)/$$file"; done
	rm -vf $(MODULES:%=$(DESTDIR)/lib/modules/$(RELEASE)/updates/%*)
	rm -rf $(DESTDIR)$(HEADERDIR)
	-rmdir $(DESTDIR)/lib/modules/$(RELEASE)/updates 2>/dev/null
	$(if $(DESTDIR),,depmod $(RELEASE))

deb:	## more use: the Debian packages scounter-dkms and scounter-tools, in build/deb
	@scripts/deb/build build/deb

torture:	## more test: all that counts, from all contexts, while CPUs come and go (MINUTES=, default 60)
	@tests/guest/torture/run $(or $(MINUTES),60)

mutants:	## more test: small faults in the sources, each of which a test must notice (an hour or two; NAMES='topk-*' chooses)
	@tests/mutants/run $(NAMES)

check-packages:	## more test: install, use and remove the packages for 6.1 and 6.12 (5 minutes)
	@scripts/deb/check

check-commands:	## more test: the commands of the documentation that take minutes, in a copy of the sources (2 hours)
	@rm -rf build/commands
	@git ls-files --cached --others --exclude-standard | rsync -a --files-from=- . build/commands
	@cd build/commands && scripts/docs/commands run deep

clean:	## more use: remove what was built
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	$(MAKE) -C samples SCOUNTER=$(CURDIR) KDIR=$(KDIR) clean
	$(MAKE) -C $(KDIR) M=$(CURDIR)/bench/scale SCOUNTER=$(CURDIR) clean
	rm -rf build

help:	## more use: the verbs you are likely to want; help-all has them all
	@echo 'scounter $(VERSION)'
	$(call verbs,Use,use)
	$(call verbs,Test,test)
	$(call verbs,Measure,measure)
	@echo 'make help-all lists all verbs.'

help-all:	## more use: list all verbs
	@echo 'scounter $(VERSION)'
	$(call verbs,Use,\(more \)*use)
	$(call verbs,Test,\(more \)*test)
	$(call verbs,Measure,\(more \)*measure)
	@echo 'kernel headers: $(KDIR)'

.PHONY: in-tree bench-events bench-xu bench-fleet bench-million mutants files rounds check-commands check-deep bench-operator bench-registry torture all modules samples scale demo check bench-insn accuracy accuracy-figure vm check-kernels install-module install-headers install-tools deb check-packages docs bench-arrays bench-lda check-topk-long check-topk-words bench-topk bench-topk-paper sim bench figures figures-here install uninstall clean help sim-topk coverage fuzz
