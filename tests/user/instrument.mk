# SPDX-License-Identifier: GPL-2.0
#
# Programs in user space that watch themselves.  To be included before `build` is
# set:
#
#	SANITIZE=1		addresses and undefined behaviour
#	SANITIZE=thread		data races
#	COVERAGE=1		which lines have run, by clang
#	$(instrument_suffix)	for the name of the folder with the objects
#	$(instrument_flags)	for the compiler and the linker
#
# What a sanitizer finds ends the program.  gcc 12 then warns of paths that the added
# checks make, not the source.  That for data races does not know fences, and warns
# of it; all that fences order in the module are atomic accesses.

instrument_suffix := $(if $(COVERAGE),-coverage)
instrument_suffix += $(if $(SANITIZE),-$(if $(filter thread,$(SANITIZE)),thread,sanitized))
instrument_suffix := $(strip $(instrument_suffix))

ifdef SANITIZE
instrument_flags := $(if $(filter thread,$(SANITIZE)),-fsanitize=thread -Wno-tsan,\
	-fsanitize=address -fsanitize=undefined) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer -Wno-array-bounds
endif

# clang keeps what it counts apart from the program's variables, which interleave
# restores again and again.  Its warnings are not those that the sources were made for.
ifdef COVERAGE
CC := clang
instrument_flags := -fprofile-instr-generate -fcoverage-mapping -w
endif
