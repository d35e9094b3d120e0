// SPDX-License-Identifier: GPL-2.0
/*
 * The device /dev/scounter, with mode and group.  A misc device would have no group: what
 * names it is the type of a device, which is to be set before the device is added.
 */
#include <linux/cdev.h>
#include <linux/completion.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>

#include "compat.h"
#include "registry/access.h"
#include "registry/device.h"

#define NAME	"scounter"

static dev_t number;
static struct class *class;
static struct cdev cdev;
static struct device device;
static DECLARE_COMPLETION(released);

/* NULL for its own name, which is all that is asked for when the node goes. */
static char *device_node(SCOUNTER_CONST_IN_6_3 struct device *unused, umode_t *mode,
			 kuid_t *uid, kgid_t *gid)
{
	if (mode)
		*mode = scounter_device_mode();
	if (gid)
		*gid = scounter_access_gid();
	return NULL;
}

static const struct device_type device_type = {
	.devnode = device_node,
};

static void device_released(struct device *unused)
{
	complete(&released);
}

/* The driver core may hold the device, and with it cdev, after it was deleted. */
static void device_put_and_wait(void)
{
	put_device(&device);
	wait_for_completion(&released);
}

static int device_add_named(const struct file_operations *fops)
{
	int err;

	device_initialize(&device);
	device.class = class;
	device.type = &device_type;
	device.devt = number;
	device.release = device_released;
	cdev_init(&cdev, fops);
	cdev.owner = THIS_MODULE;
	err = dev_set_name(&device, NAME) ?: cdev_device_add(&cdev, &device);
	if (err)
		device_put_and_wait();
	return err;
}

int scounter_device_init(const struct file_operations *fops)
{
	int err = alloc_chrdev_region(&number, 0, 1, NAME);

	if (err)
		return err;
	class = scounter_class_create(NAME);
	err = PTR_ERR_OR_ZERO(class);
	if (err)
		goto out_number;
	err = device_add_named(fops);
	if (!err)
		return 0;
	class_destroy(class);
out_number:
	unregister_chrdev_region(number, 1);
	return err;
}

void scounter_device_exit(void)
{
	cdev_device_del(&cdev, &device);
	device_put_and_wait();
	class_destroy(class);
	unregister_chrdev_region(number, 1);
}
