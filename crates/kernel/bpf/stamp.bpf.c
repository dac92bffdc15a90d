// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// A switch that writes telemetry: at the exit of a network device, into the options of passing TCP segments.
#include "frame.h"
#include "options.h"
#include "port.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define OPTION_SPACE 40
#define END_OF_LIST 0
#define NO_OPERATION 1
#define WAIT_SHIFT 8
#define RATE_AT 61
#define TIME_AT 37
#define SENT_AT 17
#define SENT_UNIT 128
#define QUEUE_UNIT 80

struct options {
	// One more than there can be, so that every place that the search can reach is there.
	u8 bytes[OPTION_SPACE + 40];
	u32 length;
};

static __always_inline int read_options(struct __sk_buff *skb, const struct segment *segment, struct options *options)
{
	u32 length = segment->tcp_length - 20;

	if (length < OPTION_BASE || length > OPTION_SPACE)
		return 0;
	options->length = length;
	return bpf_skb_load_bytes(skb, segment->tcp + 20, options->bytes, length) == 0;
}

// The place of our option among the others, or OPTION_SPACE if it is not there.
apart u32 find_option(const struct options *options)
{
	u32 at = 0, step;

	for (step = 0; step < OPTION_SPACE; step++) {
		u32 place = at < OPTION_SPACE ? at : OPTION_SPACE;
		u8 kind = options->bytes[place], length = options->bytes[place + 1];
		u16 identifier = options->bytes[place + 2] << 8 | options->bytes[place + 3];

		if (at + OPTION_BASE > options->length || kind == END_OF_LIST)
			break;
		if (kind == NO_OPERATION) {
			at++;
			continue;
		}
		if (length < 2 || at + length > options->length)
			break;
		if (kind == OPTION_KIND && (identifier == IDENTIFIER_MAX_HOP || identifier == IDENTIFIER_GATHERING))
			return at;
		at += length;
	}
	return OPTION_SPACE;
}

static __always_inline u16 word_at(const struct options *options, u32 at)
{
	return options->bytes[at] | options->bytes[at + 1] << 8;
}

// The larger of what the packet says and its wait here, and one switch more.
static __always_inline void stamp_max_hop(struct __sk_buff *skb, const struct segment *segment, const struct options *options,
				 u32 at, const struct passage *passage)
{
	u16 before = swapped(word_at(options, at + 4)), hops = word_at(options, at + 8);
	u64 wait = smaller(passage->wait_ns >> WAIT_SHIFT, 0xFFFF);
	// The low byte of the word in memory is the first on the wire.
	u16 more = (hops & 0xFF) == 0xFF ? hops : hops + 1;

	replace_in_tcp(skb, segment, 20 + at + 4, swapped(before), swapped(larger(before, wait)));
	replace_in_tcp(skb, segment, 20 + at + 8, hops, more);
}

// A compact record of this port in the first free place, if there is one.
static __always_inline void stamp_record(struct __sk_buff *skb, const struct segment *segment, const struct options *options,
				u32 at, const struct passage *passage)
{
	u64 backlog = quotient_q32(passage->wait_ns, link.ns_per_byte_q32);
	u64 queue = smaller(scaled(backlog, link.scale_q32, 32) / QUEUE_UNIT, (1 << SENT_AT) - 1);
	u64 sent = scaled(passage->sent, link.scale_q32, 32) / SENT_UNIT;
	u64 record = link.rate_code << RATE_AT | (passage->leaves_ns & 0xFFFFFF) << TIME_AT |
		     (sent & 0xFFFFF) << SENT_AT | queue;
	u32 slot, part;

	// Zeros are a free place: a record is never all zeros.
	record = swapped_64(record ? record : 1);
	for (slot = 0; slot < GATHERED_RECORDS; slot++) {
		u32 place = at + OPTION_BASE + slot * RECORD_SIZE;
		u64 there = 0;

		for (part = 0; part < 4; part++)
			there |= word_at(options, place + part * 2);
		if (there)
			continue;
		for (part = 0; part < 4; part++)
			replace_in_tcp(skb, segment, 20 + place + part * 2, 0, record >> (16 * part));
		return;
	}
}

SEC("tcx/egress")
int stamp(struct __sk_buff *skb)
{
	struct port *here = the_port();
	struct options options = {};
	struct passage passage = {};
	struct segment segment;
	u32 at;

	if (!here)
		return PASS_ON;
	pass(here, wire_length(skb), &passage);
	if (passage.dropped)
		return DROP;
	if (!read_segment(skb, &segment) || !read_options(skb, &segment, &options))
		return PASS_ON;
	at = find_option(&options);
	// The checksum counts pairs of bytes; nobody who writes our options puts them at an odd place.
	if (at >= OPTION_SPACE || at & 1)
		return PASS_ON;
	if (options.bytes[at + 3] == (IDENTIFIER_MAX_HOP & 0xFF) && options.bytes[at + 1] == MAX_HOP_SIZE)
		stamp_max_hop(skb, &segment, &options, at, &passage);
	else if (options.bytes[at + 3] == (IDENTIFIER_GATHERING & 0xFF) && options.bytes[at + 1] == RECORDS_SIZE)
		stamp_record(skb, &segment, &options, at, &passage);
	else
		return PASS_ON;
	__sync_fetch_and_add(&here->stamped, 1);
	return PASS_ON;
}
