// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// Telemetry in TCP options, for the connections of all processes: those that use one of our laws ask for it, and
// whoever hears such a question answers. A peer without this program does not know the options and passes them over.
#include "options.h"
#include "telemetry.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define LEVEL_TCP 6
#define OPTION_CONGESTION 13

enum user {
	NOT_OURS,
	OURS,
	OURS_WITH_RECORDS,
};

// Whether the connection has one of our laws: "plim_...", and PowerTCP wants records.
static __always_inline enum user user_of(struct bpf_sock_ops *ops)
{
	char name[16] = {};

	if (bpf_getsockopt(ops, LEVEL_TCP, OPTION_CONGESTION, name, sizeof(name)) < 0)
		return NOT_OURS;
	if (name[0] != 'p' || name[1] != 'l' || name[2] != 'i' || name[3] != 'm' || name[4] != '_')
		return NOT_OURS;
	return name[5] == 'p' && name[6] == 'o' && name[7] == 'w' ? OURS_WITH_RECORDS : OURS;
}

static __always_inline struct telemetry *storage(struct bpf_sock_ops *ops, u64 flags)
{
	struct bpf_sock *sk = ops->sk;

	return sk ? bpf_sk_storage_get(&telemetry, sk, 0, flags) : 0;
}

static __always_inline void start_writing(struct bpf_sock_ops *ops)
{
	bpf_sock_ops_cb_flags_set(ops, ops->bpf_sock_ops_cb_flags | BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG |
					       BPF_SOCK_OPS_PARSE_UNKNOWN_HDR_OPT_CB_FLAG);
}

static __always_inline void established(struct bpf_sock_ops *ops)
{
	enum user user = user_of(ops);
	struct telemetry *known;

	// Others only listen, and only to segments with options that the kernel does not know.
	if (user == NOT_OURS) {
		bpf_sock_ops_cb_flags_set(ops, ops->bpf_sock_ops_cb_flags |
						       BPF_SOCK_OPS_PARSE_UNKNOWN_HDR_OPT_CB_FLAG);
		return;
	}
	known = storage(ops, BPF_SK_STORAGE_GET_F_CREATE);
	if (!known)
		return;
	known->writes |= user == OURS_WITH_RECORDS ? WRITES_RECORDS : WRITES_MAX_HOP;
	start_writing(ops);
}

// Reads an option of this identifier into the buffer; gives its length, or less than one.
static __always_inline int read_option(struct bpf_sock_ops *ops, u16 identifier, u8 *buffer, u32 size)
{
	buffer[0] = OPTION_KIND;
	buffer[1] = OPTION_BASE;
	buffer[2] = identifier >> 8;
	buffer[3] = identifier & 0xFF;
	return bpf_load_hdr_opt(ops, buffer, size, 0);
}

static __always_inline u16 two_bytes(const u8 *at)
{
	return at[0] << 8 | at[1];
}

static __always_inline u64 eight_bytes(const u8 *at)
{
	return (u64)two_bytes(at) << 48 | (u64)two_bytes(at + 2) << 32 | (u64)two_bytes(at + 4) << 16 |
	       two_bytes(at + 6);
}

static __always_inline void hear_max_hop(struct bpf_sock_ops *ops)
{
	u8 option[MAX_HOP_SIZE] = {};
	struct telemetry *known;

	if (read_option(ops, IDENTIFIER_MAX_HOP, option, sizeof(option)) != MAX_HOP_SIZE)
		return;
	known = storage(ops, BPF_SK_STORAGE_GET_F_CREATE);
	if (!known)
		return;
	known->gathered = two_bytes(option + 4);
	known->forward = two_bytes(option + 6);
	known->gathered_hops = option[8];
	known->forward_hops = option[9];
	known->record_count = 0;
	known->arrived++;
	if (!(known->writes & WRITES_MAX_HOP)) {
		known->writes |= WRITES_MAX_HOP;
		start_writing(ops);
	}
}

