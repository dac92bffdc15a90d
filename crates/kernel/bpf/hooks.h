// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// The law of the including file as a Linux TCP congestion control; a list of its connections; and a way to drive it
// without any connection, for tests.

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define CA_RECOVERY 3
#define CA_LOSS 4
#define PACING_NONE 0
#define PACING_NEEDED 1
#define FAMILY_IPV6 10
#define UNIT_NS 256
#define FEWEST 4ULL
#define HELD_BACK_US 40000
#define LEVEL_TCP 6
#define CALLBACK_FLAGS 1008
#define WRITE_AND_READ_OPTIONS (BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG | BPF_SOCK_OPS_PARSE_UNKNOWN_HDR_OPT_CB_FLAG)
#define SECOND_NS 1000000000ULL
// The most that options take of a packet which the kernel still calls full.
#define OPTIONS 40

struct connection {
	struct flow flow;
	struct event last;
	u64 acks;
	u64 losses;
	u64 timeouts;
	// Acks that brought telemetry, and how many had been read by the ack before.
	u64 told;
	u64 arrived;
	u64 acked_to;
	u64 pace;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct connection);
} connections SEC(".maps");

// What the loader says of the network.
struct network {
	// The base round trip of a connection that has measured none yet.
	u64 base_rtt_ns;
};

const volatile struct network network SEC(".rodata.network");

static __always_inline u64 now_ns(const struct tcp_sock *tp)
{
	return tp->tcp_mstamp * 1000;
}

static __always_inline u64 base_rtt_ns(const struct tcp_sock *tp)
{
	u32 smallest = tp->rtt_min.s[0].v;

	return smallest == 0xFFFFFFFF ? network.base_rtt_ns : smallest * 1000ULL;
}

// TCP's receivers wait for a second packet before they ack, up to 40 ms, and TCP sends pairs from a window of four on. So
// at least four packets may be in flight, and a window below that is kept by its pace: the window once per round trip.
static __always_inline void apply(struct sock *sk, struct connection *connection)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	u64 mss = larger(tp->mss_cache, 1), rtt = larger(connection->last.rtt_ns, 1);
	struct decision decision = {};

	law_decide(&connection->flow, &decision, mss);
	if (decision.pace == MOST && decision.window_q32 < FEWEST * ONE_Q32)
		decision.pace = larger(scaled(quotient_q32(scaled(decision.window_q32, mss, 16), rtt), SECOND_NS, 48), 1);
	// At least a packet per second, so that no single wild round trip stops a connection for long; at most what the
	// program that has the socket allows (SO_MAX_PACING_RATE), as for the window.
	decision.pace = smaller(larger(decision.pace, mss), sk->sk_max_pacing_rate);
	connection->pace = decision.pace;
	tp->snd_cwnd = smaller(larger(smaller(decision.window_q32 >> 32, 0x7FFFFFFF), FEWEST), tp->snd_cwnd_clamp);
	sk->sk_pacing_rate = decision.pace;
}

