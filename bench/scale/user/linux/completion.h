/* SPDX-License-Identifier: GPL-2.0 */
#include "../kernel.h"

struct completion {
	bool done;
};

#define DECLARE_COMPLETION(name)	struct completion name
#define init_completion(x)		WRITE_ONCE((x)->done, false)
#define reinit_completion(x)		init_completion(x)
#define complete(x)			(WRITE_ONCE((x)->done, true), user_wake())
#define complete_all(x)			complete(x)
#define wait_for_completion(x)		wait_event(queue, READ_ONCE((x)->done))
