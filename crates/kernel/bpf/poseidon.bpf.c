// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// Poseidon in the kernel: crates/cc/src/poseidon.rs with its curves as tables.
//
//   T = target[log2(rtt / cwnd)]     the gap between packets is one over the rate
//   U = ratio[T - delay]
//
// Times are in picoseconds where they meet the tables, as in the Rust law.
#include "packets.h"

#define NAME "plim_poseidon"
#define ASKS_FOR WRITES_MAX_HOP

#define TARGET_POINTS 1025
#define RATIO_STEPS 1024

enum signal {
	SIGNAL_MAX_HOP_DELAY = 0,
	SIGNAL_ROUND_TRIP = 1,
	SIGNAL_BROWNFIELD = 2,
};

// The order of src/constants/poseidon.rs.
struct constants {
	u64 signal;
	u64 start_q32;
	u64 min_q32;
	u64 max_q32;
	u64 least_factor_q32;
	u64 retx_reset;
	// Bytes of a full packet, headers included.
	u64 mtu;
	u64 card_bytes_per_second;
	u64 pace_always;
	// log2 of the gap between packets, in picoseconds, of the fastest flow that the target knows; and from there to
	// the slowest.
	s64 fastest_gap_log2_q32;
	s64 span_log2_q32;
	// Additive increase per round trip, or zero if it is adaptive.
	u64 additive_q32;
	// T - delay at the first point of the ratio's table, and points per picosecond times 2^60.
	s64 first_distance_ps;
	u64 last_distance_from_first_ps;
	u64 points_per_ps_q60;
	// T, in picoseconds, at every 16th of an octave of the gap.
	u64 target[TARGET_POINTS];
	// U.
	u64 ratio_q32[RATIO_STEPS + 2];
};

const volatile struct constants constants SEC(".rodata.constants");

struct flow {
	u64 cwnd_q32;
	u64 rtt_ns;
	u64 last_decrease_ns;
	u64 has_decreased;
	u64 retransmits;
	struct seen seen;
};

static __always_inline u64 target_ps(u64 rtt_ns, u64 cwnd_q32)
{
	s64 gap = log2_q32(smaller(rtt_ns, 1ULL << 50) * 1000) - log2_q32(cwnd_q32) + (32LL << 32);
	s64 above = gap - constants.fastest_gap_log2_q32;
	s64 span = constants.span_log2_q32;
	u32 entry;

	// A round trip of zero is simply the fastest flow.
	above = above < 0 || rtt_ns == 0 ? 0 : above;
	above = above > span ? span : above;
	entry = (u64)above >> 28;
	entry = entry > TARGET_POINTS - 2 ? TARGET_POINTS - 2 : entry;
	return between(constants.target[entry], constants.target[entry + 1], (u64)above >> 8 & 0xFFFFF);
}

static __always_inline u64 ratio_q32(u64 target, u64 delay)
{
	s64 from_first = (s64)(target - delay) - constants.first_distance_ps;
	u64 place;
	u32 entry;

	// Beyond the ends the ratio is at its bounds.
	from_first = from_first < 0 ? 0 : from_first;
	place = scaled(smaller(from_first, constants.last_distance_from_first_ps), constants.points_per_ps_q60, 40);
	entry = place >> 20;
	entry = entry > RATIO_STEPS ? RATIO_STEPS : entry;
	return between(constants.ratio_q32[entry], constants.ratio_q32[entry + 1], place & 0xFFFFF);
}

static __always_inline u64 delay_ns(const struct event *event)
{
	u64 queueing = minus(event->rtt_ns, event->base_rtt_ns);
	u64 rest = minus(minus(queueing, event->forward_ns), event->reverse_ns);

	if (constants.signal == SIGNAL_ROUND_TRIP || event->telemetry != MAX_HOP_DELAY)
		return queueing;
	if (constants.signal == SIGNAL_MAX_HOP_DELAY)
		return event->forward_ns;
	return larger(event->forward_ns, rest);
}

static __always_inline int can_decrease(const struct flow *flow, u64 now_ns)
{
	return !flow->has_decreased || minus(now_ns, flow->last_decrease_ns) > flow->rtt_ns;
}

#include "losses.h"

apart int law_on_ack(struct flow *flow, const struct event *event)
{
	u64 delay = smaller(delay_ns(event), 1ULL << 40), target, ratio, before = flow->cwnd_q32, step, cwnd;

	flow->rtt_ns = event->rtt_ns;
	if (event->acked)
		flow->retransmits = 0;
	// Without its signal the law waits for an ack that brings it.
	if (constants.signal == SIGNAL_MAX_HOP_DELAY && event->telemetry != MAX_HOP_DELAY)
		return 0;
	target = target_ps(event->rtt_ns, before);
	ratio = ratio_q32(target, delay * 1000);
	if (constants.additive_q32)
		step = quotient_q32(scaled(constants.additive_q32 << 1, event->acked, 1), larger(before, ONE_Q32));
	else
		step = scaled(minus(ratio, ONE_Q32) << 1, event->acked, 1);
	cwnd = before;
	if (delay * 1000 <= target)
		cwnd = smaller(plus(before, step), constants.max_q32);
	else if (can_decrease(flow, event->now_ns))
		cwnd = larger(scaled(before, ratio, 32), constants.min_q32);
	if (cwnd < before) {
		flow->last_decrease_ns = event->now_ns;
		flow->has_decreased = 1;
	}
	flow->cwnd_q32 = cwnd;
	flow->seen.signal_ns = delay;
	flow->seen.target_ns = target / 1000;
	return 0;
}

#include "hooks.h"
