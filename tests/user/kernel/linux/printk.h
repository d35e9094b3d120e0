/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_PRINTK_H
#define _SHIM_LINUX_PRINTK_H

#include <stdio.h>

#define pr_warn(...)	fprintf(stderr, __VA_ARGS__)
#define pr_err(...)	fprintf(stderr, __VA_ARGS__)
#define pr_info(...)	fprintf(stderr, __VA_ARGS__)
#define pr_warn_once(...)	pr_warn(__VA_ARGS__)
#define pr_warn_ratelimited(...)	pr_warn(__VA_ARGS__)

#endif /* _SHIM_LINUX_PRINTK_H */
