-- Teaches Wireshark and tshark what `plimsoll export pcapng` writes: the telemetry of switches, the
-- transport's data packets and acks, and HOMA's packets. The layouts are those of crates/wire.
--
--   tshark -X lua_script:docs/plimsoll.lua -r incast.pcapng
--
-- Receivers' ports tell which telemetry travels in front of the header: 50000 none, 50001 Poseidon's longest
-- wait, 50002 HPCC's compact records, 50003 exact records; 50004 is HOMA's.

local FIRST_PORT = 50000
local NONE, MAX_HOP_DELAY, COMPACT_HOPS, EXACT_HOPS = 0, 1, 2, 3
local ROOM_FOR_HOPS = 5
local KINDS = { [0] = "none", "max-hop delay", "compact records", "exact records" }
local RATES = { [0] = 25, 50, 100, 200, 400, 10, 800, 1600 }

local plimsoll = Proto("plimsoll", "Plimsoll transport")
local f = plimsoll.fields

f.type = ProtoField.uint8("plimsoll.type", "Type", base.DEC, { "data", "ack" }, 0x0F)
f.version = ProtoField.uint8("plimsoll.version", "Version", base.DEC, nil, 0xF0)
f.checksum = ProtoField.uint32("plimsoll.checksum", "CRC-32C", base.HEX)
f.connection = ProtoField.uint32("plimsoll.connection", "Connection")
f.packet = ProtoField.uint64("plimsoll.packet", "Packet number")

f.length = ProtoField.uint16("plimsoll.length", "Payload length")
f.offset = ProtoField.uint64("plimsoll.offset", "Stream offset")
f.message = ProtoField.uint64("plimsoll.message", "Message")
f.sent_at = ProtoField.uint64("plimsoll.sent_at", "Sent at (ps)")
f.reduced = ProtoField.bool("plimsoll.window_reduced", "Window reduced", 8, nil, 0x01)
f.ends_message = ProtoField.bool("plimsoll.end_of_message", "End of message", 8, nil, 0x02)
f.ends_stream = ProtoField.bool("plimsoll.end_of_stream", "End of stream", 8, nil, 0x04)
f.repeated = ProtoField.bool("plimsoll.retransmission", "Retransmission", 8, nil, 0x08)
f.circuit = ProtoField.bool("plimsoll.circuit_up", "Circuit up", 8, nil, 0x10)

f.echo = ProtoField.bool("plimsoll.echo", "Congestion echoed", 8, nil, 0x01)
f.refused = ProtoField.bool("plimsoll.refused", "Refused", 8, nil, 0x02)
f.ack_circuit = ProtoField.bool("plimsoll.echoed_circuit_up", "Circuit was up", 8, nil, 0x04)
f.ranges = ProtoField.uint8("plimsoll.ranges", "Ranges", base.DEC, nil, 0xF0)
f.kind = ProtoField.uint8("plimsoll.telemetry", "Reflected telemetry", base.DEC, KINDS, 0x0F)
f.hops = ProtoField.uint8("plimsoll.hops", "Switches passed by the data")
f.expected = ProtoField.uint64("plimsoll.next_expected", "Next byte expected")
f.echoed_sent_at = ProtoField.uint64("plimsoll.echoed_sent_at", "Sending time echoed (ps)")
f.receiver_delay = ProtoField.uint64("plimsoll.receiver_delay", "Receiver's delay (ps)")
f.marked_bytes = ProtoField.uint64("plimsoll.marked_bytes", "Bytes marked")
f.marked_packets = ProtoField.uint64("plimsoll.marked_packets", "Packets marked")
f.received_packets = ProtoField.uint64("plimsoll.received_packets", "Packets received")
f.range_start = ProtoField.uint64("plimsoll.range.start", "Range from")
f.range_end = ProtoField.uint64("plimsoll.range.end", "Range to")

f.delay = ProtoField.uint16("plimsoll.max_hop_delay", "Longest wait (256 ns)")
f.reflected_delay = ProtoField.uint16("plimsoll.reflected_delay", "Longest wait of the data (256 ns)")
f.hop_count = ProtoField.uint16("plimsoll.hop_count", "Records")
f.hop_time = ProtoField.uint64("plimsoll.hop.time", "Time (compact: ns, 24 bits; exact: ps)")
f.hop_sent = ProtoField.uint64("plimsoll.hop.sent", "Sent (compact: units of 128 B × INT multiple; exact: B)")
f.hop_queue = ProtoField.uint64("plimsoll.hop.queue", "Queue (compact: units of 80 B × INT multiple; exact: B)")
f.hop_rate = ProtoField.uint64("plimsoll.hop.rate", "Link rate (bit/s)")

