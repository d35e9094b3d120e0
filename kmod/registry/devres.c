// SPDX-License-Identifier: GPL-2.0
/* What goes with a device: the calls of <linux/scounter_devm.h>. */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/scounter_devm.h>

/* Without memory for that it is destroyed at once. */
static void *devres_hand_over(struct device *dev, void *made, void (*destroy)(void *made))
{
	int err;

	if (IS_ERR(made))
		return made;
	err = devm_add_action_or_reset(dev, destroy, made);
	return err ? ERR_PTR(err) : made;
}

static void devres_destroy_counter(void *counter)
{
	scounter_destroy(counter);
}

/* See devm_scounter_create(). */
struct scounter *__devm_scounter_create(struct device *dev, const char *name, const char *group,
					const struct scounter_params *params,
					struct module *owner)
{
	struct scounter *counter = __scounter_create(name, group, params, GFP_KERNEL, owner);

	return devres_hand_over(dev, counter, devres_destroy_counter);
}
EXPORT_SYMBOL_GPL(__devm_scounter_create);

static void devres_destroy_set(void *set)
{
	scounter_set_destroy(set);
}

/* See devm_scounter_set_create(). */
struct scounter_set *__devm_scounter_set_create(struct device *dev,
						const struct scounter_set_desc *desc,
						const char *object, struct kobject *parent,
						struct module *owner)
{
	struct scounter_set *set =
		__scounter_set_create(desc, object, parent, GFP_KERNEL, owner);

	return devres_hand_over(dev, set, devres_destroy_set);
}
EXPORT_SYMBOL_GPL(__devm_scounter_set_create);

static void devres_destroy_array(void *array)
{
	scounter_array_destroy(array);
}

/* See devm_scounter_array_create(). */
struct scounter_array *__devm_scounter_array_create(struct device *dev, const char *name,
						    const char *group,
						    const struct scounter_array_type *type,
						    u64 length, u32 flags, struct module *owner)
{
	struct scounter_array *array =
		__scounter_array_create(name, group, type, length, flags, owner);

	return devres_hand_over(dev, array, devres_destroy_array);
}
EXPORT_SYMBOL_GPL(__devm_scounter_array_create);

static void devres_destroy_topk(void *topk)
{
	scounter_topk_destroy(topk);
}

/* See devm_scounter_topk_create(). */
struct scounter_topk *__devm_scounter_topk_create(struct device *dev, const char *name,
						  const char *group,
						  const struct scounter_topk_spec *spec,
						  struct module *owner)
{
	struct scounter_topk *topk = __scounter_topk_create(name, group, spec, owner);

	return devres_hand_over(dev, topk, devres_destroy_topk);
}
EXPORT_SYMBOL_GPL(__devm_scounter_topk_create);
