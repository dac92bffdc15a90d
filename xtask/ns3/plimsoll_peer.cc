// The other side of `cargo xtask bench-ns3`: the flows of a file through ns-3's TCP with DCTCP, over a
// dumbbell or a leaf-spine network, as like Plimsoll's model as ns-3 lets it be.
//
// Where both could differ, this program follows Plimsoll:
//   - switches mark a packet when it leaves its queue and more than K bytes stay behind it;
//   - hosts send acks before data, and connections take turns, packet by packet;
//   - every packet is acked; there are no delayed acks and no TCP timestamps;
//   - no more than a fixed window is ever outstanding: without it, a flow that its own card holds back would
//     fill the card's queue with a window that grows without bound (Linux has "small queues" against that);
//   - a flow's connection is opened a little before the flow begins, so that no handshake is in its
//     completion time, which ends with the ack of its last byte.
//
// Flows are read one per line: source host, destination host, bytes, start in nanoseconds. One line per flow
// is written, in the same order: completion time in nanoseconds, -1 if it did not complete. Standard output
// is one line of JSON.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <chrono>
#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

const uint16_t SERVER_PORT = 5000;
/// How long before its first byte a flow's connection is opened.
const Time LEAD = MilliSeconds(1);
/// Nothing is ever dropped: queues hold what comes.
const char* const ENDLESS = "1000000p";

uint64_t g_packetHops = 0;

void
CountHop(Ptr<const Packet>)
{
    ++g_packetHops;
}

} // namespace

/// A FIFO that marks a packet as it leaves if more than a threshold of bytes stays behind.
class StepQueueDisc : public QueueDisc
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("plimsoll::StepQueueDisc")
                                .SetParent<QueueDisc>()
                                .AddConstructor<StepQueueDisc>();
        return tid;
    }

    StepQueueDisc()
        : QueueDisc(QueueDiscSizePolicy::SINGLE_INTERNAL_QUEUE)
    {
    }

    void SetThreshold(uint32_t bytes)
    {
        m_threshold = bytes;
    }

  private:
    bool DoEnqueue(Ptr<QueueDiscItem> item) override
    {
        return GetInternalQueue(0)->Enqueue(item);
    }

    Ptr<QueueDiscItem> DoDequeue() override
    {
        Ptr<QueueDiscItem> item = GetInternalQueue(0)->Dequeue();
        if (item && GetInternalQueue(0)->GetNBytes() > m_threshold)
        {
            Mark(item, "queue above the threshold");
        }
        return item;
    }

    bool CheckConfig() override
    {
        if (GetNInternalQueues() == 0)
        {
            AddInternalQueue(CreateObjectWithAttributes<DropTailQueue<QueueDiscItem>>(
                "MaxSize", QueueSizeValue(QueueSize(ENDLESS))));
        }
        return true;
    }

    void InitializeParams() override
    {
    }

    uint32_t m_threshold = 0;
};

/// The card of a host: acks first, then connections in turn.
class CardQueueDisc : public QueueDisc
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("plimsoll::CardQueueDisc")
                                .SetParent<QueueDisc>()
                                .AddConstructor<CardQueueDisc>();
        return tid;
    }

    CardQueueDisc()
        : QueueDisc(QueueDiscSizePolicy::NO_LIMITS)
    {
    }

  private:
    bool DoEnqueue(Ptr<QueueDiscItem> item) override
    {
        TcpHeader header;
        item->GetPacket()->PeekHeader(header);
        if (item->GetPacket()->GetSize() == header.GetSerializedSize())
        {
            m_acks.push_back(item);
            return true;
        }
        // Clients' ports tell a host's connections apart.
        std::deque<Ptr<QueueDiscItem>>& line = m_lines[header.GetSourcePort()];
        if (line.empty())
        {
            m_turns.push_back(header.GetSourcePort());
        }
        line.push_back(item);
        return true;
    }

    Ptr<QueueDiscItem> DoDequeue() override
    {
        Ptr<QueueDiscItem> item;
        if (!m_acks.empty())
        {
            item = m_acks.front();
            m_acks.pop_front();
        }
        else if (!m_turns.empty())
        {
            uint16_t port = m_turns.front();
            m_turns.pop_front();
            auto line = m_lines.find(port);
            item = line->second.front();
            line->second.pop_front();
            if (line->second.empty())
            {
                m_lines.erase(line);
            }
            else
            {
                m_turns.push_back(port);
            }
        }
        return item;
    }

    Ptr<const QueueDiscItem> DoPeek() override
    {
        if (!m_acks.empty())
        {
            return m_acks.front();
        }
        return m_turns.empty() ? nullptr : m_lines[m_turns.front()].front();
    }

    bool CheckConfig() override
    {
        return true;
    }

    void InitializeParams() override
    {
    }

    std::deque<Ptr<QueueDiscItem>> m_acks;
    std::map<uint16_t, std::deque<Ptr<QueueDiscItem>>> m_lines;
    std::deque<uint16_t> m_turns;
};

NS_OBJECT_ENSURE_REGISTERED(StepQueueDisc);
NS_OBJECT_ENSURE_REGISTERED(CardQueueDisc);

