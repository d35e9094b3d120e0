# SPDX-License-Identifier: GPL-2.0
# The verbs of the project; `make help` lists them.  Kbuild says what the module
# is made of, tools/ what the longer verbs do.

# The newest kernel headers that are installed: the running kernel may have none.
# Looked for when needed, as `make check` installs them.
ifeq ($(KDIR),)
KDIR = $(shell tools/newest-headers)
endif
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
DESTDIR ?=
HEADERDIR ?= /usr/src/scounter

all: modules samples	## build scounter.ko and the samples (KDIR= chooses the kernel)

modules:	## build scounter.ko
	$(if $(KDIR),,$(error no kernel headers; install them or set KDIR=))
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

samples: modules	## build the sample clients
	$(MAKE) -C samples SCOUNTER=$(CURDIR) KDIR=$(KDIR) modules

demo:	## watch scounter count context switches on a real kernel (in QEMU)
	@tools/demo/run

check:	## run all tests; ends with "N passed, N failed"
	@tools/check

check-kernels:	## build, boot and test on every supported kernel (25 minutes the first time)
	@tools/kernels/run $(KERNELS)

check-%:	## run one part of the tests: make check-static, -unit, -accuracy, -integration, -judge
	@tools/check $*

bench-insn:	## instructions a call of every kind, under emulation
	@tools/bench/insn/run

accuracy:	## measured and exact errors of the approximate kinds, as tables (some minutes)
	$(MAKE) -C tools/accuracy
	build/accuracy/accuracy table

accuracy-figure:	## the picture of Documentation/accuracy.rst, and its data (some minutes)
	@tools/accuracy/figure

vm:	## a shell in a virtual machine with the module loaded
	@tools/vm/fetch packages
	@tools/build stock build/vm samples
	@mkdir -p build/vm/payload/samples
	@mv build/vm/payload/scounter_*.ko build/vm/payload/samples
	@echo 'scounter.ko is loaded in the guest; the samples are in /payload/samples' >&2
	@tools/vm/shell build/vm/payload

install: modules	## install the module, and the headers that clients build against
	$(MAKE) -C $(KDIR) M=$(CURDIR) $(if $(DESTDIR),INSTALL_MOD_PATH=$(DESTDIR)) modules_install
	install -d $(DESTDIR)$(HEADERDIR)/include/linux $(DESTDIR)$(HEADERDIR)/include/uapi/linux
	install -m 644 include/linux/*.h $(DESTDIR)$(HEADERDIR)/include/linux
	install -m 644 include/uapi/linux/*.h $(DESTDIR)$(HEADERDIR)/include/uapi/linux
	install -m 644 Module.symvers $(DESTDIR)$(HEADERDIR)

clean:	## remove what was built
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	$(MAKE) -C samples SCOUNTER=$(CURDIR) KDIR=$(KDIR) clean
	rm -rf build

help:	## list these verbs
	@echo 'scounter $(VERSION)'
	@sed -n 's/^\([a-z%-]*\):.*## \(.*\)/\1:\2/p' Makefile | \
		while IFS=: read -r verb text; do printf '  make %-12s %s\n' "$$verb" "$$text"; done
	@echo 'kernel headers: $(KDIR)'

.PHONY: all modules samples demo check bench-insn accuracy accuracy-figure vm check-kernels install clean help
