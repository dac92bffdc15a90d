// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// What passes between the program that reads and writes TCP options and the laws: one entry per connection.
#pragma once

#include "kernel.h"

#define RECORDS 4

// What a connection writes: bits.
#define WRITES_MAX_HOP 1
#define WRITES_RECORDS 2

struct telemetry {
	// How many reflections have been read. A law sees by it whether the ack in hand brought one.
	u64 arrived;
	// Records that the last ack brought of the way there, and those that the last data brought, to send back.
	u64 records[RECORDS];
	u64 gathered_records[RECORDS];
	// Longest waits in units of 256 ns: reflected, of the way there; and the last segment's own, to send back.
	u16 forward;
	u16 gathered;
	// How many switches wrote those.
	u8 forward_hops;
	u8 gathered_hops;
	u8 record_count;
	u8 writes;
	u8 reflects_records;
	// Whether the gathered records have not been sent back yet.
	u8 fresh;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct telemetry);
} telemetry SEC(".maps");