// From now on the connection asks for telemetry, if the program of TCP options is there. Kernels before 6.15 do not take
// this from here; there a connection asks if it has the law when it is established (telemetry.bpf.c).
static __always_inline void ask(struct sock *sk)
{
	struct telemetry *asked = bpf_sk_storage_get(&telemetry, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	int flags = 0;

	if (!asked)
		return;
	asked->writes |= ASKS_FOR;
	bpf_getsockopt(sk, LEVEL_TCP, CALLBACK_FLAGS, &flags, sizeof(flags));
	flags |= WRITE_AND_READ_OPTIONS;
	bpf_setsockopt(sk, LEVEL_TCP, CALLBACK_FLAGS, &flags, sizeof(flags));
}

SEC("struct_ops")
void BPF_PROG(plimsoll_init, struct sock *sk)
{
	struct connection *connection =
		bpf_sk_storage_get(&connections, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);

	// Without memory the connection stays as it is: nothing can be asked of it.
	if (!connection)
		return;
	connection->last.rtt_ns = connection->last.base_rtt_ns = base_rtt_ns((struct tcp_sock *)sk);
	connection->acked_to = ((struct tcp_sock *)sk)->bytes_acked;
	law_start(&connection->flow, connection->last.base_rtt_ns);
	if (sk->sk_pacing_status == PACING_NONE)
		sk->sk_pacing_status = PACING_NEEDED;
	ask(sk);
	apply(sk, connection);
}

// What the ack in hand brought, if it brought anything.
static __always_inline void hear(struct sock *sk, struct connection *connection, struct event *event)
{
	struct telemetry *told = bpf_sk_storage_get(&telemetry, sk, 0, 0);
	int record;

	if (!told || told->arrived == connection->arrived)
		return;
	connection->arrived = told->arrived;
	if (told->record_count) {
		event->telemetry = HOP_RECORDS;
		event->record_count = told->record_count;
		for (record = 0; record < RECORDS; record++)
			event->records[record] = told->records[record];
	} else if (told->forward_hops) {
		event->telemetry = MAX_HOP_DELAY;
		event->forward_ns = told->forward * UNIT_NS;
		event->reverse_ns = told->gathered * UNIT_NS;
	}
	connection->told += event->telemetry != NO_TELEMETRY;
}

SEC("struct_ops")
void BPF_PROG(plimsoll_cong_control, struct sock *sk, u32 ack, int flag, const struct rate_sample *sample)
{
	struct connection *connection = bpf_sk_storage_get(&connections, sk, 0, 0);
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct event event = {};
	u64 acked;

	if (!connection)
		return;
	acked = tp->bytes_acked - connection->acked_to;
	connection->acked_to = tp->bytes_acked;
	// The ack of one packet that was not full, or that came after 40 ms, was held back by the receiver: it says nothing
	// of the network.
	if (sample->rtt_us < 0 || (sample->is_ack_delayed && acked + OPTIONS < tp->mss_cache) ||
	    (sample->acked_sacked <= 1 && sample->rtt_us >= HELD_BACK_US))
		return;
	event.now_ns = now_ns(tp);
	event.rtt_ns = sample->rtt_us * 1000ULL;
	event.base_rtt_ns = base_rtt_ns(tp);
	event.acked = sample->acked_sacked;
	event.acked_to = tp->bytes_acked;
	event.sent_to = tp->bytes_acked + (u32)(tp->snd_nxt - tp->snd_una);
	hear(sk, connection, &event);
	law_on_ack(&connection->flow, &event);
	connection->last = event;
	connection->acks++;
	apply(sk, connection);
}

SEC("struct_ops")
void BPF_PROG(plimsoll_set_state, struct sock *sk, u8 state)
{
	struct connection *connection = bpf_sk_storage_get(&connections, sk, 0, 0);
	u64 now = now_ns((struct tcp_sock *)sk);

	if (!connection || (state != CA_RECOVERY && state != CA_LOSS))
		return;
	if (state == CA_RECOVERY) {
		law_on_loss(&connection->flow, now);
		connection->losses++;
	} else {
		law_on_timeout(&connection->flow, now);
		connection->timeouts++;
	}
	apply(sk, connection);
}

// The law alone decides; neither of these has a say.
SEC("struct_ops")
u32 BPF_PROG(plimsoll_ssthresh, struct sock *sk)
{
	return ((struct tcp_sock *)sk)->snd_ssthresh;
}

SEC("struct_ops")
u32 BPF_PROG(plimsoll_undo_cwnd, struct sock *sk)
{
	return ((struct tcp_sock *)sk)->snd_cwnd;
}

SEC(".struct_ops.link")
struct tcp_congestion_ops congestion_control = {
	.init = (void *)plimsoll_init,
	.ssthresh = (void *)plimsoll_ssthresh,
	.undo_cwnd = (void *)plimsoll_undo_cwnd,
	.set_state = (void *)plimsoll_set_state,
	.cong_control = (void *)plimsoll_cong_control,
	.name = NAME,
};

// A line per connection: src/status.rs reads it.
SEC("iter/bpf_sk_storage_map")
int list_connections(struct bpf_iter__bpf_sk_storage_map *context)
{
	struct seq_file *seq = context->meta->seq;
	struct connection *connection = context->value;
	struct sock *sk = context->sk;
	struct decision decision = {};
	struct tcp_sock *tp;
	u16 there;

	if (!sk || !connection)
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return 0;
	there = sk->__sk_common.skc_dport;
	there = there >> 8 | there << 8;
	if (sk->__sk_common.skc_family == FAMILY_IPV6)
		BPF_SEQ_PRINTF(seq, "%pI6c %d %pI6c %d", &sk->__sk_common.skc_v6_rcv_saddr, sk->__sk_common.skc_num,
			       &sk->__sk_common.skc_v6_daddr, there);
	else
		BPF_SEQ_PRINTF(seq, "%pI4 %d %pI4 %d", &sk->__sk_common.skc_rcv_saddr, sk->__sk_common.skc_num,
			       &sk->__sk_common.skc_daddr, there);
	law_decide(&connection->flow, &decision, larger(tp->mss_cache, 1));
	BPF_SEQ_PRINTF(seq, " %llu %u %llu", decision.window_q32, tp->snd_cwnd, connection->pace);
	BPF_SEQ_PRINTF(seq, " %llu %llu %llu %llu", connection->last.rtt_ns, connection->last.base_rtt_ns,
		       connection->flow.seen.signal_ns, connection->flow.seen.target_ns);
	BPF_SEQ_PRINTF(seq, " %llu %llu %llu %llu\n", connection->acks, connection->told, connection->losses,
		       connection->timeouts);
	return 0;
}

enum occasion {
	START = 0,
	ACK = 1,
	LOSS = 2,
	TIMEOUT = 3,
};

// One event in, one decision out. The order of src/drive.rs.
struct drive {
	u64 occasion;
	u64 mss;
	struct event event;
	struct decision decision;
	struct seen seen;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct flow);
} driven SEC(".maps");

SEC("syscall")
int drive(struct drive *drive)
{
	u32 only = 0;
	struct flow *flow = bpf_map_lookup_elem(&driven, &only);
	struct decision decision = {};
	struct event event;

	if (!flow)
		return 1;
	event = drive->event;
	switch (drive->occasion) {
	case START:
		law_start(flow, event.base_rtt_ns);
		break;
	case ACK:
		law_on_ack(flow, &event);
		break;
	case LOSS:
		law_on_loss(flow, event.now_ns);
		break;
	default:
		law_on_timeout(flow, event.now_ns);
	}
	law_decide(flow, &decision, larger(drive->mss, 1));
	drive->decision = decision;
	drive->seen = flow->seen;
	return 0;
}
