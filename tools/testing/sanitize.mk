# SPDX-License-Identifier: GPL-2.0
#
# Sanitizers for programs in user space.  To be included before `build` is set:
#
#	SANITIZE=1		addresses and undefined behaviour
#	SANITIZE=thread		data races
#	$(sanitize_suffix)	for the name of the folder with the objects
#
# An error ends the program.  gcc 12 then warns of paths that the added checks
# make, not the source.  That for data races does not know fences, and warns of it;
# all that fences order in the module are atomic accesses.

sanitize_comma := ,
sanitize_suffix := $(if $(SANITIZE),-$(if $(filter thread,$(SANITIZE)),thread,sanitized))

ifdef SANITIZE
sanitize_flags := $(if $(filter thread,$(SANITIZE)),-fsanitize=thread -Wno-tsan,\
	-fsanitize=address$(sanitize_comma)undefined) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer -Wno-array-bounds
endif
