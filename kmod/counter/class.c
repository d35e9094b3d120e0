// SPDX-License-Identifier: GPL-2.0
/*
 * Classes made at run time: struct scounter_params becomes a struct scounter_class.
 *
 * Example: SCOUNTER_MORRIS with 10000 ppm, 1 %, has a = 5000 and begins to sample
 * where a + n reaches 2^14, at the count of 11384.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/export.h>
#include <linux/log2.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "compat.h"
#include "counter/counter.h"
#include "kinds/kind.h"
#include "repr/bfp.h"
#include "repr/value.h"

static int class_check_options(const struct scounter_params *params,
			       const struct scounter_kind_row *row, const char **why)
{
	const u8 flags = SCOUNTER_CLASS_WRAP | SCOUNTER_CLASS_SENSITIVE |
			 SCOUNTER_CLASS_RESETS;

	*why = "a choice that this kind does not have";
	if (params->flags & ~flags || params->hide || params->parent)
		return -EINVAL;
	if (params->flags & SCOUNTER_CLASS_WRAP && !(row->options & SCOUNTER_OPTION_WRAP))
		return -EINVAL;
	if (!(row->options & SCOUNTER_OPTION_AYERS) &&
	    (params->flags & SCOUNTER_CLASS_SENSITIVE || params->granularity_log2))
		return -EINVAL;
	if (params->flags & SCOUNTER_CLASS_RESETS && !(BIT(row->kind) & __SCOUNTER_APPROX_KINDS))
		return -EINVAL;
	if (params->components && !(row->options & SCOUNTER_OPTION_COMPONENTS))
		return -EINVAL;
	*why = "granularity_log2 is 0 to 62";
	if (params->granularity_log2 > 62)
		return -ERANGE;
	*why = "components are 0, 1, 2, 4 or 8";
	if (params->components && (params->components > SCOUNTER_COMPONENTS_MAX ||
				   !is_power_of_2(params->components)))
		return -ERANGE;
	return 0;
}

static int class_check_error(u32 ppm, enum scounter_kind kind, const char **why)
{
	*why = "error_ppm is 0 where the kind is exact or loses counts";
	if (!(BIT(kind) & __SCOUNTER_APPROX_KINDS))
		return ppm ? -ERANGE : 0;
	*why = "error_ppm is 0 or 5000 to 200000";
	ppm = __SCOUNTER_PPM_OR_DEFAULT(ppm);
	return ppm < SCOUNTER_ERROR_PPM_MIN || ppm > SCOUNTER_ERROR_PPM_MAX ? -ERANGE : 0;
}

static int class_check(const struct scounter_params *params, const char **why)
{
	const struct scounter_kind_row *row = scounter_kind_row(params->kind);
	int err;

	*why = "there is no such kind";
	if (!row)
		return -EINVAL;
	err = class_check_error(params->error_ppm, row->kind, why);
	return err ?: class_check_options(params, row, why);
}

#define ASKED	"kind %u, error_ppm %u, flags %#x, granularity_log2 %u, components %u: %s\n"

/* @name: of the counter, or NULL: then the caller is named. */
static void class_complain(const struct scounter_params *params, const char *name,
			   unsigned long caller, const char *why)
{
	if (name)
		pr_warn_ratelimited("counter '%*pE': " ASKED,
				    (int)strnlen(name, SCOUNTER_NAME_MAX), name, params->kind,
				    params->error_ppm, params->flags, params->granularity_log2,
				    params->components, why);
	else
		pr_warn_ratelimited("class for %pS: " ASKED, (void *)caller, params->kind,
				    params->error_ppm, params->flags, params->granularity_log2,
				    params->components, why);
}

static void class_set_options(struct scounter_class *class,
			      const struct scounter_params *params)
{
	class->flags |= params->flags;
	if (params->granularity_log2) {
		class->flags |= SCOUNTER_CLASS_CAPPED;
		class->granularity_log2 = params->granularity_log2;
	}
	if (params->components)
		class->components_log2 = ilog2(params->components);
}

/* The same as SCOUNTER_CLASS(), of variables. */
static void class_set_accuracy(struct scounter_class *class, enum scounter_kind asked,
			       u32 ppm)
{
	const u32 kind = __SCOUNTER_KIND(asked);

	*class = (struct scounter_class) {
		.kind = kind,
		.flags = __SCOUNTER_IS_CHOICE(asked) ? SCOUNTER_CLASS_CHOSEN : 0,
	};
	if (asked == SCOUNTER_EXACT)
		class->components_log2 = SCOUNTER_EXACT_COMPONENTS_LOG2;
	if (__SCOUNTER_IS_BFP(kind)) {
		class->theta = scounter_bfp_theta(ppm);
		class->limit = kind == SCOUNTER_BFP_DUP ? class->theta - 1 :
			       SCOUNTER_BFP_MANTISSA_MAX;
		if (asked == SCOUNTER_APPROX) {
			class->theta = scounter_bfp_approx_theta(ppm);
			class->bound_log2 = scounter_bfp_approx_log2(class->theta);
			class->limit = __SCOUNTER_APPROX_LIMIT(class->bound_log2);
		}
	} else if (__SCOUNTER_IS_MORRIS(kind)) {
		class->morris_a = scounter_morris_a(ppm);
		class->threshold_log2 = order_base_2(class->morris_a) + 1;
		class->limit = (1U << class->threshold_log2) - class->morris_a;
	} else if (__SCOUNTER_IS_SCALABLE(kind)) {
		class->threshold_log2 = scounter_threshold_log2(ppm);
		class->limit = 1U << class->threshold_log2;
	}
}

int scounter_class_make(struct scounter_class *class, const struct scounter_params *params,
			const char *name, unsigned long caller)
{
	const char *why;
	int err = class_check(params, &why);

	if (err) {
		class_complain(params, name, caller, why);
		return err;
	}
	class_set_accuracy(class, params->kind, __SCOUNTER_PPM_OR_DEFAULT(params->error_ppm));
	class_set_options(class, params);
	return 0;
}

/**
 * scounter_class_init - a class chosen at run time
 * @class: what to fill in; unchanged on failure
 * @params: kind, error, overflow policy, granularity, components
 *
 * Dice, Lev & Moir 2013: bfp, section 4.2, Theta = 2M with M the integer part of
 * (3 / error^2 + 3) / 8, of approx rounded up; morris, section 3.1,
 * a = 1 / (2 error^2).  Ayers 2023: scalable, the least threshold from 2^10 to 2^15
 * whose error is small enough.
 *
 * Context: Any context.
 * Return: 0, -EINVAL for an unknown kind or a choice that the kind does not
 * have, -ERANGE for one that is out of range.  The log says which, and what there is.
 */
int scounter_class_init(struct scounter_class *class,
			const struct scounter_params *params)
{
	return scounter_class_make(class, params, NULL,
				   (unsigned long)__builtin_return_address(0));
}
EXPORT_SYMBOL_GPL(scounter_class_init);
