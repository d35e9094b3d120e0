/* SPDX-License-Identifier: GPL-2.0 */
/* report: the rates of a recording as figures. */
#ifndef FIGURES_H
#define FIGURES_H

#include "series.h"

void draw_html(const struct recording_rates *rates, const char *path);
void draw_gnuplot(const struct recording_rates *rates, const char *path);

#endif
