# SPDX-License-Identifier: GPL-2.0
#
# The tables of frequent items for user space.  To be included where `top` is the root
# of the sources:
#
#	$(topk_sources)	the files in kmod/ but for those that need the kernel's files
#	$(topk_headers)	what they include

topk_sources := $(filter-out %/topk/topk.c %/topk/create.c %/topk/files.c,\
	$(wildcard $(top)/kmod/topk/*.c $(top)/kmod/topk/compared/*.c))
topk_headers := $(wildcard $(top)/kmod/topk/*.h $(top)/kmod/topk/compared/*.h) \
	$(top)/include/uapi/linux/scounter_topk.h
