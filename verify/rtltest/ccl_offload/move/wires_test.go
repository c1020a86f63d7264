package moves_test

import (
	"fmt"
	"strings"
)

// wires are what goes in or comes out, by the words that carry them.
type wires struct{ names []string }

func (w *wires) add(format string, a ...any) int {
	w.names = append(w.names, fmt.Sprintf(format, a...))
	return len(w.names) - 1
}

func (w *wires) eachQueue(format string) (at [queues]int) {
	for q := range at {
		at[q] = w.add(format, q)
	}
	return at
}

const queues = 4

var (
	inputs, outputs wires

	inReset           = inputs.add("rst")
	inResetMoves      = inputs.add("reset_moves")
	inTick            = inputs.add("tick_millisecond")
	inLimitCycles     = inputs.add("limit_cycles")
	inRemoteLimit     = inputs.add("remote_milliseconds")
	inNetworkEnable   = inputs.add("network_enable")
	inMoveValid       = inputs.add("move_request.valid")
	inMoveWrite       = inputs.add("move_request.write")
	inMoveAddress     = inputs.add("move_request.address")
	inMoveData        = inputs.add("move_request.wdata")
	inStatusValid     = inputs.add("status_request.valid")
	inStatusWrite     = inputs.add("status_request.write")
	inStatusAddress   = inputs.add("status_request.address")
	inStatusData      = inputs.add("status_request.wdata")
	inPeerDone        = inputs.add("peer_response.done")
	inPeerOK          = inputs.add("peer_response.ok")
	inPeerRecord      = inputs.add("peer_response.record")
	inPeerLocal       = inputs.add("peer_response.local_rank")
	inPeerSession     = inputs.add("peer_response.session")
	inPeerSelf        = inputs.add("peer_response.self")
	inMatchDone       = inputs.eachQueue("match_response_%d.done")
	inMatchFound      = inputs.eachQueue("match_response_%d.found")
	inMatchMismatch   = inputs.eachQueue("match_response_%d.mismatch")
	inMatchBytes      = inputs.eachQueue("match_response_%d.bytes")
	inMatchAddress    = inputs.eachQueue("match_response_%d.address")
	inMatchStored     = inputs.eachQueue("match_response_%d.stored")
	inMatchBuffer     = inputs.eachQueue("match_response_%d.buffer_")
	inPosted          = inputs.eachQueue("match_response_%d.posted")
	inLands           = inputs.eachQueue("match_response_%d.lands")
	inLanded          = inputs.eachQueue("match_response_%d.landed")
	inLandedBytes     = inputs.eachQueue("match_response_%d.landed_bytes")
	inLandedCode      = inputs.eachQueue("match_response_%d.landed_code")
	inWindowDone      = inputs.eachQueue("window_response_%d.done")
	inWindowOK        = inputs.eachQueue("window_response_%d.ok")
	inWindowBytes     = inputs.eachQueue("window_response_%d.bytes")
	inWindowMore      = inputs.eachQueue("window_response_%d.more")
	inWindowHost      = inputs.eachQueue("window_response_%d.host")
	inMessagesChanged = inputs.add("messages_changed")
	inWindowsChanged  = inputs.add("windows_changed")
	inReleaseReady    = inputs.add("channel_release_ready")
	inOpenMask        = inputs.add("open_mask") // by session; the highest one is the engine itself
	inOpenSlot        = inputs.add("packet_open_slot")
	inAbandonReady    = inputs.add("packet_abandon_ready")
	inSliceReady      = inputs.add("slice_ready")
	inRetireValid     = inputs.add("retire.valid")
	inRetireQueue     = inputs.add("retire.queue_")
	inRetireLast      = inputs.add("retire.last")
	inRetireCode      = inputs.add("retire.code")
	inKernelPushed    = inputs.add("kernel_in_pushed")
	inKernelPopped    = inputs.add("kernel_out_popped")
	inFlushing        = inputs.add("data_flushing")

	outIdle           = outputs.add("moves_idle")
	outEvent          = outputs.add("event_move")
	outMoveReady      = outputs.add("move_response.ready")
	outMoveError      = outputs.add("move_response.error")
	outMoveData       = outputs.add("move_response.rdata")
	outStatusReady    = outputs.add("status_response.ready")
	outStatusError    = outputs.add("status_response.error")
	outStatusData     = outputs.add("status_response.rdata")
	outPeerValid      = outputs.add("peer_request.valid")
	outPeerComm       = outputs.add("peer_request.comm")
	outPeerRank       = outputs.add("peer_request.rank")
	outMatchValid     = outputs.eachQueue("match_request_%d.valid")
	outMatchRecord    = outputs.eachQueue("match_request_%d.record")
	outMatchSession   = outputs.eachQueue("match_request_%d.session")
	outMatchRank      = outputs.eachQueue("match_request_%d.rank")
	outMatchContext   = outputs.eachQueue("match_request_%d.context_")
	outMatchTag       = outputs.eachQueue("match_request_%d.tag")
	outMatchNumber    = outputs.eachQueue("match_request_%d.collective.number")
	outMatchCount     = outputs.eachQueue("match_request_%d.collective.count")
	outMatchShape     = outputs.eachQueue("match_request_%d.collective.shape")
	outCancels        = outputs.eachQueue("match_request_%d.cancels")
	outOffered        = outputs.eachQueue("match_request_%d.post.offered")
	outPostHost       = outputs.eachQueue("match_request_%d.post.host")
	outPostAddress    = outputs.eachQueue("match_request_%d.post.address")
	outPostBytes      = outputs.eachQueue("match_request_%d.post.bytes")
	outWindowValid    = outputs.eachQueue("window_request_%d.valid")
	outWindow         = outputs.eachQueue("window_request_%d.window")
	outWindowAddress  = outputs.eachQueue("window_request_%d.address")
	outReleaseValid   = outputs.add("channel_release_valid")
	outReleaseBuffer  = outputs.add("channel_release_buffer")
	outOpenValid      = outputs.add("packet_open_valid")
	outOpenReady      = outputs.add("packet_open_ready")
	outOpenSession    = outputs.add("packet_open.session")
	outOpenSelf       = outputs.add("packet_open.self")
	outOpenHeaded     = outputs.add("packet_open.headed")
	outOpenCounted    = outputs.add("packet_open.counted")
	outOpenNumbered   = outputs.add("packet_open.numbered")
	outOpenWritten    = outputs.add("packet_open.written")
	outOpenRecord     = outputs.add("packet_open.record")
	outOpenBytes      = outputs.add("packet_open.bytes")
	outHeaderCount    = outputs.add("packet_open.header.count")
	outHeaderTag      = outputs.add("packet_open.header.tag")
	outHeaderSrc      = outputs.add("packet_open.header.src")
	outHeaderSeq      = outputs.add("packet_open.header.seq")
	outHeaderStrm     = outputs.add("packet_open.header.strm")
	outHeaderDst      = outputs.add("packet_open.header.dst")
	outHeaderKind     = outputs.add("packet_open.header.kind")
	outHeaderHost     = outputs.add("packet_open.header.host")
	outHeaderVaddr    = outputs.add("packet_open.header.vaddr")
	outHeaderContext  = outputs.add("packet_open.header.context_")
	outHeaderNumber   = outputs.add("packet_open.header.collective.number")
	outHeaderElements = outputs.add("packet_open.header.collective.count")
	outHeaderShape    = outputs.add("packet_open.header.collective.shape")
	outHeaderNotice   = outputs.add("packet_open.header.notice")
	outAbandonValid   = outputs.add("packet_abandon_valid")
	outAbandonSelf    = outputs.add("packet_abandon_self")
	outAbandonSession = outputs.add("packet_abandon_session")
	outSliceValid     = outputs.add("slice_valid")
	outSliceQueue     = outputs.add("slice.queue_")
	outSliceLast      = outputs.add("slice.last")
	outOperand        = [2]operandWires{addOperand(0), addOperand(1)}
	outReduce         = outputs.add("slice.reduce")
	outReduceTDEST    = outputs.add("slice.reduce_tdest")
	outConvertTDEST   = outputs.add("slice.convert_tdest")
	outApart          = outputs.add("slice.apart")
	outKeeps          = outputs.add("slice.keeps")
	outKeptAddress    = outputs.add("slice.kept_address")
	outBeside         = outputs.add("slice.beside")
	outBesideAddress  = outputs.add("slice.beside_address")
	outBesideBytes    = outputs.add("slice.beside_bytes")
	outBesideConvert  = outputs.add("slice.beside_convert")
	outBesideTDEST    = outputs.add("slice.beside_tdest")
	outToMemory       = outputs.add("slice.to_memory")
	outResultConvert  = outputs.add("slice.result_convert")
	outResultHost     = outputs.add("slice.result_host")
	outResultAddress  = outputs.add("slice.result_address")
	outResultBytes    = outputs.add("slice.result_bytes")
	outToKernel       = outputs.add("slice.to_kernel")
	outKernelTDEST    = outputs.add("slice.kernel_tdest")
	outToNetwork      = outputs.add("slice.to_network")
	outWireConvert    = outputs.add("slice.wire_convert")
	outWireBytes      = outputs.add("slice.wire_bytes")
	outSlot           = outputs.add("slice.slot")
	outSlotHeaded     = outputs.add("slice.slot_headed")
	outSlotOffset     = outputs.add("slice.slot_offset")
	outSlotCommit     = outputs.add("slice.slot_commit")
	outRestart        = outputs.add("restart")
	outKernelInDrop   = outputs.add("kernel_in_drop")
	outKernelOutDrop  = outputs.add("kernel_out_drop")
	outAtRest         = outputs.add("at_rest")
	outIssueValid     = outputs.add("issue_valid")
	outIssueControl   = outputs.add("issue.control")
	outIssueTag       = outputs.add("issue.tag")

	// What cannot be seen from outside: when things become of a queue's moves.
	outDeciding   = outputs.add("dut.deciding")
	outRefuses    = outputs.add("dut.refuses")
	outAccepted   = outputs.add("dut.accepted")
	outDropped    = outputs.add("dut.dropped")
	outOverflowed = outputs.add("dut.overflowed")
	outAbort      = outputs.add("dut.abort")
	outCompleted  = outputs.add("completed")
	outFailed     = outputs.add("failed")
	outWaiting    = outputs.eachQueue("waiting[8*%d +: 8]")
	outFailure    = outputs.eachQueue("dut.failure[32*%d +: 32]")
	outFailing    = outputs.eachQueue("dut.failing[96*%d + 32 +: 64]") // source and tag
	outFailBytes  = outputs.eachQueue("dut.failing[96*%d +: 32]")
)