namespace
{

struct Flow
{
    uint32_t from = 0;
    uint32_t to = 0;
    uint32_t bytes = 0;
    int64_t start = 0;
    int64_t completion = -1;
    Ptr<Socket> socket;
};

std::vector<Flow> g_flows;
std::vector<Ipv4Address> g_addresses;
NodeContainer g_hosts;
size_t g_completed = 0;

void
Acked(size_t index, SequenceNumber32, SequenceNumber32 now)
{
    Flow& flow = g_flows[index];
    // The first byte has number 1: the handshake took number 0.
    if (flow.completion >= 0 || now.GetValue() < flow.bytes + 1)
    {
        return;
    }
    flow.completion = Simulator::Now().GetNanoSeconds() - LEAD.GetNanoSeconds() - flow.start;
    Simulator::ScheduleNow(&Socket::Close, flow.socket);
    if (++g_completed == g_flows.size())
    {
        Simulator::Stop();
    }
}

void
Open(size_t index)
{
    Flow& flow = g_flows[index];
    flow.socket = Socket::CreateSocket(g_hosts.Get(flow.from), TcpSocketFactory::GetTypeId());
    flow.socket->Bind();
    flow.socket->TraceConnectWithoutContext("HighestRxAck", MakeBoundCallback(&Acked, index));
    flow.socket->Connect(InetSocketAddress(g_addresses[flow.to], SERVER_PORT));
}

void
Begin(size_t index)
{
    Flow& flow = g_flows[index];
    flow.socket->Send(Create<Packet>(flow.bytes));
}

void
Drain(Ptr<Socket> socket)
{
    while (Ptr<Packet> packet = socket->Recv())
    {
        if (packet->GetSize() == 0)
        {
            break;
        }
    }
}

void
Closed(Ptr<Socket> socket)
{
    socket->Close();
}

void
Accepted(Ptr<Socket> socket, const Address&)
{
    socket->SetRecvCallback(MakeCallback(&Drain));
    socket->SetCloseCallbacks(MakeCallback(&Closed), MakeCallback(&Closed));
}

struct Network
{
    std::string delay;
    uint32_t markPerTenGigabit = 0;
    uint32_t subnets = 0;

    /// Joins two nodes; gives the addresses at both ends. The first may be a host.
    Ipv4InterfaceContainer Join(Ptr<Node> a, Ptr<Node> b, uint64_t gbps, bool hostFirst)
    {
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(gbps * 1000000000)));
        link.SetChannelAttribute("Delay", StringValue(delay));
        // What waits, waits in the queue discipline, which marks; a device needs one packet in hand.
        link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1p"));
        NetDeviceContainer devices = link.Install(a, b);
        for (uint32_t end = 0; end < 2; ++end)
        {
            devices.Get(end)->TraceConnectWithoutContext("PhyRxEnd", MakeCallback(&CountHop));
            TrafficControlHelper control;
            if (hostFirst && end == 0)
            {
                control.SetRootQueueDisc("plimsoll::CardQueueDisc");
                control.Install(devices.Get(end));
            }
            else
            {
                control.SetRootQueueDisc("plimsoll::StepQueueDisc");
                Ptr<QueueDisc> queue = control.Install(devices.Get(end)).Get(0);
                DynamicCast<StepQueueDisc>(queue)->SetThreshold(markPerTenGigabit * gbps / 10);
            }
        }
        Ipv4AddressHelper address;
        uint32_t net = 0x0A000000 | subnets++ << 2;
        address.SetBase(Ipv4Address(net), Ipv4Mask("255.255.255.252"));
        return address.Assign(devices);
    }
};