// Data that gathered records: they are kept for the next acks.
static __always_inline void hear_gathered(struct bpf_sock_ops *ops)
{
	u8 option[RECORDS_SIZE] = {};
	struct telemetry *known;
	u32 record;

	if (read_option(ops, IDENTIFIER_GATHERING, option, sizeof(option)) != RECORDS_SIZE)
		return;
	known = storage(ops, BPF_SK_STORAGE_GET_F_CREATE);
	if (!known)
		return;
	for (record = 0; record < GATHERED_RECORDS; record++)
		known->gathered_records[record] = eight_bytes(option + OPTION_BASE + record * RECORD_SIZE);
	known->fresh = 1;
	if (!known->reflects_records) {
		known->reflects_records = 1;
		start_writing(ops);
	}
}

static __always_inline void hear_reflected(struct bpf_sock_ops *ops)
{
	u8 option[RECORDS_SIZE] = {};
	struct telemetry *known;
	u32 record;

	if (read_option(ops, IDENTIFIER_REFLECTING, option, sizeof(option)) != RECORDS_SIZE)
		return;
	known = storage(ops, 0);
	if (!known)
		return;
	known->record_count = 0;
	for (record = 0; record < GATHERED_RECORDS; record++) {
		u64 value = eight_bytes(option + OPTION_BASE + record * RECORD_SIZE);

		known->records[record] = value;
		known->record_count += value != 0;
	}
	known->arrived++;
}

static __always_inline void reserve(struct bpf_sock_ops *ops)
{
	struct telemetry *known = storage(ops, 0);

	if (!known)
		return;
	if (known->writes & WRITES_RECORDS || known->reflects_records)
		bpf_reserve_hdr_opt(ops, RECORDS_SIZE, 0);
	else if (known->writes & WRITES_MAX_HOP)
		bpf_reserve_hdr_opt(ops, MAX_HOP_SIZE, 0);
}

static __always_inline void put_record(u8 *at, u64 record)
{
	int byte;

	for (byte = 0; byte < RECORD_SIZE; byte++)
		at[byte] = record >> (56 - 8 * byte);
}

// A connection with our law gathers, one that only hears reflects. There is room for one of both: if the law is at both
// ends, what has just come goes back first, and a segment for which nothing has come gathers.
static __always_inline void write_records(struct bpf_sock_ops *ops, struct telemetry *known)
{
	u8 option[RECORDS_SIZE] = {OPTION_KIND, RECORDS_SIZE, IDENTIFIER_GATHERING >> 8,
				   IDENTIFIER_GATHERING & 0xFF};
	u32 record;

	if (known->reflects_records && (known->fresh || !(known->writes & WRITES_RECORDS))) {
		known->fresh = 0;
		option[2] = IDENTIFIER_REFLECTING >> 8;
		option[3] = IDENTIFIER_REFLECTING & 0xFF;
		for (record = 0; record < GATHERED_RECORDS; record++)
			put_record(option + OPTION_BASE + record * RECORD_SIZE, known->gathered_records[record]);
	}
	bpf_store_hdr_opt(ops, option, sizeof(option), 0);
}

static __always_inline void write_max_hop(struct bpf_sock_ops *ops, struct telemetry *known)
{
	u8 option[MAX_HOP_SIZE] = {OPTION_KIND,
				   MAX_HOP_SIZE,
				   IDENTIFIER_MAX_HOP >> 8,
				   IDENTIFIER_MAX_HOP & 0xFF,
				   0,
				   0,
				   known->gathered >> 8,
				   known->gathered & 0xFF,
				   0,
				   known->gathered_hops};

	bpf_store_hdr_opt(ops, option, sizeof(option), 0);
}

static __always_inline void write(struct bpf_sock_ops *ops)
{
	struct telemetry *known = storage(ops, 0);

	if (!known)
		return;
	if (known->writes & WRITES_RECORDS || known->reflects_records)
		write_records(ops, known);
	else if (known->writes & WRITES_MAX_HOP)
		write_max_hop(ops, known);
}

SEC("sockops")
int telemetry_options(struct bpf_sock_ops *ops)
{
	switch (ops->op) {
	case BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB:
	case BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB:
		established(ops);
		break;
	case BPF_SOCK_OPS_PARSE_HDR_OPT_CB:
		hear_max_hop(ops);
		hear_gathered(ops);
		hear_reflected(ops);
		break;
	case BPF_SOCK_OPS_HDR_OPT_LEN_CB:
		reserve(ops);
		break;
	case BPF_SOCK_OPS_WRITE_HDR_OPT_CB:
		write(ops);
		break;
	}
	return 1;
}
