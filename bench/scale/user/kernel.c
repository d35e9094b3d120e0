// SPDX-License-Identifier: GPL-2.0
/* scounter_scale as a program: its arguments are the module's parameters. */
#include <errno.h>
#include <pthread.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "../../../tests/user/kernel/counters.h"
#include "kernel.h"

static const char usage[] =
"Usage: scale [PARAMETER=VALUE]...\n"
"\n"
"Measures what scounter_scale.ko does, in user space: its source, its parameters\n"
"(modinfo scounter_scale.ko) and its file, on standard output. Exit status: 0; 1 if it\n"
"failed; 2 for a wrong parameter.\n";

extern const struct user_param __start_user_params[], __stop_user_params[];

user_show_t user_show;

struct task_struct {
	pthread_t thread;
	int (*function)(void *data);
	void *data;
	int cpu;		/* or -1 */
	bool started, stops;
};

static __thread struct task_struct *current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;

u64 user_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * NSEC_PER_SEC + time.tv_nsec;
}

/* Only threads that count are bound: another one does the kernel's work meanwhile. */
void user_sleep(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 200000;
	if (until.tv_nsec >= (long)NSEC_PER_SEC) {
		until.tv_nsec -= NSEC_PER_SEC;
		until.tv_sec++;
	}
	pthread_mutex_lock(&lock);
	pthread_cond_timedwait(&woken, &lock, &until);
	pthread_mutex_unlock(&lock);
	if (current && current->cpu < 0) {
		shim_jiffies = user_ns() / (NSEC_PER_SEC / HZ);
		shim_run_works();
	}
}

void user_wake(void)
{
	pthread_mutex_lock(&lock);
	pthread_cond_broadcast(&woken);
	pthread_mutex_unlock(&lock);
}

struct task_struct *user_thread(int (*function)(void *data), void *data)
{
	struct task_struct *task = calloc(1, sizeof(*task));

	if (!task)
		return ERR_PTR(-ENOMEM);
	task->function = function;
	task->data = data;
	task->cpu = -1;
	return task;
}

void kthread_bind(struct task_struct *task, int cpu)
{
	task->cpu = cpu;
}

static void *run(void *data)
{
	cpu_set_t set;

	current = data;
	shim_be(current->cpu < 0 ? 0 : current->cpu);
	if (current->cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET(current->cpu, &set);
		pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	}
	current->function(current->data);
	return NULL;
}

void wake_up_process(struct task_struct *task)
{
	task->started = !pthread_create(&task->thread, NULL, run, task);
	if (!task->started) {
		perror("scale: pthread_create");
		exit(1);
	}
}

bool kthread_should_stop(void)
{
	return __atomic_load_n(&current->stops, __ATOMIC_ACQUIRE);
}

int kthread_stop(struct task_struct *task)
{
	__atomic_store_n(&task->stops, true, __ATOMIC_RELEASE);
	user_wake();
	if (task->started)
		pthread_join(task->thread, NULL);
	free(task);
	return 0;
}

struct new_utsname *init_utsname(void)
{
	static struct new_utsname names;
	struct utsname found;

	uname(&found);
	snprintf(names.release, sizeof(names.release), "%.40s, user space", found.release);
	snprintf(names.machine, sizeof(names.machine), "%s", found.machine);
	return &names;
}

int percpu_counter_init(struct percpu_counter *counter, s64 amount, gfp_t gfp)
{
	const struct counter_type *type = counter_type("percpu_counter");

	counter->counter = type->make(type);
	return counter->counter ? 0 : -ENOMEM;
}

void percpu_counter_destroy(struct percpu_counter *counter)
{
	counter_type("percpu_counter")->free(counter->counter);
}

/* Looked up once: a call through a pointer is what a window then measures. */
void percpu_counter_inc(struct percpu_counter *counter)
{
	static const struct counter_type *type;

	if (!type)
		type = counter_type("percpu_counter");
	type->inc(counter->counter);
}

void percpu_counter_add(struct percpu_counter *counter, s64 amount)
{
	counter_type("percpu_counter")->add(counter->counter, amount);
}

s64 percpu_counter_sum(struct percpu_counter *counter)
{
	return counter_type("percpu_counter")->read(counter->counter);
}

static const struct counter_type *type_of(int kind)
{
	const struct counter_type *type = counter_types;

	while (type->kind != kind || type->components || type->threshold_log2)
		type++;
	return type;
}

/* Without the files and the registry, in whose place these are. */
struct scounter *__scounter_create(const char *name, const char *group,
				   const struct scounter_params *params, gfp_t gfp,
				   struct module *owner)
{
	const struct counter_type *type = type_of(params->kind);
	void *counter = type->make(type);

	return counter ? counter : ERR_PTR(-ENOMEM);
}

void scounter_destroy(struct scounter *counter)
{
	type_of(counter->class.kind)->free(counter);
	counters_settle();
}

static bool set_one(const struct user_param *param, char *value, size_t i)
{
	char *end = value;

	if (!strcmp(param->type, "charp"))
		*(char **)param->value = value;
	else if (!strcmp(param->type, "bool"))
		*(bool *)param->value = strtol(value, &end, 10);
	else if (!strcmp(param->type, "ulong"))
		((ulong *)param->value)[i] = strtoul(value, &end, 10);
	else
		((int *)param->value)[i] = strtol(value, &end, 10);
	return !strcmp(param->type, "charp") || (*value && !*end);
}

static bool set(const struct user_param *param, char *value)
{
	size_t i = 0;
	char *part;

	if (!param->count)
		return set_one(param, value, 0);
	while ((part = strsep(&value, ","))) {
		if (i == param->most || !set_one(param, part, i))
			return false;
		*param->count = ++i;
	}
	return true;
}

static bool set_argument(char *argument)
{
	char *value = strchr(argument, '=');
	const struct user_param *param;

	if (!value)
		return false;
	*value++ = '\0';
	for (param = __start_user_params; param < __stop_user_params; param++)
		if (!strcmp(param->name, argument))
			return set(param, value);
	return false;
}

/* The file as it is; true if nothing more comes. */
static bool show(bool print)
{
	char *text = NULL;
	size_t size = 0;
	struct seq_file seq = { open_memstream(&text, &size) };
	bool ends;

	user_show(&seq, NULL);
	fclose(seq.out);
	ends = strstr(text, "\n# done") || strstr(text, "\n# failed");
	if (print)
		fputs(text, stdout);
	free(text);
	return ends;
}

int main(int argc, char **argv)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			fputs(usage, stdout);
			return 0;
		}
		if (!set_argument(argv[i])) {
			fprintf(stderr, "scale: what is '%s'? See scale --help\n", argv[i]);
			return 2;
		}
	}
	if (!shim_init(cpus, 1))
		return 1;
	counters_init(1);
	if (user_init())
		return 2;
	while (!show(false))
		usleep(50000);
	show(true);
	user_exit();
	return 0;
}
