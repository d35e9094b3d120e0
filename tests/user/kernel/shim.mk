# SPDX-License-Identifier: GPL-2.0
#
# The module's counters for user space.  To be included where `top` is the root of
# the sources and `build` a folder for the objects:
#
#	$(shim_flags)	for whatever includes the module's headers
#	$(shim_objects)	the counters, the shim, and counters by name
#
# Set `model := 1` before for a program that defines what shim.h leaves to a model,
# and `shim_replaced := kernel` if it has a kernel.c of its own.  The objects
# go through objcopy with the options in shim_objcopy.
# Everything of kmod/ is taken but what needs the kernel's files and registry, and
# arrays:
#
#	$(shim_array_objects)	these, with what they need of the rest, but for
#				the shim itself

OBJCOPY ?= objcopy
KMOD ?= $(top)/kmod
INCLUDE ?= $(top)/include
shim_dir := $(top)/tests/user/kernel

shim_kmod := $(patsubst $(KMOD)/%.c,%,$(wildcard $(patsubst %,$(KMOD)/%/*.c,\
	base kinds kinds/compared counter)))

shim_flags := -I$(shim_dir) -I$(INCLUDE) -I$(KMOD)
shim_flags += -DCONFIG_64BIT=1 -DCONFIG_SMP=1 -fno-strict-aliasing -fwrapv
shim_flags += $(if $(model),-DSHIM_MODEL)
# As the kernel is compiled: its tables have functions that need no argument.
shim_kmod_flags := -DSHIM_KMOD -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare
shim_kmod_flags += -Wno-missing-field-initializers -Werror

shim_objects := $(patsubst %,$(build)/kmod/%.o,$(shim_kmod))
shim_objects += $(patsubst %,$(build)/shim/%.o,$(filter-out $(shim_replaced),shim kernel counters))

shim_array_objects := $(patsubst %,$(build)/kmod/%.o,array/array array/create array/standard base/random base/refuse base/trace) $(build)/shim/arrays.o

$(build)/kmod/array/standard.o: $(build)/kmod/array/standard_rungs.h
$(build)/kmod/array/standard.o: shim_kmod_flags += -I$(build)/kmod/array
$(build)/kmod/array/standard_rungs.h: $(build)/kmod/array/powers
	$< >$@

$(build)/kmod/array/powers: $(KMOD)/array/powers.c
	mkdir -p $(@D)
	$(CC) -O2 $(LDFLAGS) $(instrument_flags) -o $@ $<

$(build)/kmod/%.o: $(KMOD)/%.c
	mkdir -p $(@D)
	$(CC) $(shim_kmod_flags) $(CFLAGS) $(shim_flags) -MMD -MP -c -o $@ $<
	$(if $(shim_objcopy),$(OBJCOPY) $(shim_objcopy) $@)

$(build)/shim/%.o: $(shim_dir)/%.c | $(build)/shim
	$(CC) -std=gnu11 -Wall -Wextra -Wno-missing-field-initializers -Werror $(CFLAGS) $(shim_flags) -MMD -MP -c -o $@ $<
	$(if $(shim_objcopy),$(OBJCOPY) $(shim_objcopy) $@)

$(build)/kmod $(build)/shim:
	mkdir -p $@

-include $(shim_objects:.o=.d) $(shim_array_objects:.o=.d)
