// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// RPM at a network device: crates/cc/src/rpm.rs on TCP segments. Data leaves by the device, acks come in by it; what
// would be marked is echoed by the next ack instead.
#include "frame.h"
#include "port.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

// The order of src/switch.rs.
struct rpm {
	u64 slots;
	u64 most_owed;
	u64 patience;
	u64 seed;
};

const volatile struct rpm rpm SEC(".rodata.rpm");

// As `Slot` in Rust.
struct slot {
	u16 owed;
	u8 trust;
	u8 unused;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, struct slot);
} slots SEC(".maps");

static __always_inline u64 mix(u64 bits)
{
	bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ULL;
	bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBULL;
	return bits ^ (bits >> 31);
}

// The slot of a flow with this five-tuple.
of_numbers u32 slot_of(u32 source, u32 destination, u32 ports)
{
	u64 hash = mix(rpm.seed + 0x9E3779B97F4A7C15ULL);

	// Each address in two halves; IPv4's upper is zero.
	hash = mix(mix(hash ^ source));
	hash = mix(mix(hash ^ destination));
	hash = mix(hash ^ (ports | (u64)PROTOCOL_TCP << 32));
	return multiply(hash, rpm.slots).high;
}

static __always_inline struct slot *slot(u32 source, u32 destination, u16 source_port, u16 destination_port)
{
	u32 number = slot_of(source, destination, (u32)source_port << 16 | destination_port);

	return bpf_map_lookup_elem(&slots, &number);
}

enum way {
	BACK,
	FORWARD,
};

// Congestion was found: the slot owes one mark more, unless its acks take another way.
static __always_inline enum way owe(struct slot *slot)
{
	if (rpm.patience) {
		if (!slot->trust)
			return FORWARD;
		slot->trust--;
	}
	slot->owed = smaller(slot->owed + 1ULL, rpm.most_owed);
	return BACK;
}

SEC("tcx/egress")
int rpm_data(struct __sk_buff *skb)
{
	struct port *here = the_port();
	struct passage passage = {};
	struct segment segment;
	struct slot *found;

	if (!here)
		return PASS_ON;
	pass(here, wire_length(skb), &passage);
	if (passage.dropped)
		return DROP;
	if (passage.wait_ns <= link.mark_above_ns || !read_segment(skb, &segment) || !segment.ecn)
		return PASS_ON;
	found = slot(segment.source, segment.destination, segment.source_port, segment.destination_port);
	if (found && owe(found) == BACK)
		return PASS_ON;
	bpf_skb_ecn_set_ce(skb);
	return PASS_ON;
}

SEC("tcx/ingress")
int rpm_acks(struct __sk_buff *skb)
{
	struct port *here = the_port();
	struct segment segment;
	struct slot *found;
	u8 flags[2];

	if (!here || !read_segment(skb, &segment) || !(segment.flags & FLAG_ACK))
		return PASS_ON;
	// In a handshake the flag means something else.
	if (segment.flags & (FLAG_SYN | FLAG_RST))
		return PASS_ON;
	found = slot(segment.destination, segment.source, segment.destination_port, segment.source_port);
	if (!found)
		return PASS_ON;
	found->trust = rpm.patience;
	if (!found->owed)
		return PASS_ON;
	found->owed--;
	if (bpf_skb_load_bytes(skb, segment.tcp + 12, flags, 2))
		return PASS_ON;
	replace_in_tcp(skb, &segment, 12, flags[0] | flags[1] << 8, flags[0] | (flags[1] | FLAG_ECE) << 8);
	__sync_fetch_and_add(&here->marked, 1);
	return PASS_ON;
}