type operandWires struct{ from, host, address, bytes, convert, tdest, release, buffer int }

func addOperand(i int) operandWires {
	a := func(field string) int { return outputs.add("slice.op%d.%s", i, field) }
	return operandWires{a("from"), a("host"), a("address"), a("bytes"), a("convert"), a("tdest"),
		a("release_"), a("buffer_")}
}

// top is the module around the move engine that carries the words.
func top() string {
	var b strings.Builder
	p := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	p("module moves_tb(input wire clk, input wire [%d:0] in_words, output wire [%d:0] out_words);", 64*len(inputs.names)-1,
		64*len(outputs.names)-1)
	for _, s := range []string{"rst", "reset_moves", "moves_idle", "event_move", "at_rest", "tick_millisecond", "network_enable",
		"messages_changed",
		"windows_changed", "channel_release_valid", "channel_release_ready", "packet_open_valid", "packet_open_ready",
		"packet_abandon_valid",
		"packet_abandon_ready", "packet_abandon_self", "slice_valid", "slice_ready", "kernel_in_pushed", "kernel_out_popped",
		"data_flushing",
		"kernel_in_drop", "kernel_out_drop", "issue_valid"} {
		p("logic %s;", s)
	}
	p("logic [31:0] limit_cycles, remote_milliseconds; logic [16:0] open_mask; logic [15:0] packet_abandon_session;")
	p("logic [engine_pkg::SLOT_WIDTH-1:0] packet_open_slot; logic [engine_pkg::QUEUES-1:0] restart, completed, failed;")
	p("logic [engine_pkg::QUEUES-1:0] wait_remote, wait_kernel, wait_packet; logic [8*engine_pkg::QUEUES-1:0] waiting;")
	p("logic [engine_pkg::BUFFER_WIDTH-1:0] channel_release_buffer;")
	p("engine_pkg::reg_request_t move_request, status_request; engine_pkg::reg_response_t move_response, status_response;")
	p(
		"engine_pkg::selection_t selection; engine_pkg::peer_request_t peer_request; engine_pkg::peer_response_t " +
			"peer_response;")
	for q := range queues {
		p("engine_pkg::match_request_t match_request_%d; engine_pkg::match_response_t match_response_%d;", q, q)
		p("engine_pkg::window_request_t window_request_%d; engine_pkg::window_response_t window_response_%d;", q, q)
	}
	p("engine_pkg::packet_t packet_open; engine_pkg::slice_t slice; engine_pkg::retire_t retire; move_pkg::issue_t issue;")
	p("move_engine dut (.*);")
	p("assign packet_open_ready = open_mask[packet_open.self ? 5'd16 : {1'b0, packet_open.session[3:0]}];")
	for i, name := range inputs.names {
		p("assign %s = in_words[%d +: $bits(%s)];", name, 64*i, name)
	}
	for i, name := range outputs.names {
		p("assign out_words[%d +: 64] = 64'(%s);", 64*i, name)
	}
	p("endmodule")
	return b.String()
}
