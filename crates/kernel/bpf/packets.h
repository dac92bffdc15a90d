// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// For laws whose windows are packets.
#pragma once

#include "law.h"
#include "tables.h"

// One packet every rtt / cwnd, in bytes per second, at most what the card can and at least one.
of_numbers u64 pace_of_window(u64 cwnd_q32, u64 rtt_ns, u64 mtu, u64 most)
{
	// cwnd * mtu / rtt * 2^48, in bytes per nanosecond.
	u64 pace = quotient_q32(scaled(cwnd_q32, mtu, 16), larger(rtt_ns, 1));

	return larger(smaller(scaled(pace, 1000000000ULL, 48), most), 1);
}
