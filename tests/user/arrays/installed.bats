#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# The library as a program elsewhere finds it: what `make install` puts there, and
# nothing of this tree.

setup() {
	cd "$BATS_TEST_DIRNAME/../../.."
	make -s -C tools/lib install DESTDIR="$BATS_TEST_TMPDIR" PREFIX=/somewhere
	cd "$BATS_TEST_TMPDIR"
}

@test 'a program compiles with the installed headers, links the library, and counts' {
	cat >count.c <<-'END'
		#include <limits.h>
		#include <stdio.h>
		#include "array.h"
		#include "dlm_real.h"

		static char path[PATH_MAX];

		int main(void)
		{
			struct scounter_array_type type = {
				.kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 16,
			};
			struct array *array, *sum;
			FILE *file = tmpfile();
			int i;

			if (array_create(&array, &type, 3) || array_create(&sum, &type, 3))
				return 1;
			for (i = 0; i < 10; i++)
				array_inc(array, 1);
			if (array_merge(sum, array) || array_save(sum, file))
				return 1;
			rewind(file);
			array_free(sum);
			if (array_load(&sum, file))
				return 1;
			if (dlm_real_value(dlm_real_add(0.5, 0.5), 1.5) != 4)
				return 1;
			printf("%llu of %zu\n", (unsigned long long)array_value(sum, 1), sizeof(path));
			return 0;
		}
	END
	cc -std=gnu11 -Wall -Werror -Isomewhere/include/scounter -o count count.c \
		somewhere/lib/libscounter.a -lm
	run ./count
	[ "$output" = '10 of 4096' ]
}
