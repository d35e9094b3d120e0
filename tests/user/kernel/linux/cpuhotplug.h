/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_CPUHOTPLUG_H
#define _SHIM_LINUX_CPUHOTPLUG_H

#define CPUHP_AP_ONLINE_DYN	0
/* CPUs neither come nor go. */
#define cpuhp_setup_state_nocalls(state, name, startup, teardown) \
	((void)(startup), 0)
#define cpuhp_remove_state_nocalls(state)	((void)(state))

#endif /* _SHIM_LINUX_CPUHOTPLUG_H */
