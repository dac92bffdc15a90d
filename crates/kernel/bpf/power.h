// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// What PowerTCP and its form without telemetry share. Windows are in bytes times 2^24, powers are normalised (1: a link
// that is full and has no queue).
#pragma once

#include "law.h"

struct flow;

// The order of src/constants/power.rs.
struct power_constants {
	u64 start_q24;
	u64 low_q24;
	u64 high_q24;
	u64 beta_q24;
	u64 gamma_q32;
	u64 boost_below_q32;
	u64 boost_gamma_q32;
	u64 tau_ns;
	// Round trips per second.
	u64 per_tau_q32;
	u64 card_bytes_per_second;
};

struct round {
	u64 end;
	u64 open;
};

enum round_event {
	ROUND_FIRST,
	ROUND_INSIDE,
	ROUND_CLOSED,
};

static __always_inline enum round_event round_on_ack(struct round *round, const struct event *event)
{
	if (round->open && event->acked_to <= round->end)
		return ROUND_INSIDE;
	round->end = event->sent_to;
	if (round->open)
		return ROUND_CLOSED;
	round->open = 1;
	return ROUND_FIRST;
}

// Old and new power in proportion to the time that the new one covers of tau, at most all.
static __always_inline u64 smoothed_q32(u64 before, u64 measured, u64 elapsed_ns, u64 tau_ns)
{
	u64 share = smaller(quotient_q32(elapsed_ns, tau_ns), ONE_Q32);

	return plus(scaled(before, ONE_Q32 - share, 32), scaled(measured, share, 32));
}

// gamma * (old / power + beta) + (1 - gamma) * kept, within bounds. No power asks for more than any bound.
static __always_inline u64 window_by_power(const volatile struct power_constants *constants, u64 power_q32, u64 old_q24,
				  u64 kept_q24)
{
	u64 gamma = power_q32 <= constants->boost_below_q32 ? constants->boost_gamma_q32 : constants->gamma_q32;
	u64 asked = plus(power_q32 ? quotient_q32(old_q24, power_q32) : MOST, constants->beta_q24);
	u64 window = plus(scaled(asked, gamma, 32), scaled(kept_q24, ONE_Q32 - gamma, 32));

	return smaller(larger(window, constants->low_q24), constants->high_q24);
}

// The window in packets, and window / tau.
static __always_inline void decide_by_window(const volatile struct power_constants *constants, u64 window_q24, u64 mss,
				    struct decision *decision)
{
	u64 pace = scaled(window_q24, constants->per_tau_q32, 56);

	decision->window_q32 = quotient_q32(window_q24, mss << 24);
	decision->pace = larger(smaller(pace, constants->card_bytes_per_second), 1);
}

// The signal alone decides.
apart int law_on_loss(struct flow *flow, u64 now_ns)
{
	return 0;
}

apart int law_on_timeout(struct flow *flow, u64 now_ns)
{
	return 0;
}
