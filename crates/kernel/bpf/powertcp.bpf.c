// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// PowerTCP in the kernel: crates/cc/src/powertcp.rs on compact records (crates/wire/src/compact_hop.rs).
//
// Between two records of a port only differences count, so the records themselves are what is remembered; their time
// wraps after 2^24 ns. For those who watch, the signal is the smoothed power times tau, the target tau.
#include "power.h"

#define NAME "plim_powertcp"
#define ASKS_FOR WRITES_RECORDS

#define TIME_BITS 24
#define SENT_BITS 20
#define QUEUE_BITS 17
#define RATES 8
// A connection that has heard nothing for so long starts anew: the records' time may have wrapped.
#define SILENCE_NS 16000000

// The order of src/constants/power.rs.
struct constants {
	struct power_constants power;
	u64 per_eta_q32;
	u64 lambda_floor_q32;
	u64 reference_is_committed;
	u64 first_is_measured;
	u64 every_round;
	// By so many bytes a port may have sent more than its link carries.
	u64 slack;
	u64 sent_unit;
	u64 queue_unit;
	// Bytes per nanosecond of each code.
	u64 rate_q32[RATES];
};

const volatile struct constants constants SEC(".rodata.constants");

struct flow {
	u64 window_q24;
	u64 reference_q24;
	u64 power_q32;
	u64 measured;
	u64 heard_ns;
	u64 hop_count;
	u64 hops[RECORDS];
	struct round round;
	struct seen seen;
};

struct busiest {
	u64 power_q32;
	u64 elapsed_ns;
	u64 found;
	u64 impossible;
};

static __always_inline u64 field(u64 record, u32 at, u32 width)
{
	return record >> at & ((1ULL << width) - 1);
}

// Lines 11 to 19 of Algorithm 1 for one hop, if time passed between its records.
apart int look_at_hop(u64 before, u64 now, struct busiest *busiest)
{
	u64 elapsed = field(field(now, QUEUE_BITS + SENT_BITS, TIME_BITS) -
				    field(before, QUEUE_BITS + SENT_BITS, TIME_BITS), 0, TIME_BITS);
	u64 sent = field(field(now, QUEUE_BITS, SENT_BITS) - field(before, QUEUE_BITS, SENT_BITS), 0, SENT_BITS) *
		   constants.sent_unit;
	u64 queue = field(now, 0, QUEUE_BITS) * constants.queue_unit;
	u64 queue_before = field(before, 0, QUEUE_BITS) * constants.queue_unit;
	u64 rate = constants.rate_q32[now >> 61 & 7], rate_before = constants.rate_q32[before >> 61 & 7];
	u64 arrived = minus(plus(sent, queue), queue_before);
	u64 capacity_q24 = scaled(rate, elapsed, 8), pipe_q24 = scaled(rate, constants.power.tau_ns, 8);
	u64 current, voltage, power;

	if (elapsed == 0)
		return 0;
	current = larger(quotient_q32(smaller(arrived, MOST >> 24) << 24, capacity_q24), constants.lambda_floor_q32);
	voltage = plus(ONE_Q32, quotient_q32(queue << 24, pipe_q24));
	power = scaled(current, voltage, 32);
	if (!busiest->found || power > busiest->power_q32) {
		busiest->power_q32 = power;
		busiest->elapsed_ns = elapsed;
	}
	busiest->found = 1;
	// A link that has become slower may have sent at its old rate.
	busiest->impossible |= minus(sent, constants.slack) > scaled(larger(rate, rate_before), elapsed, 32);
	return 1;
}

apart int law_start(struct flow *flow, u64 base_rtt_ns)
{
	struct flow new = {
		.window_q24 = constants.power.start_q24,
		.reference_q24 = constants.power.start_q24,
		.power_q32 = ONE_Q32,
	};

	*flow = new;
	return 0;
}

// Gives the busiest hop; afterwards the records are those of the ack.
static __always_inline void busiest_of(struct flow *flow, const struct event *event, struct busiest *busiest)
{
	int known = event->record_count == flow->hop_count &&
		    minus(event->now_ns, flow->heard_ns) <= SILENCE_NS;
	int hop;

	for (hop = 0; hop < RECORDS; hop++) {
		u64 before = flow->hops[hop], now = event->records[hop];

		if (hop >= event->record_count)
			break;
		// No rate in no time: the older record stays, so that nothing is missed.
		if (!known || look_at_hop(before, now, busiest))
			flow->hops[hop] = now;
	}
	if (busiest->impossible) {
		for (hop = 0; hop < RECORDS; hop++)
			flow->hops[hop] = event->records[hop];
		busiest->found = 0;
	}
	flow->hop_count = event->record_count;
	flow->heard_ns = event->now_ns;
}

apart int law_on_ack(struct flow *flow, const struct event *event)
{
	struct busiest busiest = {};
	enum round_event round;
	u64 power;

	if (event->telemetry != HOP_RECORDS)
		return 0;
	round = round_on_ack(&flow->round, event);
	if (round == ROUND_INSIDE && constants.every_round)
		return 0;
	busiest_of(flow, event, &busiest);
	if (busiest.found) {
		power = flow->measured || !constants.first_is_measured
			? smoothed_q32(flow->power_q32, busiest.power_q32, busiest.elapsed_ns, constants.power.tau_ns)
			: busiest.power_q32;
		flow->measured = 1;
		flow->power_q32 = power;
		flow->window_q24 = window_by_power(
			&constants.power, scaled(power, constants.per_eta_q32, 32), flow->reference_q24,
			constants.reference_is_committed ? flow->reference_q24 : flow->window_q24);
	}
	if (round == ROUND_CLOSED)
		flow->reference_q24 = flow->window_q24;
	flow->seen.signal_ns = scaled(flow->power_q32, constants.power.tau_ns, 32);
	flow->seen.target_ns = constants.power.tau_ns;
	return 0;
}

apart int law_decide(const struct flow *flow, struct decision *decision, u64 mss)
{
	decide_by_window(&constants.power, flow->window_q24, mss, decision);
	return 0;
}

#include "hooks.h"
