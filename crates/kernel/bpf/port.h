// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// A port of a switch made of a network device: the queue that a link of some rate would have, reckoned and not kept.
// A packet's wait is known when it joins a FIFO queue, so what is reckoned at the entry is what a real queue would show
// at the exit. Packets are not held back: there is no queueing discipline here that could do so exactly.
#pragma once

#include "fixed.h"

// What a program at a device answers: the next one decides, or the packet goes no farther.
#define PASS_ON (-1)
#define DROP 2

// What the loader says of the link.
struct link {
	// Nanoseconds that a byte takes.
	u64 ns_per_byte_q32;
	// The longest wait; what would wait longer is dropped. MOST: none is.
	u64 longest_wait_ns;
	// In a record: the code of a rate, and by which factor bytes are multiplied so that they are that rate's.
	u64 rate_code;
	u64 scale_q32;
	// From which wait on packets are marked.
	u64 mark_above_ns;
	// A clock for tests; zero: the machine's.
	u64 clock_ns;
};

const volatile struct link link SEC(".rodata.link");

struct port {
	struct bpf_spin_lock lock;
	u32 unused;
	// When the link has sent everything.
	u64 free_ns;
	u64 sent;
	u64 packets;
	u64 dropped;
	u64 stamped;
	u64 marked;
	u64 longest_wait_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct port);
} port SEC(".maps");

struct passage {
	u64 wait_ns;
	u64 leaves_ns;
	// Bytes that the port has sent before this packet leaves.
	u64 sent;
	int dropped;
};

static __always_inline struct port *the_port(void)
{
	u32 only = 0;

	return bpf_map_lookup_elem(&port, &only);
}

// A packet of so many bytes joins the queue.
static __always_inline void pass(struct port *port, u32 length, struct passage *passage)
{
	u64 now = link.clock_ns ? link.clock_ns : bpf_ktime_get_ns();
	u64 takes = length * link.ns_per_byte_q32 >> 32;

	bpf_spin_lock(&port->lock);
	passage->wait_ns = minus(port->free_ns, now);
	passage->sent = port->sent;
	passage->dropped = passage->wait_ns > link.longest_wait_ns;
	passage->leaves_ns = now + passage->wait_ns;
	port->packets++;
	if (passage->dropped) {
		port->dropped++;
	} else {
		port->free_ns = passage->leaves_ns + takes;
		port->sent += length;
		port->longest_wait_ns = larger(port->longest_wait_ns, passage->wait_ns);
	}
	bpf_spin_unlock(&port->lock);
}