local function bits(value, shift, count)
    return value:rshift(shift):band(UInt64(2 ^ count - 1))
end

-- The records of a stack that begins here; gives the bytes that they and their count take.
local function hops(buffer, tree, kind)
    local count = buffer(0, 2):uint()
    local size = kind == COMPACT_HOPS and 8 or 32
    tree:add(f.hop_count, buffer(0, 2))
    for hop = 0, math.min(count, ROOM_FOR_HOPS) - 1 do
        local record = buffer(2 + hop * size, size)
        local branch = tree:add(plimsoll, record, "Hop " .. hop + 1)
        if kind == COMPACT_HOPS then
            local all = record:uint64()
            branch:add(f.hop_time, record, bits(all, 37, 24))
            branch:add(f.hop_sent, record, bits(all, 17, 20))
            branch:add(f.hop_queue, record, bits(all, 0, 17))
            branch:add(f.hop_rate, record, UInt64(RATES[bits(all, 61, 3):tonumber()]) * UInt64(1000000000))
        else
            branch:add(f.hop_time, record(0, 8))
            branch:add(f.hop_sent, record(8, 8))
            branch:add(f.hop_queue, record(16, 8))
            branch:add(f.hop_rate, record(24, 8))
        end
    end
    return 2 + count * size
end

local function data(buffer, tree)
    for _, flag in ipairs({ f.reduced, f.ends_message, f.ends_stream, f.repeated, f.circuit }) do
        tree:add(flag, buffer(1, 1))
    end
    tree:add(f.length, buffer(2, 2))
    tree:add(f.checksum, buffer(4, 4))
    tree:add(f.connection, buffer(8, 4))
    tree:add(f.packet, buffer(12, 8))
    tree:add(f.offset, buffer(20, 8))
    tree:add(f.message, buffer(28, 8))
    tree:add(f.sent_at, buffer(36, 8))
    return string.format(
        "data: connection %u, packet %s, %u bytes at %s",
        buffer(8, 4):uint(), buffer(12, 8):uint64(), buffer(2, 2):uint(), buffer(20, 8):uint64()
    )
end

local function ack(buffer, tree)
    for _, flag in ipairs({ f.echo, f.refused, f.ack_circuit }) do
        tree:add(flag, buffer(1, 1))
    end
    tree:add(f.ranges, buffer(2, 1))
    tree:add(f.kind, buffer(2, 1))
    tree:add(f.hops, buffer(3, 1))
    tree:add(f.checksum, buffer(4, 4))
    tree:add(f.connection, buffer(8, 4))
    tree:add(f.packet, buffer(12, 8))
    tree:add(f.expected, buffer(20, 8))
    tree:add(f.echoed_sent_at, buffer(28, 8))
    tree:add(f.receiver_delay, buffer(36, 8))
    tree:add(f.marked_bytes, buffer(44, 8))
    tree:add(f.marked_packets, buffer(52, 8))
    tree:add(f.received_packets, buffer(60, 8))
    local at = 68
    for _ = 1, bit.rshift(buffer(2, 1):uint(), 4) do
        tree:add(f.range_start, buffer(at, 8))
        tree:add(f.range_end, buffer(at + 8, 8))
        at = at + 16
    end
    local kind = bit.band(buffer(2, 1):uint(), 0x0F)
    if kind == MAX_HOP_DELAY then
        tree:add(f.reflected_delay, buffer(at, 2))
    elseif kind ~= NONE then
        hops(buffer(at):tvb(), tree, kind)
    end
    local refused = bit.band(buffer(1, 1):uint(), 0x02) ~= 0 and "refuses" or "ack:"
    return string.format(
        "%s connection %u, packet %s, next expected %s",
        refused, buffer(8, 4):uint(), buffer(12, 8):uint64(), buffer(20, 8):uint64()
    )
end

