// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// The TCP options that carry telemetry: an experimental kind and a 16-bit identifier (RFC 6994).
//
//   254 | 10 | "PM" | gathered (2) | reflected (2) | switches: gathered (1), reflected (1)
//       crates/wire/src/tcp_max_hop.rs
//   254 | 4 + 8n | "PG" or "PR" | n records (8 each)
//       crates/wire/src/tcp_option.rs; a record of zeros is a free place
#pragma once

#include "kernel.h"

#define OPTION_KIND 254
#define OPTION_BASE 4
#define MAX_HOP_SIZE 10
#define RECORD_SIZE 8
// Beside timestamps there is room for three.
#define GATHERED_RECORDS 3
#define RECORDS_SIZE (OPTION_BASE + GATHERED_RECORDS * RECORD_SIZE)

#define IDENTIFIER_MAX_HOP 0x504D
#define IDENTIFIER_GATHERING 0x5047
#define IDENTIFIER_REFLECTING 0x5052

static __always_inline u16 swapped(u16 x)
{
	return x >> 8 | x << 8;
}

static __always_inline u64 swapped_64(u64 x)
{
	return __builtin_bswap64(x);
}
