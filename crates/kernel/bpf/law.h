// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// What a law is told and what it answers. Each law is one file, which includes this one first and "hooks.h" last, and
// defines in between:
//
//   NAME                                          as sockets name it, at most 15 characters
//   ASKS_FOR                                      which telemetry it wants: WRITES_MAX_HOP or WRITES_RECORDS
//   struct flow                                   what it remembers of a connection
//   law_start, law_on_ack, law_on_loss, law_on_timeout    the events of crates/cc, with the same rules
//   law_decide                                    window and pace
//
// The numbers and tables in "constants" are made from the Rust law when the program is loaded
// (src/constants/), so that its parameters and curves stand in one place.
#pragma once

#include "fixed.h"
#include "telemetry.h"


enum telemetry_kind {
	NO_TELEMETRY = 0,
	MAX_HOP_DELAY = 1,
	HOP_RECORDS = 2,
};

struct event {
	u64 now_ns;
	u64 rtt_ns;
	// The smallest round trip of the connection.
	u64 base_rtt_ns;
	// In packets.
	u64 acked;
	// Positions in the stream.
	u64 acked_to;
	u64 sent_to;
	// What switches said, an enum telemetry_kind.
	u64 telemetry;
	u64 forward_ns;
	u64 reverse_ns;
	u64 record_count;
	// As in crates/wire/src/compact_hop.rs, in the order of this machine.
	u64 records[RECORDS];
};

struct decision {
	// In packets.
	u64 window_q32;
	// Bytes per second; MOST: as fast as acks and the card allow.
	u64 pace;
};

// What was last held against what, for people who watch.
struct seen {
	u64 signal_ns;
	u64 target_ns;
};
