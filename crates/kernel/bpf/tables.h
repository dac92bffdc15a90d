// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// Functions that the loader writes down as tables: it has the laws themselves (crates/cc), which are in floating point.
#pragma once

#include "fixed.h"

#define LOG2_STEPS 256

// log2(1 + i / 256), q32.
const volatile u64 log2_table[LOG2_STEPS + 1] SEC(".rodata.log2");

// a + (b - a) * part / 2^20, for values below 2^43.
static __always_inline u64 between(u64 a, u64 b, u64 part_q20)
{
	return a + (((s64)(b - a) * (s64)part_q20) >> 20);
}

// log2 of a whole number, q32; of zero that of one. Wrong by less than 4e-6.
of_numbers s64 log2_q32(u64 x)
{
	u32 length = bits(larger(x, 1));
	// The leading one at bit 63; the eight bits behind it choose the entry, the next 24 the place before the next.
	u64 mantissa = larger(x, 1) << ((64 - length) & 63);
	u32 entry = mantissa >> 55 & (LOG2_STEPS - 1);
	u64 part = mantissa >> 31 & 0xFFFFFF;
	u64 low = log2_table[entry], high = log2_table[entry + 1];

	return ((u64)(length - 1) << 32) + low + ((high - low) * part >> 24);
}
