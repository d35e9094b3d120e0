// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints that there are.  for_each_kernel_tracepoint() has no systems, and the
 * kernel's list of trace events is not for modules.  But it can be asked whether a system
 * has an event.  So each tracepoint is looked for in the systems that are known: those
 * of the list below, and what was written to `systems`.  The tracepoints of one file stand
 * together, so that the system of the one before is asked first.  Modules say which trace
 * events they have.
 */
#include <linux/ctype.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "events/events.h"

/* Of the kernel's own sources, 5.10 to 7.3, that can be built in. */
static const char *const known[] = {
	"9p", "afs", "alarmtimer", "asoc", "avc", "bcache", "block", "bpf_test_run",
	"bpf_trace", "bridge", "btrfs", "cachefiles", "capability", "ceph", "cfg80211",
	"cgroup", "cifs", "clk", "cma", "compaction", "context_tracking", "coredump",
	"cpuhp", "csd", "damon", "dev", "devfreq", "devlink", "dlm", "dma", "dma_buf",
	"dma_fence", "dwc3", "erofs", "error_report", "exceptions", "ext4", "f2fs", "fib",
	"fib6", "filelock", "filemap", "firewire", "fs_dax", "fscache", "fsnotify",
	"fsverity", "fuse", "gadget", "gfs2", "gpio", "gpu_mem", "handshake", "huge_memory",
	"hugetlbfs", "hw_pressure", "hwmon", "hyperv", "i2c", "i2c_slave", "icmp",
	"initcall", "intel_iommu", "interconnect", "io_uring", "iocost", "iomap", "iommu",
	"ipi", "irq", "irq_matrix", "irq_vectors", "iscsi", "jbd2", "kmem", "ksm", "kvm",
	"kvmmmu", "kyber", "landlock", "libata", "lock", "lockd", "mac80211",
	"maple_tree", "mce", "mctp", "mdio", "mei", "memcg", "migrate", "mmap", "mmap_lock",
	"mmc", "module", "mptcp", "msr", "napi", "nbd", "neigh", "net", "netfs", "netlink",
	"nfs", "nfs4", "nfsd", "nilfs2", "nmi", "notifier", "nvme", "objagg", "oom", "osnoise",
	"page_isolation", "page_pool", "page_ref", "pagemap", "pci", "percpu", "power",
	"powerpc", "preemptirq", "printk", "pwm", "qdisc", "ras", "raw_syscalls", "rcu",
	"readahead", "regmap", "regulator", "resctrl", "rpcgss", "rpm", "rseq", "rtc", "rv",
	"rwmmio", "rxrpc", "s390", "sched", "sched_ext", "scsi", "sctp", "signal", "skb",
	"smbus", "sock", "spi", "spmi", "sunrpc", "swiotlb", "sync_trace", "target", "task",
	"tcp", "thermal", "thermal_power_allocator", "thermal_pressure", "thp", "timer",
	"timer_migration", "timestamp", "tlb", "tls", "udp", "ufs", "vmalloc", "vmscan",
	"vsock", "vsyscall", "watchdog", "wbt", "workqueue", "writeback", "x86_fpu", "xdp",
	"xen", "xfs", "xhci-hcd",
};

/* What was written to `systems`. */
struct learnt {
	struct list_head list;
	char name[];
};

static LIST_HEAD(learnt);
static u32 learnt_count;

#define LEARNT_MAX	1024

LIST_HEAD(scounter_sources);

/* Whether the tracepoints of the kernel were looked for in all systems that are known. */
static bool resolved;

const char *scounter_event_name(const struct event *event, char name[EVENT_NAME_SIZE])
{
	snprintf(name, EVENT_NAME_SIZE, "%s:%s", event->system, event->tracepoint->name);
	return name;
}

static bool in_system(const struct tracepoint *tracepoint, const char *system)
{
	struct trace_event_file *file = trace_get_event_file(NULL, system, tracepoint->name);
	const struct trace_event_call *call;
	bool found;

	if (IS_ERR(file))
		return false;
	call = file->event_call;
	found = (call->flags & TRACE_EVENT_FL_TRACEPOINT) && call->tp == tracepoint;
	trace_put_event_file(file);
	return found;
}

static const char *find_system(const struct tracepoint *tracepoint, const char *before)
{
	const struct learnt *more;
	u32 i;

	if (in_system(tracepoint, before))
		return before;
	/* A system's name begins the names of its events more often than not. */
	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (str_has_prefix(tracepoint->name, known[i]) &&
		    in_system(tracepoint, known[i]))
			return known[i];
	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (in_system(tracepoint, known[i]))
			return known[i];
	list_for_each_entry(more, &learnt, list)
		if (in_system(tracepoint, more->name))
			return more->name;
	return BARE_SYSTEM;
}

