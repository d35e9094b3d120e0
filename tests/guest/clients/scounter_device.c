// SPDX-License-Identifier: GPL-2.0
/*
 * A platform device with a counter, a set, an array and a table that go with it, the counter
 * in the device's own directory.  With `early` there is another counter there which the
 * module destroys after the device has gone.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/scounter_devm.h>

#define NAME	"scounter_device"

static bool early;
module_param(early, bool, 0400);
static char *name = "events";
module_param(name, charp, 0400);

static struct platform_device *pdev;
static struct scounter *late;

static const struct scounter_set_row rows[] = {
	SCOUNTER_SET_ROW("row", SCOUNTER_EXACT, 0, NULL, NULL),
};

static const struct scounter_set_desc desc = { .rows = rows, .count = ARRAY_SIZE(rows) };
static const struct scounter_array_type type = { .kind = SCOUNTER_REPR_MORRIS2, .bits = 6 };
static const struct scounter_topk_spec spec = { .capacity = 2, .key_size = 8 };

static int device_probe(struct platform_device *device)
{
	const struct scounter_params params = {
		.kind = SCOUNTER_EXACT, .parent = &device->dev.kobj,
	};
	const char *group = dev_name(&device->dev);
	struct scounter *counter =
		devm_scounter_create_params(&device->dev, name, group, &params);

	if (IS_ERR(counter))
		return PTR_ERR(counter);
	scounter_add(counter, 5);
	return PTR_ERR_OR_ZERO(devm_scounter_set_create(&device->dev, &desc, "set")) ?:
	       PTR_ERR_OR_ZERO(devm_scounter_array_create(&device->dev, "array", group, &type, 9,
							  0)) ?:
	       PTR_ERR_OR_ZERO(devm_scounter_topk_create(&device->dev, "table", group, &spec));
}

static struct platform_driver driver = {
	.probe = device_probe,
	.driver = { .name = NAME },
};

static int device_create_late(void)
{
	const struct scounter_params params = {
		.kind = SCOUNTER_APPROX, .parent = &pdev->dev.kobj,
	};

	late = scounter_create_params("late", NAME, &params, GFP_KERNEL);
	return PTR_ERR_OR_ZERO(late);
}

static int __init device_init(void)
{
	int err = platform_driver_register(&driver);

	if (err)
		return err;
	pdev = platform_device_register_simple(NAME, PLATFORM_DEVID_NONE, NULL, 0);
	err = PTR_ERR_OR_ZERO(pdev);
	if (!err && early)
		err = device_create_late();
	if (!err)
		return 0;
	if (!IS_ERR(pdev))
		platform_device_unregister(pdev);
	platform_driver_unregister(&driver);
	return err;
}

static void __exit device_exit(void)
{
	platform_device_unregister(pdev);
	scounter_destroy(late);
	platform_driver_unregister(&driver);
}

module_init(device_init);
module_exit(device_exit);

MODULE_DESCRIPTION("scounter test: what goes with a device");
MODULE_LICENSE("GPL");
