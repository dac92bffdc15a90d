// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// Theta-PowerTCP in the kernel: crates/cc/src/theta_powertcp.rs.
//
// For those who watch, the signal is the smoothed power times tau, the target tau.
#include "power.h"

#define NAME "plim_theta"
#define ASKS_FOR WRITES_MAX_HOP

enum cadence {
	EVERY_ROUND = 0,
	EVERY_ACK = 1,
	ROUND_SAMPLE = 2,
};

// The order of src/constants/power.rs.
struct constants {
	struct power_constants power;
	u64 current_floor_q32;
	u64 per_margin_q32;
	u64 smallest_seen;
	u64 cadence;
};

const volatile struct constants constants SEC(".rodata.constants");

struct flow {
	u64 window_q24;
	u64 reference_q24;
	u64 power_q32;
	u64 tau_ns;
	u64 previous_time_ns;
	u64 previous_rtt_ns;
	u64 has_previous;
	struct round round;
	struct seen seen;
};

apart int law_start(struct flow *flow, u64 base_rtt_ns)
{
	struct flow new = {
		.window_q24 = constants.power.start_q24,
		.reference_q24 = constants.power.start_q24,
		.power_q32 = ONE_Q32,
		.tau_ns = constants.power.tau_ns,
	};

	*flow = new;
	return 0;
}

static __always_inline void measure(struct flow *flow, u64 now_ns, u64 rtt_ns)
{
	u64 elapsed = minus(now_ns, flow->previous_time_ns), before = flow->previous_rtt_ns, current, power;

	if (flow->has_previous && elapsed == 0)
		return;
	flow->previous_time_ns = now_ns;
	flow->previous_rtt_ns = rtt_ns;
	if (!flow->has_previous) {
		flow->has_previous = 1;
		return;
	}
	// One and the slope of the round trip time, which may fall faster than time passes.
	current = rtt_ns >= before ? plus(ONE_Q32, quotient_q32(rtt_ns - before, elapsed))
				   : minus(ONE_Q32, quotient_q32(before - rtt_ns, elapsed));
	current = larger(current, constants.current_floor_q32);
	power = scaled(scaled(current, quotient_q32(rtt_ns, flow->tau_ns), 32), constants.per_margin_q32, 32);
	flow->power_q32 = smoothed_q32(flow->power_q32, power, elapsed, flow->tau_ns);
}

apart int law_on_ack(struct flow *flow, const struct event *event)
{
	enum round_event round;

	if (event->rtt_ns == 0)
		return 0;
	round = round_on_ack(&flow->round, event);
	if (constants.smallest_seen)
		flow->tau_ns = smaller(flow->tau_ns, event->rtt_ns);
	if (constants.cadence != ROUND_SAMPLE || round != ROUND_INSIDE)
		measure(flow, event->now_ns, event->rtt_ns);
	if (round == ROUND_CLOSED || (constants.cadence == EVERY_ACK && round == ROUND_INSIDE))
		flow->window_q24 = window_by_power(&constants.power, flow->power_q32, flow->reference_q24,
						   flow->reference_q24);
	if (round == ROUND_CLOSED)
		flow->reference_q24 = flow->window_q24;
	flow->seen.signal_ns = scaled(flow->power_q32, flow->tau_ns, 32);
	flow->seen.target_ns = flow->tau_ns;
	return 0;
}

apart int law_decide(const struct flow *flow, struct decision *decision, u64 mss)
{
	decide_by_window(&constants.power, flow->window_q24, mss, decision);
	return 0;
}

#include "hooks.h"
