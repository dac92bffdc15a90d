// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// What our programs see of the running kernel.
//
// Only the fields that are used stand here, in no particular order: the loader moves each access to where the running
// kernel has the field (preserve_access_index), so no header of a particular kernel is needed to build.
#pragma once

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "fields of packets are put together for machines whose first byte is the lowest"
#endif

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

#define AS_THE_KERNEL_HAS_IT __attribute__((preserve_access_index))
// A function of plain numbers, which the verifier checks once and for any arguments, not on every path of every caller.
#define of_numbers __attribute__((noinline))
// A function that gets pointers: not inlined, but checked with its callers.
#define apart static __attribute__((noinline, unused))

struct in6_addr {
	u8 bytes[16];
};

struct sock_common {
	u32 skc_daddr;
	u32 skc_rcv_saddr;
	u16 skc_dport;
	u16 skc_num;
	u16 skc_family;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
} AS_THE_KERNEL_HAS_IT;

struct sock {
	struct sock_common __sk_common;
	unsigned long sk_pacing_rate;
	unsigned long sk_max_pacing_rate;
	u32 sk_pacing_status;
} AS_THE_KERNEL_HAS_IT;

struct inet_sock {
	struct sock sk;
} AS_THE_KERNEL_HAS_IT;

struct inet_connection_sock {
	struct inet_sock icsk_inet;
} AS_THE_KERNEL_HAS_IT;

struct minmax_sample {
	u32 t;
	u32 v;
} AS_THE_KERNEL_HAS_IT;

struct minmax {
	struct minmax_sample s[3];
} AS_THE_KERNEL_HAS_IT;

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u64 tcp_mstamp;
	struct minmax rtt_min;
	u64 bytes_acked;
	u32 snd_una;
	u32 snd_nxt;
	u32 snd_cwnd;
	u32 snd_cwnd_clamp;
	u32 snd_ssthresh;
	u32 mss_cache;
} AS_THE_KERNEL_HAS_IT;

struct rate_sample {
	long rtt_us;
	u32 acked_sacked;
	_Bool is_ack_delayed;
} AS_THE_KERNEL_HAS_IT;

// Of this one the loader reads the names of the fields, and their types not at all.
struct tcp_congestion_ops {
	char name[16];
	u32 flags;
	void (*init)(struct sock *sk);
	u32 (*ssthresh)(struct sock *sk);
	u32 (*undo_cwnd)(struct sock *sk);
	void (*set_state)(struct sock *sk, u8 new_state);
	void (*cong_control)(struct sock *sk, u32 ack, int flag, const struct rate_sample *sample);
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
} AS_THE_KERNEL_HAS_IT;

struct bpf_iter__bpf_sk_storage_map {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
	struct sock *sk;
	void *value;
} AS_THE_KERNEL_HAS_IT;
