// SPDX-License-Identifier: GPL-2.0
/* Counters in directories of a client's own, and what goes with a device. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernfs.h>
#include <linux/kobject.h>
#include <linux/sched.h>
#include <linux/scounter_devm.h>
#include <linux/slab.h>

#include "registry/counters.h"
#include "registry/sysfs.h"
#include "tests/faults.h"

#define GROUP	"kunit"
#define DEVICE	"scounter_kunit"

/* What sysfs has of that name in the directory of the kobject: held, or NULL. */
static struct kernfs_node *find(const struct kobject *kobj, const char *name)
{
	return kobj->sd ? kernfs_find_and_get(kobj->sd, name) : NULL;
}

static bool is_there(const struct kobject *kobj, const char *name)
{
	struct kernfs_node *node = find(kobj, name);

	kernfs_put(node);
	return node;
}

/* /sys/kernel/scounter/GROUP, while there is a counter in it. */
static struct kobject *group_of(const struct scounter *counter)
{
	struct scounter_entry *entry =
		container_of(counter->history, struct scounter_entry, history);
	struct scounter_directory *directory =
		scounter_entry_group(entry)->view[SCOUNTER_VIEW_SYSFS];

	return &directory->kobj;
}

/* The directory has values, and the group a link to it. */
static void expect_below(struct kunit *test, struct scounter *counter, const char *name,
			 const struct kobject *parent)
{
	struct kernfs_node *directory = find(parent, name);
	struct kernfs_node *link = find(group_of(counter), name);
	struct kernfs_node *value = directory ? kernfs_find_and_get(directory, "value") : NULL;

	KUNIT_EXPECT_NOT_NULL(test, value);
	KUNIT_EXPECT_NOT_NULL(test, link);
	if (link) {
		KUNIT_EXPECT_EQ(test, kernfs_type(link), KERNFS_LINK);
		KUNIT_EXPECT_PTR_EQ(test, link->symlink.target_kn, directory);
	}
	kernfs_put(value);
	kernfs_put(link);
	kernfs_put(directory);
}

static struct scounter *create_below(const char *name, struct kobject *parent, u8 hide, gfp_t gfp)
{
	const struct scounter_params params = {
		.kind = SCOUNTER_EXACT, .hide = hide, .parent = parent,
	};

	return scounter_create_params(name, GROUP, &params, gfp);
}

static void a_counter_is_below_its_parent(struct kunit *test)
{
	struct device *device = root_device_register(DEVICE);
	struct scounter *counter;
	u32 i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(device));
	/* A second one finds the first one's files gone. */
	for (i = 0; i < 20; i++) {
		counter = create_below("below", &device->kobj, 0, GFP_KERNEL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
		expect_below(test, counter, "below", &device->kobj);
		scounter_destroy(counter);
	}
	root_device_unregister(device);
}

/* A kobject of a client, whose end may need the registry. */
struct parent {
	struct kobject kobj;
	struct scounter *counter;
	struct completion released;
};

static void parent_release(struct kobject *kobj)
{
	struct parent *parent = container_of(kobj, struct parent, kobj);
	static DEFINE_SCOUNTER(last, SCOUNTER_ATOMIC, 0);

	if (!scounter_register(&last, "last", GROUP))
		scounter_unregister(&last);
	scounter_destroy(parent->counter);
	complete(&parent->released);
}

static const struct kobj_type parent_type = {
	.release = parent_release,
	.sysfs_ops = &kobj_sysfs_ops,
};

static void a_parent_may_go_first(struct kunit *test)
{
	struct parent *parent = kunit_kzalloc(test, sizeof(*parent), GFP_KERNEL);
	struct scounter *counter;

	KUNIT_ASSERT_NOT_NULL(test, parent);
	init_completion(&parent->released);
	KUNIT_ASSERT_EQ(test, kobject_init_and_add(&parent->kobj, &parent_type, NULL, DEVICE), 0);
	counter = create_below("below", &parent->kobj, 0, GFP_KERNEL);
	parent->counter = create_below("beside", NULL, 0, GFP_KERNEL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(counter) || IS_ERR(parent->counter));
	expect_below(test, counter, "below", &parent->kobj);
	kobject_del(&parent->kobj);
	kobject_put(&parent->kobj);
	/* It is held. */
	KUNIT_EXPECT_FALSE(test, completion_done(&parent->released));
	scounter_inc(counter);
	KUNIT_EXPECT_EQ(test, scounter_read(counter), 1ULL);
	scounter_destroy(counter);
	/* Not by anything any more; else the memory must stay. */
	KUNIT_ASSERT_NE(test, wait_for_completion_timeout(&parent->released, 60 * HZ), 0UL);
}

static void a_parent_that_cannot_be_is_refused(struct kunit *test)
{
	struct device *device = root_device_register(DEVICE);
	const struct scounter_params word = { .kind = SCOUNTER_APPROX, .parent = &device->kobj };
	struct kobject *elsewhere = kunit_kzalloc(test, sizeof(*elsewhere), GFP_KERNEL);
	struct scounter_class class;
	struct scounter *counter;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, elsewhere);
	KUNIT_ASSERT_FALSE(test, IS_ERR(device));
	KUNIT_EXPECT_EQ(test, PTR_ERR(create_below("below", &device->kobj, SCOUNTER_HIDE_SYSFS,
						   GFP_KERNEL)), (long)-EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(create_below("below", &device->kobj, 0, GFP_NOWAIT)),
			(long)-EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(create_below("below", elsewhere, 0, GFP_KERNEL)),
			(long)-ENOENT);
	/* It has that itself. */
	KUNIT_EXPECT_EQ(test, PTR_ERR(create_below("uevent", &device->kobj, 0, GFP_KERNEL)),
			(long)-EEXIST);
	KUNIT_EXPECT_TRUE(test, is_there(&device->kobj, "uevent"));
	KUNIT_EXPECT_EQ(test, scounter_class_init(&class, &word), -EINVAL);
	/* Nothing is left of these, and all names are free. */
	for (i = 0; i < 2; i++) {
		counter = create_below(i ? "uevent" : "below", i ? NULL : &device->kobj, 0,
				       GFP_KERNEL);
		KUNIT_EXPECT_FALSE(test, IS_ERR(counter));
		scounter_destroy(counter);
	}
	root_device_unregister(device);
}

