// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// Where things are in a frame: Ethernet, IPv4, TCP.
#pragma once

#include "kernel.h"

#define ETHERNET 14
#define PROTOCOL_TCP 6
#define FLAG_SYN 0x02
#define FLAG_RST 0x04
#define FLAG_ACK 0x10
#define FLAG_ECE 0x40

struct segment {
	u32 source;
	u32 destination;
	u16 source_port;
	u16 destination_port;
	// Where the TCP header begins, and how long it is.
	u32 tcp;
	u32 tcp_length;
	u8 flags;
	// The two bits of ECN in the IP header.
	u8 ecn;
};

// What the frame will have on the wire. One that the card is to cut into segments has their headers only once; the kernel
// counts the others too, but not for frames that a test hands over.
static __always_inline u32 wire_length(const struct __sk_buff *skb)
{
	u32 on_wire = skb->wire_len, here = skb->len;

	return on_wire > here ? on_wire : here;
}

// Reads a frame's headers; whether it is a whole TCP segment over IPv4.
static __always_inline int read_segment(struct __sk_buff *skb, struct segment *segment)
{
	u8 ip[20], tcp[20], type[2];
	u32 length;

	if (bpf_skb_load_bytes(skb, 12, type, 2) || type[0] != 8 || type[1] != 0)
		return 0;
	if (bpf_skb_load_bytes(skb, ETHERNET, ip, sizeof(ip)))
		return 0;
	length = (ip[0] & 15) * 4;
	// Version 4, a header of at least its size, and no fragment.
	if (ip[0] >> 4 != 4 || length < 20 || ip[9] != PROTOCOL_TCP || (ip[6] & 0x3F) || ip[7])
		return 0;
	segment->tcp = ETHERNET + length;
	if (bpf_skb_load_bytes(skb, segment->tcp, tcp, sizeof(tcp)))
		return 0;
	segment->tcp_length = (tcp[12] >> 4) * 4;
	if (segment->tcp_length < 20)
		return 0;
	segment->source = (u32)ip[12] << 24 | ip[13] << 16 | ip[14] << 8 | ip[15];
	segment->destination = (u32)ip[16] << 24 | ip[17] << 16 | ip[18] << 8 | ip[19];
	segment->source_port = tcp[0] << 8 | tcp[1];
	segment->destination_port = tcp[2] << 8 | tcp[3];
	segment->flags = tcp[13];
	segment->ecn = ip[1] & 3;
	return 1;
}

// Changes two bytes at an even place of the TCP header, and the checksum with them. Both as they lie in memory.
static __always_inline void replace_in_tcp(struct __sk_buff *skb, const struct segment *segment, u32 at, u16 old, u16 new)
{
	if (old == new)
		return;
	bpf_l4_csum_replace(skb, segment->tcp + 16, old, new, sizeof(new));
	bpf_skb_store_bytes(skb, segment->tcp + at, &new, sizeof(new), 0);
}
