# SPDX-License-Identifier: GPL-2.0
#
# What programs in user space share.  To be included where `top` is the root of the
# sources, with the names of the files in `shared`:
#
#	$(shared_flags)		for whatever includes their headers
#	$(shared_sources)	the files
#	$(shared_objects)	in the folder `build`, compiled with $(flags)

shared_dir := $(top)/tests/user/lib
shared_flags := -I$(shared_dir)
shared_sources := $(shared:%=$(shared_dir)/%.c)
shared_objects := $(shared:%=$(build)/lib/%.o)

$(build)/lib/%.o: $(shared_dir)/%.c
	mkdir -p $(@D)
	$(CC) $(flags) -MMD -MP -c -o $@ $<

-include $(shared_objects:.o=.d)