function plimsoll.dissector(buffer, info, root)
    info.cols.protocol = "Plimsoll"
    local to_receiver = info.dst_port >= FIRST_PORT and info.dst_port <= FIRST_PORT + EXACT_HOPS
    local kind = (to_receiver and info.dst_port or info.src_port) - FIRST_PORT
    local tree = root:add(plimsoll, buffer())
    local front = 0
    if kind == MAX_HOP_DELAY then
        tree:add(f.delay, buffer(0, 2))
        front = 2
    elseif to_receiver and kind ~= NONE then
        hops(buffer, tree, kind)
        front = 2 + ROOM_FOR_HOPS * (kind == COMPACT_HOPS and 8 or 32)
    end
    local packet = buffer(front):tvb()
    tree:add(f.version, packet(0, 1))
    tree:add(f.type, packet(0, 1))
    local is_data = bit.band(packet(0, 1):uint(), 0x0F) == 1
    info.cols.info = is_data and data(packet, tree) or ack(packet, tree)
end

for kind = NONE, EXACT_HOPS do
    DissectorTable.get("udp.port"):add(FIRST_PORT + kind, plimsoll)
end

local HOMA_PORT = FIRST_PORT + 4
local HOMA_KINDS = { "data", "grant", "resend", "busy", "probe", "done", "unknown" }
local HOMA_DATA, HOMA_GRANT, HOMA_RESEND, HOMA_PROBE = 1, 2, 3, 5

local homa = Proto("plimsoll_homa", "Plimsoll HOMA")
local h = homa.fields

h.kind = ProtoField.uint8("plimsoll_homa.kind", "Kind", base.DEC, HOMA_KINDS, 0x0F)
h.version = ProtoField.uint8("plimsoll_homa.version", "Version", base.DEC, nil, 0xF0)
h.repeated = ProtoField.bool("plimsoll_homa.retransmission", "Retransmission", 8, nil, 0x01)
h.length = ProtoField.uint16("plimsoll_homa.length", "Payload length")
h.checksum = ProtoField.uint32("plimsoll_homa.checksum", "CRC-32C", base.HEX)
h.message = ProtoField.uint64("plimsoll_homa.message", "Message")
h.offset = ProtoField.uint64("plimsoll_homa.offset", "Payload begins at")
h.total = ProtoField.uint64("plimsoll_homa.total", "Bytes of the message")
h.granted = ProtoField.uint64("plimsoll_homa.granted", "Granted up to")
h.missing_from = ProtoField.uint64("plimsoll_homa.missing.from", "Missing from")
h.missing_to = ProtoField.uint64("plimsoll_homa.missing.to", "Missing to")
h.level = ProtoField.uint8("plimsoll_homa.level", "Level at which to send")

function homa.dissector(buffer, info, root)
    info.cols.protocol = "HOMA"
    local tree = root:add(homa, buffer())
    local kind = bit.band(buffer(0, 1):uint(), 0x0F)
    local message, from, to = buffer(8, 8), buffer(16, 8), buffer(24, 8)
    tree:add(h.version, buffer(0, 1))
    tree:add(h.kind, buffer(0, 1))
    tree:add(h.checksum, buffer(4, 4))
    tree:add(h.message, message)
    local text = string.format("%s: message %s", HOMA_KINDS[kind] or "?", message:uint64())
    if kind == HOMA_DATA then
        tree:add(h.repeated, buffer(1, 1))
        tree:add(h.length, buffer(2, 2))
        tree:add(h.offset, from)
        tree:add(h.total, to)
        text = string.format("%s, %u bytes at %s of %s", text, buffer(2, 2):uint(), from:uint64(), to:uint64())
    elseif kind == HOMA_GRANT then
        tree:add(h.granted, to)
        tree:add(h.level, buffer(32, 1))
        text = string.format("%s, up to %s at level %u", text, to:uint64(), buffer(32, 1):uint())
    elseif kind == HOMA_RESEND then
        tree:add(h.missing_from, from)
        tree:add(h.missing_to, to)
        tree:add(h.level, buffer(32, 1))
        text = string.format("%s, %s to %s at level %u", text, from:uint64(), to:uint64(), buffer(32, 1):uint())
    elseif kind == HOMA_PROBE then
        tree:add(h.total, to)
        text = string.format("%s of %s bytes", text, to:uint64())
    end
    info.cols.info = text
end

DissectorTable.get("udp.port"):add(HOMA_PORT, homa)