/* Of the kernel's tracepoints, those whose system is not known yet. */
void scounter_catalogue_resolve(void)
{
	struct source *kernel = list_first_entry(&scounter_sources, struct source, list);
	const char *before = BARE_SYSTEM;
	u32 i;

	lockdep_assert_held(&scounter_events_mutex);
	if (resolved)
		return;
	for (i = 0; i < kernel->count; i++) {
		struct event *event = &kernel->events[i];

		if (!strcmp(event->system, BARE_SYSTEM))
			event->system = find_system(event->tracepoint, before);
		before = event->system;
		cond_resched();
	}
	resolved = true;
}

static bool is_known(const char *system)
{
	const struct learnt *more;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i], system))
			return true;
	list_for_each_entry(more, &learnt, list)
		if (!strcmp(more->name, system))
			return true;
	return false;
}

/* The names stay until the module goes: events point to them. */
int scounter_catalogue_learn(const char *system)
{
	size_t size = strlen(system) + 1;
	struct learnt *more;

	lockdep_assert_held(&scounter_events_mutex);
	if (is_known(system))
		return 0;
	if (size + 2 > EVENT_NAME_SIZE / 2)
		return -ENAMETOOLONG;
	if (learnt_count == LEARNT_MAX)
		return -ENOSPC;
	more = kmalloc(struct_size(more, name, size), GFP_KERNEL);
	if (!more)
		return -ENOMEM;
	memcpy(more->name, system, size);
	list_add_tail(&more->list, &learnt);
	learnt_count++;
	resolved = false;
	return 0;
}

static void show_system(struct seq_file *seq, const char *system)
{
	const struct source *source;
	u32 i, events = 0;

	list_for_each_entry(source, &scounter_sources, list)
		for (i = 0; i < source->count; i++)
			events += !strcmp(source->events[i].system, system);
	if (events)
		seq_printf(seq, "%s %u\n", system, events);
}

static bool shown_before(const struct source *until, u32 index)
{
	const char *system = until->events[index].system;
	const struct source *source;
	u32 i;

	list_for_each_entry(source, &scounter_sources, list)
		for (i = 0; i < source->count; i++) {
			if (source == until && i == index)
				return false;
			if (!strcmp(source->events[i].system, system))
				return true;
		}
	return false;
}

void scounter_catalogue_show_systems(struct seq_file *seq)
{
	const struct source *source;
	u32 i;

	list_for_each_entry(source, &scounter_sources, list)
		for (i = 0; i < source->count; i++)
			if (!shown_before(source, i))
				show_system(seq, source->events[i].system);
}

static void count_one(struct tracepoint *tracepoint, void *count)
{
	++*(u32 *)count;
}

static void add_one(struct tracepoint *tracepoint, void *source_)
{
	struct source *source = source_;

	source->events[source->count++] = (struct event) {
		.tracepoint = tracepoint,
		.system = BARE_SYSTEM,
	};
}

static struct source *new_source(struct module *module, u32 size)
{
	struct source *source = kvzalloc(struct_size(source, events, size), GFP_KERNEL);

	if (source) {
		source->module = module;
		INIT_LIST_HEAD(&source->batches);
		list_add_tail(&source->list, &scounter_sources);
	}
	return source;
}

static const char *system_in_module(const struct module *module,
				    const struct tracepoint *tracepoint)
{
	u32 i;

	for (i = 0; i < module->num_trace_events; i++) {
		const struct trace_event_call *call = module->trace_events[i];

		if ((call->flags & TRACE_EVENT_FL_TRACEPOINT) && call->tp == tracepoint)
			return call->class->system;
	}
	return BARE_SYSTEM;
}

struct source *scounter_catalogue_add(struct module *module)
{
	struct source *source = new_source(module, module->num_tracepoints);
	u32 i;

	if (!source)
		return NULL;
	for (i = 0; i < module->num_tracepoints; i++) {
		struct event *event = &source->events[i];

		add_one(tracepoint_ptr_deref(&module->tracepoints_ptrs[i]), source);
		event->system = system_in_module(module, event->tracepoint);
	}
	return source;
}

void scounter_catalogue_remove(struct source *source)
{
	list_del(&source->list);
	kvfree(source);
}

int scounter_catalogue_init(void)
{
	struct source *kernel;
	u32 count = 0;

	for_each_kernel_tracepoint(count_one, &count);
	kernel = new_source(NULL, count);
	if (!kernel)
		return -ENOMEM;
	for_each_kernel_tracepoint(add_one, kernel);
	return 0;
}

void scounter_catalogue_exit(void)
{
	struct source *source, *next;
	struct learnt *more, *after;

	list_for_each_entry_safe(source, next, &scounter_sources, list)
		scounter_catalogue_remove(source);
	list_for_each_entry_safe(more, after, &learnt, list)
		kfree(more);
}
