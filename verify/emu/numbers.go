package emu

import (
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
)

const wordBytes = 4

// numbers is what the engine needs of its interface generation, looked up
// once. What a generation without rendezvous lacks is 0.
type numbers struct {
	rendezvous bool

	ramBytes   uint32
	callWindow *abi.Memory
	exchange   *abi.Memory

	beatBytes       int
	maxTransfer     uint64 // bytes of a DMA command
	packetPayload   uint64 // bytes, of the hardware's packets
	tagAny          uint32
	moveQueues      int
	moveQueueDepth  int
	putStreamOffset uint32
	largeMessage    int
	putTDESTOffset  uint32
	windows         int
	announcements   int
	notices         int
	openCalls       int

	code    returnCodes
	wake    wakeEvents
	woken   wakeFields
	event   networkEvents
	part    resetParts
	control controlFields
	tdest   tdestFields
	room    []field // by queue
	state   struct{ busy, failed field }
	header  headerFields
	message messageTypes
	comm    commWords
	rx      rxWords

	operandKind [8]operandKind
	resultKind  [8]resultKind
	stepKind    [4]stepKind

	networkEnable uint32
	session       sessionFields
	status        struct{ waiting, reset field }
	resetCall     struct{ scenario, function uint32 }
	stackField    field
	stacks        map[string]uint32
	streamsField  field
	inspection    inspectionWords
	activity      activityWords
	trace         traceWords
}

type returnCodes struct {
	notReady, decode, size, config, receiveTimeout, sendTimeout uint32
	arithmetic, compression, streamTimeout, segment, mismatch   uint32
}

type wakeEvents struct{ call, move, message, network, rendezvous uint32 }

type wakeFields struct{ taken, reset, tables, operation, atRest field }

type networkEvents struct {
	noBuffer, badPacket, stale, tooLarge, closed, noWindow, noAnnouncement uint32
}

type resetParts struct{ moves, messages, network uint32 }

type controlFields struct {
	op0, op1, result                                          field
	op0Step, op1Step, resultStep                              field
	op0Compressed, op1Compressed, inner, resultForm, wireForm field
	op0Host, op1Host, resultHost, keeps                       field
	queue                                                     field
	messageType, remoteAdvance, remoteHost, notice            field
}

type tdestFields struct{ compressor, decompressor, reduction, kernel field }

type messageTypes struct{ eager, data, announcement, done uint32 }

type sessionFields struct{ session, success, ready field }

// commWords are offsets in bytes in a communicator, and from the start of a
// rank's record.
type commWords struct {
	routeWords
	inbound, outbound uint32
}

// rxWords are offsets in bytes from the start of an rx buffer's record, and
// the states of a buffer.
type rxWords struct {
	recordBytes                    uint32
	status, tag, bytes, src, seq   uint32
	enqueued, reserved, errorState uint32
}

func resolve(d *design.Design) (*numbers, error) {
	g := d.ABI()
	r := &resolver{g: g}
	n := &numbers{rendezvous: g.Features["rendezvous"]}
	n.ramBytes = r.memory("local_ram").Size
	n.callWindow, n.exchange = r.memory("call_window"), r.memory(abi.Exchange)
	n.maxTransfer = uint64(r.field("dma_command", "bytes").mask)
	n.packetPayload = uint64(r.constant("max_packet_bytes") - r.constant("header_bytes"))
	n.beatBytes = int(r.constant(abi.BeatBytes))
	n.tagAny = uint32(r.constant("tag_any"))
	n.moveQueues, n.moveQueueDepth = int(r.constant("move_queues")), int(r.constant("move_queue_depth"))
	n.openCalls, n.notices = int(r.constant("open_calls")), int(r.constant("notices"))
	n.putStreamOffset = uint32(r.constant("put_stream_offset"))
	n.largeMessage = int(r.constant("large_message_bytes"))
	n.putTDESTOffset = uint32(r.constant("put_tdest_offset"))
	n.resolveBits(r)
	n.resolveMoves(r)
	n.resolveNetwork(r)
	n.resolveTables(r)
	n.header = resolveHeader(r, n.rendezvous)
	n.inspection, n.trace, n.activity = r.inspection(n.exchange), r.trace(), r.activity(n.moveQueues)
	return n, r.err()
}

func (n *numbers) resolveBits(r *resolver) {
	code := func(name string) uint32 { return r.bit(abi.ReturnCode, name) }
	n.code = returnCodes{
		notReady: code("NOT_READY"), decode: code("DMA_DECODE"), size: code("DMA_SIZE"), config: code("CONFIG_SWITCH"),
		receiveTimeout: code("RECEIVE_TIMEOUT"), sendTimeout: code("PACK_TIMEOUT_STS"),
		arithmetic: code("ARITH"), compression: code("COMPRESSION"),
		streamTimeout: code("KRNL_TIMEOUT_STS"), segment: code("SEGMENTER_EXPECTED_BTT"),
		mismatch: code("COLLECTIVE_MISMATCH"),
	}
	wake := func(name string) uint32 { return r.bit("wake_event", name) }
	n.wake = wakeEvents{call: wake("call"), move: wake("move"), message: wake("message"), network: wake("network")}
	woken := func(name string) field { return r.field("wake", name) }
	n.woken = wakeFields{woken("taken"), woken("reset_requested"), woken("tables"), woken("operation"), woken("at_rest")}
	event := func(name string) uint32 { return r.bit("network_event", name) }
	n.event = networkEvents{
		noBuffer: event("no_buffer"), badPacket: event("bad_packet"), stale: event("stale"),
		tooLarge: event("too_large"), closed: event("closed"),
	}
	part := func(name string) uint32 { return r.bit("reset_part", name) }
	n.part = resetParts{part("moves"), part("messages"), part("network")}
	n.networkEnable = r.bit("network_control", "enable")
	if n.rendezvous {
		n.wake.rendezvous = wake("rendezvous")
		n.event.noWindow, n.event.noAnnouncement = event("no_window"), event("no_announcement")
	}
}

