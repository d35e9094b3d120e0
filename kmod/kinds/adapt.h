/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_ADAPT_H
#define _SCOUNTER_ADAPT_H

void scounter_adapt_init(void);
void scounter_adapt_exit(void);

#endif /* _SCOUNTER_ADAPT_H */