/// A route of one node to one host.
void
Route(Ptr<Node> node, uint32_t host, Ptr<Node> next, Ipv4Address gateway)
{
    Ipv4StaticRoutingHelper helper;
    Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
    for (uint32_t device = 0; device < node->GetNDevices(); ++device)
    {
        Ptr<Channel> channel = node->GetDevice(device)->GetChannel();
        if (!channel)
        {
            continue;
        }
        for (size_t end = 0; end < channel->GetNDevices(); ++end)
        {
            if (channel->GetDevice(end)->GetNode() == next && next != node)
            {
                int32_t interface = ipv4->GetInterfaceForDevice(node->GetDevice(device));
                helper.GetStaticRouting(ipv4)->AddHostRouteTo(g_addresses[host], gateway, interface);
                return;
            }
        }
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string topology = "dumbbell";
    std::string flowFile;
    std::string resultFile;
    std::string delay = "1us";
    uint32_t hosts = 8;
    uint32_t leaves = 4;
    uint32_t spines = 2;
    uint64_t hostGbps = 10;
    uint64_t coreGbps = 10;
    uint32_t mss = 1000;
    uint32_t mark = 30000;
    uint32_t window = 128000;
    CommandLine arguments;
    arguments.AddValue("topology", "dumbbell or leaf-spine", topology);
    arguments.AddValue("flows", "file with a flow per line: from to bytes start_ns", flowFile);
    arguments.AddValue("results", "file for a completion time per line, ns", resultFile);
    arguments.AddValue("hosts", "hosts per switch of the edge", hosts);
    arguments.AddValue("leaves", "leaves (leaf-spine)", leaves);
    arguments.AddValue("spines", "spines (leaf-spine)", spines);
    arguments.AddValue("host-gbps", "rate of hosts' links", hostGbps);
    arguments.AddValue("core-gbps", "rate of links between switches", coreGbps);
    arguments.AddValue("delay", "delay of every link", delay);
    arguments.AddValue("mss", "payload of a full packet", mss);
    arguments.AddValue("mark", "marking threshold, bytes per 10 Gb/s", mark);
    arguments.AddValue("window", "receive window, bytes", window);
    arguments.Parse(argc, argv);

    std::ifstream input(flowFile);
    Flow read;
    while (input >> read.from >> read.to >> read.bytes >> read.start)
    {
        g_flows.push_back(read);
    }
    if (g_flows.empty())
    {
        std::cerr << "no flow could be read from " << flowFile << std::endl;
        return 2;
    }

    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpDctcp::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(mss));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::TcpNoDelay", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 30));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(10)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(NanoSeconds(1)));
    Config::SetDefault("ns3::TcpSocketBase::MaxSegLifetime", DoubleValue(0.001));

    bool dumbbell = topology == "dumbbell";
    uint32_t edges = dumbbell ? 2 : leaves;
    NodeContainer edge;
    NodeContainer core;
    g_hosts.Create(edges * hosts);
    edge.Create(edges);
    core.Create(dumbbell ? 0 : spines);
    InternetStackHelper stack;
    Ipv4StaticRoutingHelper routing;
    stack.SetRoutingHelper(routing);
    stack.Install(g_hosts);
    stack.Install(edge);
    stack.Install(core);

    Network network;
    network.delay = delay;
    network.markPerTenGigabit = mark;
    for (uint32_t host = 0; host < g_hosts.GetN(); ++host)
    {
        Ptr<Node> leaf = edge.Get(host / hosts);
        Ipv4InterfaceContainer ends = network.Join(g_hosts.Get(host), leaf, hostGbps, true);
        g_addresses.push_back(ends.GetAddress(0));
        Ptr<Ipv4> ipv4 = g_hosts.Get(host)->GetObject<Ipv4>();
        routing.GetStaticRouting(ipv4)->SetDefaultRoute(ends.GetAddress(1), 1);
    }
    if (dumbbell)
    {
        Ipv4InterfaceContainer ends = network.Join(edge.Get(0), edge.Get(1), coreGbps, false);
        for (uint32_t host = 0; host < g_hosts.GetN(); ++host)
        {
            uint32_t far = 1 - host / hosts;
            Route(edge.Get(far), host, edge.Get(1 - far), ends.GetAddress(1 - far));
        }
    }
    for (uint32_t spine = 0; spine < core.GetN(); ++spine)
    {
        for (uint32_t leaf = 0; leaf < edges; ++leaf)
        {
            Ipv4InterfaceContainer ends = network.Join(edge.Get(leaf), core.Get(spine), coreGbps, false);
            for (uint32_t host = 0; host < g_hosts.GetN(); ++host)
            {
                if (host / hosts == leaf)
                {
                    Route(core.Get(spine), host, edge.Get(leaf), ends.GetAddress(0));
                }
                else if (host % spines == spine)
                {
                    // ns-3 spreads no flows by hash; the receiver chooses the spine.
                    Route(edge.Get(leaf), host, core.Get(spine), ends.GetAddress(1));
                }
            }
        }
    }

    std::vector<Ptr<Socket>> servers;
    for (uint32_t host = 0; host < g_hosts.GetN(); ++host)
    {
        Ptr<Socket> server = Socket::CreateSocket(g_hosts.Get(host), TcpSocketFactory::GetTypeId());
        server->Bind(InetSocketAddress(Ipv4Address::GetAny(), SERVER_PORT));
        server->Listen();
        server->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeCallback(&Accepted));
        servers.push_back(server);
    }
    for (size_t index = 0; index < g_flows.size(); ++index)
    {
        Time open = NanoSeconds(g_flows[index].start);
        Simulator::Schedule(open, &Open, index);
        Simulator::Schedule(open + LEAD, &Begin, index);
    }

    // A flow that never completes must not keep everybody waiting.
    Simulator::Stop(NanoSeconds(g_flows.back().start) + Seconds(10));
    auto began = std::chrono::steady_clock::now();
    Simulator::Run();
    std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;

    std::ofstream results(resultFile);
    for (const Flow& flow : g_flows)
    {
        results << flow.completion << "\n";
    }
    results.close();
    std::cout << "{\"packet_hops\":" << g_packetHops << ",\"wall_seconds\":" << wall.count()
              << ",\"events\":" << Simulator::GetEventCount() << ",\"completed\":" << g_completed
              << ",\"flows\":" << g_flows.size() << "}" << std::endl;
    Simulator::Destroy();
    return results ? 0 : 1;
}
