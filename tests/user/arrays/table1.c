// SPDX-License-Identifier: GPL-2.0
/*
 * Steele & Tristan 2017, table 1: the base-2 logarithm of the largest value of a
 * general Csuros counter.  The paper says that the entries are truncated to one
 * decimal place; those for 16 bits and q < 2 are rounded to the nearest instead,
 * every one of them.
 */
#include <math.h>

#include "arrays.h"

#define COLUMNS		24
#define READABLE	12	/* columns of the last rows; see below */

static const struct {
	u32 bits, m;
} columns[COLUMNS] = {
	{ 8, 1 }, { 8, 2 }, { 8, 4 }, { 8, 8 }, { 8, 16 }, { 8, 32 },
	{ 10, 4 }, { 10, 8 }, { 10, 16 }, { 10, 32 }, { 10, 64 }, { 10, 128 },
	{ 12, 16 }, { 12, 32 }, { 12, 64 }, { 12, 128 }, { 12, 256 }, { 12, 512 },
	{ 16, 256 }, { 16, 512 }, { 16, 1024 }, { 16, 2048 }, { 16, 4096 }, { 16, 8192 },
};

/*
 * The paper's entries, in tenths.  The text that these were taken from has no
 * legible 12- and 16-bit entries for the last three q: 0.
 */
static const struct {
	u32 q_ppm;
	u32 tenths[COLUMNS];
} rows[] = {
	{ 2000000, { 2550, 1285, 658, 349, 199, 129, 2578, 1309, 679, 369, 219, 149, 2599, 1329, 699, 389, 239, 169, 2639, 1369, 739, 429, 279, 209 } },
	{ 1900000, { 2362, 1192, 612, 326, 189, 125, 2390, 1215, 633, 347, 209, 145, 2411, 1236, 654, 367, 229, 165, 2452, 1277, 694, 408, 270, 206 } },
	{ 1800000, { 2165, 1095, 564, 303, 178, 120, 2192, 1117, 585, 324, 198, 140, 2213, 1138, 605, 344, 218, 160, 2254, 1179, 646, 385, 259, 201 } },
	{ 1700000, { 1957, 991, 513, 279, 167, 115, 1983, 1014, 534, 299, 187, 136, 2004, 1034, 554, 320, 207, 156, 2045, 1075, 595, 360, 248, 196 } },
	{ 1600000, { 1736, 882, 459, 253, 155, 111, 1761, 904, 480, 274, 175, 131, 1782, 925, 501, 294, 195, 151, 1823, 965, 541, 334, 236, 191 } },
	{ 1500000, { 1501, 766, 403, 226, 143, 106, 1526, 788, 424, 247, 163, 126, 1547, 808, 444, 267, 183, 146, 1587, 849, 484, 307, 224, 186 } },
	{ 1400000, { 1251, 642, 342, 198, 130, 100, 1274, 664, 363, 218, 150, 121, 1295, 684, 383, 238, 170, 141, 1336, 725, 424, 279, 211, 181 } },
	{ 1300000, { 982, 510, 278, 168, 117, 95, 1005, 531, 299, 188, 137, 115, 1026, 551, 319, 208, 157, 135, 1066, 592, 360, 248, 198, 176 } },
	{ 1200000, { 693, 368, 210, 137, 104, 90, 715, 389, 231, 157, 124, 110, 736, 409, 251, 177, 144, 130, 777, 450, 292, 217, 185, 170 } },
	{ 1100000, { 383, 218, 140, 106, 91, 85, 404, 239, 161, 126, 111, 105, 425, 259, 181, 146, 131, 125, 465, 299, 221, 187, 172, 165 } },
	{ 1090000, { 351, 203, 133, 103, 90, 84, 372, 223, 154, 123, 110, 104, 392, 243, 174, 143, 130, 124, 433, 284, 214, 184, 170, 165 } },
	{ 1080000, { 319, 188, 127, 100, 89, 84, 340, 208, 147, 120, 109, 104, 360, 228, 167, 140, 129, 124, 401, 269, 207, 181, 169, 164 } },
	{ 1070000, { 287, 172, 120, 97, 87, 83, 308, 193, 140, 117, 107, 103, 328, 213, 160, 137, 128, 123, 368, 253, 201, 178, 168, 164 } },
	{ 1060000, { 254, 157, 113, 94, 86, 83, 275, 178, 133, 115, 106, 103, 295, 198, 154, 135, 126, 123, 336, 238, 194, 175, 167, 163 } },
	{ 1050000, { 222, 142, 107, 92, 85, 82, 243, 163, 127, 112, 105, 102, 263, 183, 147, 132, 125, 122, 303, 223, 188, 172, 166, 163 } },
	{ 1040000, { 190, 128, 101, 89, 84, 81, 211, 148, 121, 109, 104, 102, 231, 168, 141, 129, 124, 122, 271, 209, 181, 170, 164, 162 } },
	{ 1030000, { 159, 114, 95, 87, 83, 81, 179, 134, 115, 107, 103, 101 } },
	{ 1020000, { 129, 101, 89, 84, 82, 80, 149, 121, 109, 104, 102, 100 } },
	{ 1010000, { 101, 89, 84, 82, 81, 80, 121, 110, 104, 102, 101, 100 } },};

