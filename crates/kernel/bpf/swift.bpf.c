// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// Swift in the kernel: crates/cc/src/swift.rs with its curves as tables.
//
//   t = target[log2(cwnd)]
//   factor = decrease[log2(d / t)]
#include "packets.h"

#define NAME "plim_swift"
#define ASKS_FOR WRITES_MAX_HOP

#define TARGET_POINTS 1601
#define DECREASE_POINTS 1025

// The order of src/constants/swift.rs.
struct constants {
	u64 start_q32;
	u64 min_q32;
	u64 max_q32;
	u64 ai_q32;
	// What the largest decrease leaves.
	u64 least_factor_q32;
	u64 retx_reset;
	u64 mtu;
	u64 card_bytes_per_second;
	u64 pace_always;
	// log2 of the smallest window, where the table of targets begins.
	s64 min_log2_q32;
	// t, in picoseconds, at every 32nd of an octave of the window.
	u64 target[TARGET_POINTS];
	// What is left of the window, at every 64th of an octave of d / t.
	u64 decrease_q32[DECREASE_POINTS];
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

static __always_inline u64 target_ps(u64 cwnd_q32)
{
	s64 above = log2_q32(cwnd_q32) - (32LL << 32) - constants.min_log2_q32;
	u32 entry;

	above = above < 0 ? 0 : above;
	entry = (u64)above >> 27;
	entry = entry > TARGET_POINTS - 2 ? TARGET_POINTS - 2 : entry;
	return between(constants.target[entry], constants.target[entry + 1], (u64)above >> 7 & 0xFFFFF);
}

static __always_inline u64 factor_q32(u64 delay_ps, u64 target)
{
	s64 above = log2_q32(delay_ps) - log2_q32(target);
	u32 entry;

	above = above < 0 ? 0 : above;
	entry = (u64)above >> 26;
	entry = entry > DECREASE_POINTS - 2 ? DECREASE_POINTS - 2 : entry;
	return between(constants.decrease_q32[entry], constants.decrease_q32[entry + 1], (u64)above >> 6 & 0xFFFFF);
}

static __always_inline int can_decrease(const struct flow *flow, u64 now_ns)
{
	return !flow->has_decreased || minus(now_ns, flow->last_decrease_ns) >= flow->rtt_ns;
}

#include "losses.h"

apart int law_on_ack(struct flow *flow, const struct event *event)
{
	u64 delay = smaller(event->rtt_ns, 1ULL << 40) * 1000, target = target_ps(flow->cwnd_q32);
	u64 added = scaled(constants.ai_q32 << 1, event->acked, 1);

	flow->rtt_ns = event->rtt_ns;
	if (event->acked)
		flow->retransmits = 0;
	if (delay < target)
		flow->cwnd_q32 = smaller(plus(flow->cwnd_q32, quotient_q32(added, larger(flow->cwnd_q32, ONE_Q32))),
					 constants.max_q32);
	else if (can_decrease(flow, event->now_ns))
		decrease(flow, event->now_ns, factor_q32(delay, target));
	flow->seen.signal_ns = delay / 1000;
	flow->seen.target_ns = target / 1000;
	return 0;
}

#include "hooks.h"
