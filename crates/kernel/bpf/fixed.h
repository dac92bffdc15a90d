// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// Arithmetic without floating point, which the kernel does not have.
//
// "q32" in a name: the value times 2^32. Nothing here traps or wraps: what does not fit is the largest value.
#pragma once

#include "kernel.h"

#define MOST (~0ULL)
#define ONE_Q32 (1ULL << 32)

static __always_inline u64 smaller(u64 a, u64 b)
{
	return a < b ? a : b;
}

static __always_inline u64 larger(u64 a, u64 b)
{
	return a > b ? a : b;
}

static __always_inline u64 minus(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

static __always_inline u64 plus(u64 a, u64 b)
{
	u64 sum = a + b;

	return sum < a ? MOST : sum;
}

// How many bits a number has; zero has none. Without a branch, since the verifier would follow each: all bits below the
// highest are set, then counted.
static __always_inline u32 bits(u64 x)
{
	x |= x >> 1;
	x |= x >> 2;
	x |= x >> 4;
	x |= x >> 8;
	x |= x >> 16;
	x |= x >> 32;
	x -= x >> 1 & 0x5555555555555555ULL;
	x = (x & 0x3333333333333333ULL) + (x >> 2 & 0x3333333333333333ULL);
	x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
	return x * 0x0101010101010101ULL >> 56;
}

struct wide {
	u64 high;
	u64 low;
};

// a * b in 128 bits, by halves of 32.
static __always_inline struct wide multiply(u64 a, u64 b)
{
	u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
	u64 low = al * bl, middle = ah * bl + (low >> 32), other = al * bh + (u32)middle;
	struct wide product = {
		.high = ah * bh + (middle >> 32) + (other >> 32),
		.low = other << 32 | (u32)low,
	};

	return product;
}

// a * b / 2^shift, for 0 < shift < 64.
of_numbers u64 scaled(u64 a, u64 b, u32 shift)
{
	struct wide product = multiply(a, b);

	shift &= 63;
	return product.high >> shift ? MOST : product.high << (64 - shift) | product.low >> shift;
}

// a / b * 2^32 to 31 bits of b, which is not zero.
of_numbers u64 quotient_q32(u64 a, u64 b)
{
	u32 a_bits = bits(a), b_bits = bits(b);
	u32 left = a_bits ? 64 - a_bits : 0, right = b_bits > 31 ? b_bits - 31 : 0;
	u64 quotient = (a << (left & 63)) / larger(b >> (right & 63), 1);
	u32 shift = left + right;

	// quotient = a / b * 2^shift
	if (shift >= 32)
		return shift - 32 > 63 ? 0 : quotient >> ((shift - 32) & 63);
	shift = 32 - shift;
	return bits(quotient) + shift > 64 ? MOST : quotient << (shift & 63);
}