func (n *numbers) resolveMoves(r *resolver) {
	f := func(name string) field { return r.field("move_control", name) }
	n.control = controlFields{
		op0: f("op0"), op1: f("op1"), result: f("result"),
		op0Step: f("op0_step"), op1Step: f("op1_step"), resultStep: f("result_step"),
		op0Compressed: f("op0_compressed"), op1Compressed: f("op1_compressed"),
		inner: f("inner_compressed"), resultForm: f("result_compressed"), wireForm: f("network_compressed"),
		op0Host: f("op0_host"), op1Host: f("op1_host"), resultHost: f("result_host"), keeps: f("keeps"),
		queue: f("queue"), notice: f("notice"),
	}
	t := func(name string) field { return r.field("move_tdest", name) }
	n.tdest = tdestFields{t("compressor"), t("decompressor"), t("reduction"), t("kernel")}
	set(r, n.operandKind[:], "move_operand", map[string]operandKind{
		"none": operandNone, "memory": operandMemory, "kernel_stream": operandStream, "message": operandMessage,
	})
	set(r, n.resultKind[:], "move_result", map[string]resultKind{
		"none": resultNone, "memory": resultMemory, "kernel_stream": resultStream,
		"network": resultNetwork, "memory_and_network": resultMemoryAndNetwork,
		"kernel_stream_and_network": resultStreamAndNetwork, "apart": resultApart, "beside": resultBeside,
	})
	set(r, n.stepKind[:], "move_step", map[string]stepKind{"repeat": stepRepeat, "advance": stepAdvance,
		"stride": stepStride})
	for _, name := range queueNames("queue_", n.moveQueues) {
		n.room = append(n.room, r.field("move_room", name))
	}
	n.state.busy, n.state.failed = r.field("move_state", "busy"), r.field("move_state", "failed")
	if n.rendezvous {
		n.control.messageType, n.control.remoteAdvance, n.control.remoteHost = f("message_type"), f("remote_advance"),
			f("remote_host")
		set(r, n.operandKind[:], "move_operand", map[string]operandKind{"window": operandWindow})
	}
}

// set fills a table by the codes of an enum.
func set[T any](r *resolver, table []T, enum string, values map[string]T) {
	for name, v := range values {
		code := r.code(enum, name)
		if int(code) >= len(table) {
			r.lack("the value %s of %s below %d", name, enum, len(table))
			continue
		}
		table[code] = v
	}
}

func (n *numbers) resolveNetwork(r *resolver) {
	n.message.eager = r.code("message_type", "eager")
	n.status.waiting = r.field("call_status", "waiting")
	n.status.reset = r.field("call_status", "reset_requested")
	n.resetCall.scenario = r.code("operation", "config")
	n.resetCall.function = r.code(abi.ConfigFunctions, "reset_periph")
	n.stackField = r.field(abi.HardwareID, "stack")
	n.streamsField = r.field(abi.HardwareID, "kernel_streams")
	n.stacks = map[string]uint32{}
	for _, name := range []string{"udp", "tcp", "rdma"} {
		n.stacks[name] = r.code(abi.Stacks, name)
	}
	if r.g.Features["engine_sessions"] {
		f := func(name string) field { return r.field("session_status", name) }
		n.session = sessionFields{f("session"), f("success"), f("ready")}
	}
	if n.rendezvous {
		n.message.data = r.code("message_type", "rendezvous_data")
		n.message.announcement = r.code("message_type", "rendezvous_announcement")
		n.message.done = r.code("message_type", "rendezvous_done")
		n.windows = int(r.constant("rendezvous_windows"))
		n.announcements = int(r.constant("rendezvous_announcements"))
	}
}

func (n *numbers) resolveTables(r *resolver) {
	t := r.table(n.exchange, abi.Communicators)
	n.comm = commWords{r.routeWords(), r.column(t, "inbound_seq"), r.column(t, "outbound_seq")}
	t = r.table(n.exchange, abi.RxBuffers)
	n.rx = rxWords{
		recordBytes: t.RecordBytes(), status: r.column(t, "status"),
		tag: r.column(t, "rx_tag"), bytes: r.column(t, "rx_len"), src: r.column(t, "rx_src"), seq: r.column(t, "seq"),
		enqueued: r.code("rx_status", "enqueued"), reserved: r.code("rx_status", "reserved"),
		errorState: r.code("rx_status", "error"),
	}
}