#define ROWS	(sizeof(rows) / sizeof(rows[0]))

static u32 shortened(long double tenths, u32 q_ppm, u32 bits)
{
	return bits == 16 && q_ppm < SCOUNTER_REPR_Q_PPM_MAX ? roundl(tenths) : floorl(tenths);
}

/* From the formula, as no count in the kernel is beyond 2^64. */
static u32 tenths_of(u32 q_ppm, u32 column)
{
	u32 m = columns[column].m, x = (1U << columns[column].bits) - 1;
	long double q = q_ppm / 1e6L, mu = m / (q - 1);
	long double f = (mu + x % m) * powl(q, x / m) - mu;

	return shortened(10 * log2l(f), q_ppm, columns[column].bits);
}

/* The same from the implementation; 0 where f goes beyond 2^64. */
static u32 tenths_implemented(u32 q_ppm, u32 column)
{
	u32 bits = columns[column].bits;
	const struct scounter_repr *repr = repr_of(SCOUNTER_REPR_CSUROS, bits, q_ppm,
						   columns[column].m, 0);
	long double f;

	if (repr->top != (1U << bits) - 1)
		return 0;
	f = repr->most.whole + repr->most.part * 0x1p-64L;
	return shortened(10 * log2l(f), q_ppm, bits);
}

void test_table1(u64 seed)
{
	u32 row, column, entries = 0, differ = 0, implemented = 0, wrong = 0;

	(void)seed;
	for (row = 0; row < ROWS; row++)
		for (column = 0; column < COLUMNS; column++) {
			u32 tenths = tenths_of(rows[row].q_ppm, column);
			u32 ours = tenths_implemented(rows[row].q_ppm, column);

			if (ours) {
				implemented++;
				wrong += ours != tenths;
			}
			if (!rows[row].tenths[column])
				continue;
			entries++;
			if (tenths != rows[row].tenths[column])
				comment("q %g, %u bits, m %u: %u tenths, the paper has %u",
					rows[row].q_ppm / 1e6, columns[column].bits,
					columns[column].m, tenths, rows[row].tenths[column]);
			differ += tenths != rows[row].tenths[column];
		}
	ok(entries == ROWS * COLUMNS - 3 * READABLE && !differ,
	   "table 1: %u of %u entries agree with the paper", entries - differ, entries);
	ok(implemented > 200 && !wrong,
	   "table 1: %u of %u ranges below 2^64 are those of the formula", implemented - wrong,
	   implemented);
}

int print_table1(void)
{
	u32 row, column;

	printf("# log2 of the largest value: 8, 10, 12 bits truncated, 16 bits and q < 2 rounded\n%-8s", "bits");
	for (column = 0; column < COLUMNS; column++)
		printf(" %5u", columns[column].bits);
	printf("\n%-8s", "m");
	for (column = 0; column < COLUMNS; column++)
		printf(" %5u", columns[column].m);
	putchar('\n');
	for (row = 0; row < ROWS; row++) {
		printf("q = %-4g", rows[row].q_ppm / 1e6);
		for (column = 0; column < COLUMNS; column++)
			printf(" %5.1f", tenths_of(rows[row].q_ppm, column) / 10.0);
		putchar('\n');
	}
	return 0;
}
