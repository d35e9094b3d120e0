/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters, sets, arrays and tables of frequent items that go with a device.
 *
 *	static int link_probe(struct platform_device *pdev)
 *	{
 *		const struct scounter_params params = {
 *			.kind = SCOUNTER_APPROX, .parent = &pdev->dev.kobj,
 *		};
 *		struct scounter *rx = devm_scounter_create_params(&pdev->dev, "rx_packets",
 *								  dev_name(&pdev->dev), &params);
 *
 *		return PTR_ERR_OR_ZERO(rx);
 *	}
 *
 *	$ cat /sys/devices/platform/link.0/rx_packets/value
 *
 * They are destroyed when the driver leaves the device, in the order opposite to that in
 * which they were made.  So they are made in probe() and what it calls, and nobody else
 * destroys them.
 */
#ifndef _LINUX_SCOUNTER_DEVM_H
#define _LINUX_SCOUNTER_DEVM_H

#include <linux/scounter.h>
#include <linux/scounter_array.h>
#include <linux/scounter_set.h>
#include <linux/scounter_topk.h>

struct device;

struct scounter *__devm_scounter_create(struct device *dev, const char *name, const char *group,
					const struct scounter_params *params,
					struct module *owner);
struct scounter_set *__devm_scounter_set_create(struct device *dev,
						const struct scounter_set_desc *desc,
						const char *object, struct kobject *parent,
						struct module *owner);
struct scounter_array *__devm_scounter_array_create(struct device *dev, const char *name,
						    const char *group,
						    const struct scounter_array_type *type,
						    u64 length, u32 flags, struct module *owner);
struct scounter_topk *__devm_scounter_topk_create(struct device *dev, const char *name,
						  const char *group,
						  const struct scounter_topk_spec *spec,
						  struct module *owner);

/**
 * devm_scounter_create - scounter_create() of a counter that goes with a device
 * @dev: the device
 * @name: as for scounter_create()
 * @group: as for scounter_create(); dev_name(@dev), say, as names are taken once a group
 * @kind: as for scounter_create()
 * @ppm: as for scounter_create()
 *
 * Context: Task context; may sleep.
 * Return: as scounter_create() with GFP_KERNEL.
 */
#define devm_scounter_create(dev, name, group, kind, ppm)		\
	__devm_scounter_create(dev, name, group,			\
			       &(const struct scounter_params) { (kind), (ppm) }, \
			       THIS_MODULE)

/**
 * devm_scounter_create_params - scounter_create_params() with a device
 * @dev: the device
 * @name: as for scounter_create()
 * @group: as for devm_scounter_create()
 * @params: as for scounter_create_params(); with &dev->kobj as its parent the counter has
 *	its directory in that of the device
 *
 * Context: Task context; may sleep.
 * Return: as scounter_create_params() with GFP_KERNEL.
 */
#define devm_scounter_create_params(dev, name, group, params)		\
	__devm_scounter_create(dev, name, group, params, THIS_MODULE)

/**
 * devm_scounter_set_create - scounter_set_create() with a device
 * @dev: the device
 * @desc: as for scounter_set_create()
 * @object: as for scounter_set_create(); dev_name(@dev), say
 *
 * Context: Task context; may sleep.
 * Return: as scounter_set_create() with GFP_KERNEL.
 */
#define devm_scounter_set_create(dev, desc, object)			\
	__devm_scounter_set_create(dev, desc, object, NULL, THIS_MODULE)

/**
 * devm_scounter_set_create_below - scounter_set_create_below() with a device
 * @dev: the device
 * @desc: as for scounter_set_create_below()
 * @object: as for scounter_set_create_below()
 * @parent: as for scounter_set_create_below(); &dev->kobj, say
 *
 * Context: Task context; may sleep.
 * Return: as scounter_set_create_below().
 */
#define devm_scounter_set_create_below(dev, desc, object, parent)	\
	__devm_scounter_set_create(dev, desc, object, parent, THIS_MODULE)

/**
 * devm_scounter_array_create - scounter_array_create() with a device
 * @dev: the device
 * @name: as for scounter_array_create()
 * @group: as for scounter_array_create(); dev_name(@dev), say
 * @type: as for scounter_array_create()
 * @length: as for scounter_array_create()
 * @flags: as for scounter_array_create()
 *
 * Context: Task context; may sleep.
 * Return: as scounter_array_create().
 */
#define devm_scounter_array_create(dev, name, group, type, length, flags) \
	__devm_scounter_array_create(dev, name, group, type, length, flags, THIS_MODULE)

/**
 * devm_scounter_topk_create - scounter_topk_create() with a device
 * @dev: the device
 * @name: as for scounter_topk_create()
 * @group: as for scounter_topk_create(); dev_name(@dev), say
 * @spec: as for scounter_topk_create()
 *
 * Context: Task context; may sleep.
 * Return: as scounter_topk_create().
 */
#define devm_scounter_topk_create(dev, name, group, spec)		\
	__devm_scounter_topk_create(dev, name, group, spec, THIS_MODULE)

#endif /* _LINUX_SCOUNTER_DEVM_H */
