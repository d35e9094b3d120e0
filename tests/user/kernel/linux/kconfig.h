/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_KCONFIG_H
#define _SHIM_LINUX_KCONFIG_H

/* 1 if the option is defined as 1, else 0. */
#define IS_ENABLED(option)		_shim_enabled(option)
#define _shim_enabled(value)		_shim_enabled_(_shim_comma_##value)
#define _shim_enabled_(comma)		_shim_second(comma 1, 0)
#define _shim_second(ignored, second, ...)	second
#define _shim_comma_1			0,

#endif /* _SHIM_LINUX_KCONFIG_H */
