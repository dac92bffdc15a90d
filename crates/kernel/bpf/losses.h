// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// What Poseidon and Swift have in common: how they begin, fall, answer losses and pace. The including law has defined
// "struct flow" and "constants", in packets, and "can_decrease".
#pragma once

static __always_inline void decrease(struct flow *flow, u64 now_ns, u64 factor_q32)
{
	u64 before = flow->cwnd_q32;

	flow->cwnd_q32 = larger(scaled(before, factor_q32, 32), constants.min_q32);
	if (flow->cwnd_q32 < before) {
		flow->last_decrease_ns = now_ns;
		flow->has_decreased = 1;
	}
}

apart int law_start(struct flow *flow, u64 base_rtt_ns)
{
	struct flow new = {.cwnd_q32 = constants.start_q32, .rtt_ns = base_rtt_ns};

	*flow = new;
	return 0;
}

apart int law_on_loss(struct flow *flow, u64 now_ns)
{
	flow->retransmits = 0;
	if (can_decrease(flow, now_ns))
		decrease(flow, now_ns, constants.least_factor_q32);
	return 0;
}

apart int law_on_timeout(struct flow *flow, u64 now_ns)
{
	flow->retransmits++;
	if (flow->retransmits >= constants.retx_reset)
		decrease(flow, now_ns, 0);
	else if (can_decrease(flow, now_ns))
		decrease(flow, now_ns, constants.least_factor_q32);
	return 0;
}

apart int law_decide(const struct flow *flow, struct decision *decision, u64 mss)
{
	decision->window_q32 = flow->cwnd_q32;
	decision->pace = constants.pace_always || flow->cwnd_q32 < ONE_Q32
		? pace_of_window(flow->cwnd_q32, flow->rtt_ns, constants.mtu, constants.card_bytes_per_second)
		: MOST;
	return 0;
}
