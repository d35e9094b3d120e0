/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_MODULE_H
#define _SHIM_LINUX_MODULE_H

#include <linux/export.h>
#include <linux/kernel.h>

struct module;

#define THIS_MODULE	((struct module *)0)
#define KBUILD_MODNAME	"scounter"

/* Parameters are set by their name: shim_param(). */
#define module_param(name, type, mode)					\
	static const struct shim_param shim_param_##name		\
	__attribute__((section("shim_params"), used, aligned(8))) = { #name, &name, sizeof(name) }
#define module_param_named(alias, name, type, mode)			\
	static const struct shim_param shim_param_##alias		\
	__attribute__((section("shim_params"), used, aligned(8))) = { #alias, &name, sizeof(name) }
#define MODULE_PARM_DESC(name, text)	_Static_assert(1, text)
#define MODULE_LICENSE(text)		_Static_assert(1, text)

#endif /* _SHIM_LINUX_MODULE_H */