static const struct scounter_set_row rows[] = {
	SCOUNTER_SET_ROW("row", SCOUNTER_APPROX, 0, NULL, NULL),
};

static const struct scounter_set_desc desc = {
	.group = GROUP, .rows = rows, .count = ARRAY_SIZE(rows),
};

static void a_set_is_below_its_parent_which_may_go_first(struct kunit *test)
{
	static const struct scounter_set_desc hidden = {
		.rows = rows, .count = ARRAY_SIZE(rows), .hide = SCOUNTER_HIDE_SYSFS,
	};
	struct device *device = root_device_register(DEVICE);
	struct scounter_set *set;

	KUNIT_ASSERT_FALSE(test, IS_ERR(device));
	KUNIT_EXPECT_EQ(test, PTR_ERR(scounter_set_create_below(&hidden, "below", &device->kobj,
								GFP_KERNEL)), (long)-EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(scounter_set_create_below(&desc, "uevent", &device->kobj,
								GFP_KERNEL)), (long)-EEXIST);
	set = scounter_set_create_below(&desc, "below", &device->kobj, GFP_KERNEL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	KUNIT_EXPECT_TRUE(test, is_there(&device->kobj, "below"));
	root_device_unregister(device);
	scounter_set_inc(set, 0);
	KUNIT_EXPECT_EQ(test, scounter_set_read(set, 0), 1ULL);
	scounter_set_destroy(set);
	/* The name is free, and what was there is no more. */
	device = root_device_register(DEVICE);
	KUNIT_ASSERT_FALSE(test, IS_ERR(device));
	set = devm_scounter_set_create_below(device, &desc, "below", &device->kobj);
	KUNIT_EXPECT_FALSE(test, IS_ERR(set));
	KUNIT_EXPECT_TRUE(test, is_there(&device->kobj, "below"));
	root_device_unregister(device);
}

/* Of all kinds one, whose names say so. */
static int create_all(struct device *device)
{
	static const struct scounter_array_type type = { .kind = SCOUNTER_REPR_MORRIS2, .bits = 6 };
	static const struct scounter_topk_spec spec = { .capacity = 2, .key_size = 8 };
	const struct scounter_params params = {
		.kind = SCOUNTER_APPROX, .parent = &device->kobj,
	};

	return PTR_ERR_OR_ZERO(devm_scounter_create(device, "plain", GROUP, SCOUNTER_EXACT, 0)) ?:
	       PTR_ERR_OR_ZERO(devm_scounter_create_params(device, "below", GROUP, &params)) ?:
	       PTR_ERR_OR_ZERO(devm_scounter_set_create(device, &desc, "set")) ?:
	       PTR_ERR_OR_ZERO(devm_scounter_array_create(device, "array", GROUP, &type, 1, 0)) ?:
	       PTR_ERR_OR_ZERO(devm_scounter_topk_create(device, "table", GROUP, &spec));
}

static void all_goes_with_its_device(struct kunit *test)
{
	struct device *device;
	u32 i;

	for (i = 0; i < 3; i++) {
		device = root_device_register(DEVICE);
		KUNIT_ASSERT_FALSE(test, IS_ERR(device));
		/* All names are free again. */
		KUNIT_EXPECT_EQ(test, create_all(device), 0);
		KUNIT_EXPECT_EQ(test, create_all(device), -EEXIST);
		KUNIT_EXPECT_TRUE(test, is_there(&device->kobj, "below"));
		root_device_unregister(device);
	}
}

#ifdef CONFIG_FAULT_INJECTION
/* Nothing may stay behind, and the names are free for the next try. */
static void every_allocation_with_a_device_fails_once(struct kunit *test)
{
	bool failed = true;
	int err = -ENOMEM;
	u32 nth;

	skip_while_booting(test);
	for (nth = 1; nth < 1000 && (err || failed); nth++) {
		struct device *device = root_device_register(DEVICE);

		KUNIT_ASSERT_FALSE(test, IS_ERR(device));
		current->fail_nth = nth;
		err = create_all(device);
		failed = !current->fail_nth;
		current->fail_nth = 0;
		if (err)
			KUNIT_EXPECT_EQ_MSG(test, err, -ENOMEM, "allocation %u", nth);
		root_device_unregister(device);
	}
	KUNIT_EXPECT_GT(test, nth, 20U);
	KUNIT_EXPECT_LT(test, nth, 1000U);
}
#else
static void every_allocation_with_a_device_fails_once(struct kunit *test)
{
	kunit_skip(test, "the kernel has no fault injection");
}
#endif

static struct kunit_case device_cases[] = {
	KUNIT_CASE(a_counter_is_below_its_parent),
	KUNIT_CASE(a_parent_may_go_first),
	KUNIT_CASE(a_parent_that_cannot_be_is_refused),
	KUNIT_CASE(a_set_is_below_its_parent_which_may_go_first),
	KUNIT_CASE(all_goes_with_its_device),
	KUNIT_CASE(every_allocation_with_a_device_fails_once),
	{}
};

static struct kunit_suite device_suite = {
	.name = "scounter_device",
	.test_cases = device_cases,
};
kunit_test_suites(&device_suite);
