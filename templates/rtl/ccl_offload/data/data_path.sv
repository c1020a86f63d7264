// What slices of moves go through: operands are read, converted, reduced, and
// the result is converted and goes where it belongs, one beat per cycle. Several
// slices are under way, each stage at its own; they end in order.
//
//   op0 - lane 0 -.          .-------------------> memory or kernel stream
//                  reduction +- lane 2 -> either
//   op1 - lane 1 -'          '-------------------> packet slot
//
// In slices that are apart operand 1 goes from its lane to memory, and operand 0
// alone to the packet slot. Beside others the packet slot takes what is read for
// it alone, behind operand 0 and behind operand 1 in turn, and the result goes to
// memory alone. What slices keep that are apart goes to another port of memory.
//
// All that a slice needs is there before it is dispatched: only a DMA engine or
// a plugin that does not answer can stop it. A DMA engine that does not is given
// up by its reader or writer, which ends the slice. For a plugin, or when a reset
// cannot wait, all slices end with DMA_TIMEOUT and what is under way is dropped
// (a flush). Slices that need a plugin which still owes something from before
// wait for it, or are given up too.
`default_nettype none

module data_path #(
    parameter int unsigned PATIENCE = 65536 // cycles that a reset waits for what is under way
) (
    input  wire  clk,
    input  wire  rst,
    input  wire  [31:0] limit_cycles,
    input  wire  reset_moves,
    output logic idle,
    output logic flushing,                          // everything under way is dropped, also in the kernel streams

    input  wire  slice_valid,
    output logic slice_ready,
    input  engine_pkg::slice_t slice,
    output engine_pkg::retire_t retire,
    input  wire  [engine_pkg::QUEUES-1:0] restart,

    // Packet slots and received buffers.
    output logic slot_write_valid,
    output logic [engine_pkg::SLOT_WIDTH-1:0] slot_write_slot,
    output logic [engine_pkg::ROW_WIDTH-1:0] slot_write_row,
    output logic [engine_pkg::DATA_WIDTH-1:0] slot_write_data,
    output logic [engine_pkg::KEEP_WIDTH-1:0] slot_write_strobe,
    output logic packet_commit_valid,
    input  wire  packet_commit_ready,
    output logic [engine_pkg::SLOT_WIDTH-1:0] packet_commit_slot,
    output logic packet_commit_good,
    output logic release_valid,
    input  wire  release_ready,
    output logic [engine_pkg::BUFFER_WIDTH-1:0] release_buffer,

    // Kernel streams.
    input  wire  kernel_in_tvalid,
    output logic kernel_in_tready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] kernel_in_tdata,
    output logic kernel_in_pushed,
    input  wire  kernel_in_drop,
    output logic kernel_out_tvalid,
    input  wire  kernel_out_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0] kernel_out_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0] kernel_out_tkeep,
    output logic kernel_out_tlast,
    output logic [7:0] kernel_out_tdest,
    output logic kernel_out_popped,
    input  wire  kernel_out_drop,

    // Plugins: reduction, and the lanes of the operands and of the result.
    output logic arith_op0_tvalid,
    input  wire  arith_op0_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0] arith_op0_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0] arith_op0_tkeep,
    output logic arith_op0_tlast,
    output logic [7:0] arith_op0_tdest,
    output logic arith_op1_tvalid,
    input  wire  arith_op1_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0] arith_op1_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0] arith_op1_tkeep,
    output logic arith_op1_tlast,
    output logic [7:0] arith_op1_tdest,
    input  wire  arith_res_tvalid,
    output logic arith_res_tready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] arith_res_tdata,
    output logic compression0_operand_tvalid,
    input  wire  compression0_operand_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0] compression0_operand_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0] compression0_operand_tkeep,
    output logic compression0_operand_tlast,
    output logic [3:0] compression0_operand_tdest,
    input  wire  compression0_result_tvalid,
    output logic compression0_result_tready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] compression0_result_tdata,
    output logic compression1_operand_tvalid,
    input  wire  compression1_operand_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0] compression1_operand_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0] compression1_operand_tkeep,
    output logic compression1_operand_tlast,
    output logic [3:0] compression1_operand_tdest,
    input  wire  compression1_result_tvalid,
    output logic compression1_result_tready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] compression1_result_tdata,
    output logic compression2_operand_tvalid,
    input  wire  compression2_operand_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0] compression2_operand_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0] compression2_operand_tkeep,
    output logic compression2_operand_tlast,
    output logic [3:0] compression2_operand_tdest,
    input  wire  compression2_result_tvalid,
    output logic compression2_result_tready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] compression2_result_tdata,

    // DMA engines: of both operands, and of the result.
    output logic op0_command_tvalid,
    input  wire  op0_command_tready,
    output logic [103:0] op0_command_tdata,
    output logic [7:0] op0_command_tdest,
    input  wire  op0_status_tvalid,
    output logic op0_status_tready,
    input  wire  [7:0] op0_status_tdata,
    input  wire  op0_tvalid,
    output logic op0_tready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] op0_tdata,
    input  wire  op0_tlast,
    output logic op1_command_tvalid,
    input  wire  op1_command_tready,
    output logic [103:0] op1_command_tdata,
    output logic [7:0] op1_command_tdest,
    input  wire  op1_status_tvalid,
    output logic op1_status_tready,
    input  wire  [7:0] op1_status_tdata,
    input  wire  op1_tvalid,
    output logic op1_tready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] op1_tdata,
    input  wire  op1_tlast,
    output logic result_command_tvalid,
    input  wire  result_command_tready,
    output logic [103:0] result_command_tdata,
    output logic [7:0] result_command_tdest,
    input  wire  result_status_tvalid,
    output logic result_status_tready,
    input  wire  [31:0] result_status_tdata,
    output logic result_tvalid,
    input  wire  result_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0] result_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0] result_tkeep,
    output logic result_tlast,
    output logic [7:0] result_tdest,

    // What is kept: a command comes with its first beat. While all is dropped the
    // beats are anything.
    output logic kept_valid,
    input  wire  kept_ready,
    output logic [63:0] kept_address,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] kept_bytes,
    output logic kept_data_valid,
    input  wire  kept_data_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0] kept_data,
    input  wire  kept_done,
    input  wire  [31:0] kept_code,
    input  wire  kept_idle,
    output logic kept_due                           // there is more
);

    localparam int unsigned DEPTH  = 8;     // slices at a time
    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned WIDTH  = engine_pkg::DATA_WIDTH;
    localparam int unsigned KEEP   = engine_pkg::KEEP_WIDTH;
    localparam int unsigned AHEAD  = engine_pkg::SLICE_BYTES / cclo_pkg::BEAT_BYTES;
    localparam int unsigned SETTLE = 8;     // cycles that a flush lasts at least

    // Dispatch: a slice goes to all stages at once, or to its end alone if it is
    // given up.
    logic dispatch, enter, enters, flush, stage_rst, give_up;
    logic op0_ready, op1_ready, write_ready;
    logic [$clog2(DEPTH+1)-1:0] in_flight;
    logic has_op0, has_op1, has_data, writes, room;
    logic lane0_owes, lane1_owes, op1_owes, beside_owes, lane2_owes, reduction_owes, second_owes;
    logic plugin_owes, plugins_silent;
    engine_pkg::plugin_t lane0, lane1;
    logic [LENGTH-1:0] inner_bytes, op1_inner_bytes, converted_bytes;
    logic uses_lane2;

    assign has_op0     = slice.op0.from != engine_pkg::FROM_NONE && slice.op0.bytes != '0;
    assign has_op1     = slice.op1.from != engine_pkg::FROM_NONE && slice.op1.bytes != '0;
    assign has_data    = has_op0;
    assign writes      = slice.to_memory && has_data;
    assign lane1_owes  = op1_owes || beside_owes;
    assign plugin_owes = has_op0 && slice.op0.convert && lane0_owes
        || (has_op1 && slice.op1.convert || slice.beside && slice.beside_convert) && lane1_owes
        || uses_lane2 && lane2_owes
        || has_op0 && slice.reduce && reduction_owes || has_op1 && second_owes;
    assign room        = 32'(in_flight) < DEPTH && !give_up;
    assign enter       = room && !flush && !plugin_owes;
    assign enters      = enter && op0_ready && op1_ready && (!writes || write_ready);
    assign slice_ready = enters || room && (flush || plugin_owes && plugins_silent && in_flight == '0);
    assign dispatch    = slice_valid && enters;

    // Sizes of the forms in which operands meet.
    assign lane0           = engine_pkg::conversion(2'd0, slice.op0.tdest);
    assign lane1           = engine_pkg::conversion(2'd1, slice.op1.tdest);
    assign inner_bytes     = slice.op0.convert ? (slice.op0.bytes >> lane0.from_log2) << lane0.to_log2
        : slice.op0.bytes;
    assign op1_inner_bytes = slice.op1.convert ? (slice.op1.bytes >> lane1.from_log2) << lane1.to_log2
        : slice.op1.bytes;
    assign converted_bytes = slice.result_convert ? slice.result_bytes : slice.wire_bytes;
    assign uses_lane2      = has_data
        && ((slice.to_memory || slice.to_kernel) && slice.result_convert || slice.to_network && slice.wire_convert);

    // Operands.
    logic op0_valid, op0_take, op1_valid, op1_take, op0_idle, op1_idle, op0_done, op1_done;
    logic [WIDTH-1:0] op0_data, op1_data;
    logic [31:0] op0_code, op1_code;
    logic [1:0] cut_take;
    logic [LENGTH-1:0] cut_bytes;
    logic [LENGTH+1:0] kernel_slice; // that is cut next
    logic kernel_slice_valid, kernel_slice_ready;
    logic beside_second; // what is read beside the next slice comes behind operand 1
    logic [1:0] more_valid, more_take, more_last;
    logic cut_slice, cut_slice_ready, cut_finishes, cut_valid, cut_last, cut_second, _unused_cut_room;
    logic [$clog2(DEPTH+1)-1:0] _unused_cut_count;
    logic [WIDTH-1:0] cut_data;

    operand #(.DEPTH(DEPTH)) op0 (
        .clk, .rst, .flush, .abandon(give_up), .limit_cycles, .idle(op0_idle),
        .slice_valid(slice_valid && enter && op1_ready && (!writes || write_ready)), .slice_ready(op0_ready),
        .slice(slice.op0),
        .slice_more(slice.beside && !beside_second),
        .more_address(slice.beside_address), .more_bytes(slice.beside_bytes),
        .more_valid(more_valid[0]), .more_ready(more_take[0]), .more_last(more_last[0]),
        .out_valid(op0_valid), .out_ready(op0_take), .out_data(op0_data), .read_done(op0_done), .read_code(op0_code),
        .kernel_valid(cut_valid && !cut_second), .kernel_ready(cut_take[0]),
        .kernel_data(cut_data), .kernel_last(cut_last),
        .command_tvalid(op0_command_tvalid), .command_tready(op0_command_tready),
        .command_tdata(op0_command_tdata), .command_tdest(op0_command_tdest),
        .status_tvalid(op0_status_tvalid), .status_tready(op0_status_tready), .status_tdata(op0_status_tdata),
        .stream_tvalid(op0_tvalid), .stream_tready(op0_tready), .stream_tdata(op0_tdata), .stream_tlast(op0_tlast)
    );
    operand #(.DEPTH(DEPTH)) op1 (
        .clk, .rst, .flush, .abandon(give_up), .limit_cycles, .idle(op1_idle),
        .slice_valid(slice_valid && enter && op0_ready && (!writes || write_ready)), .slice_ready(op1_ready),
        .slice(slice.op1),
        .slice_more(slice.beside && beside_second),
        .more_address(slice.beside_address), .more_bytes(slice.beside_bytes),
        .more_valid(more_valid[1]), .more_ready(more_take[1]), .more_last(more_last[1]),
        .out_valid(op1_read), .out_ready(op1_room), .out_data(op1_read_data),
        .read_done(op1_done), .read_code(op1_code),
        .kernel_valid(cut_valid && cut_second), .kernel_ready(cut_take[1]),
        .kernel_data(cut_data), .kernel_last(cut_last),
        .command_tvalid(op1_command_tvalid), .command_tready(op1_command_tready),
        .command_tdata(op1_command_tdata), .command_tdest(op1_command_tdest),
        .status_tvalid(op1_status_tvalid), .status_tready(op1_status_tready), .status_tdata(op1_status_tdata),
        .stream_tvalid(op1_tvalid), .stream_tready(op1_tready), .stream_tdata(op1_tdata), .stream_tlast(op1_tlast)
    );

    always_ff @(posedge clk) begin
        if (stage_rst) beside_second <= 1'b0;
        else if (dispatch && slice.beside) beside_second <= !beside_second;
    end

    // Operand 1 runs ahead by a slice while operand 0 waits for what is read
    // behind the one before.
    logic op1_read, op1_room;
    logic [WIDTH-1:0] op1_read_data;
    logic [$clog2(AHEAD+1)-1:0] _unused_ahead_count;

    fifo #(.WIDTH(WIDTH), .DEPTH(AHEAD)) op1_ahead (
        .clk, .rst(stage_rst), .clear(1'b0), .in_valid(op1_read), .in_ready(op1_room), .in_data(op1_read_data),
        .out_valid(op1_valid), .out_ready(op1_take), .out_data(op1_data), .count(_unused_ahead_count)
    );

    // The kernel stream goes to slices in the order of their dispatch, as one of
    // their operands.
    logic kernel_fifo_ready, kernel_valid, kernel_ready, op0_kernel, op1_kernel;
    logic [WIDTH-1:0] kernel_data;
    logic [$clog2(engine_pkg::KERNEL_BEATS+1)-1:0] _unused_kernel_count;

    assign kernel_in_tready = kernel_fifo_ready && !flush;
    assign kernel_in_pushed = kernel_in_tvalid && kernel_in_tready;
    assign op0_kernel       = has_op0 && slice.op0.from == engine_pkg::FROM_KERNEL;
    assign op1_kernel       = has_op1 && slice.op1.from == engine_pkg::FROM_KERNEL;

    fifo #(.WIDTH(WIDTH), .DEPTH(engine_pkg::KERNEL_BEATS)) kernel_in (
        .clk, .rst(stage_rst), .clear(1'b0),
        .in_valid(kernel_in_pushed), .in_ready(kernel_fifo_ready), .in_data(kernel_in_tdata),
        .out_valid(kernel_valid), .out_ready(kernel_ready), .out_data(kernel_data), .count(_unused_kernel_count)
    );
    fifo #(.WIDTH(2 + LENGTH), .DEPTH(DEPTH)) kernel_slices (
        .clk, .rst(stage_rst), .clear(1'b0),
        .in_valid(dispatch && (op0_kernel || op1_kernel)), .in_ready(_unused_cut_room),
        .in_data({!op0_kernel, slice.last, op0_kernel ? slice.op0.bytes : slice.op1.bytes}),
        .out_valid(kernel_slice_valid), .out_ready(kernel_slice_ready), .out_data(kernel_slice),
        .count(_unused_cut_count)
    );
    skid_buffer #(.WIDTH(2 + LENGTH)) cut_slices (
        .clk, .rst(stage_rst),
        .in_valid(kernel_slice_valid), .in_ready(kernel_slice_ready), .in_data(kernel_slice),
        .out_valid(cut_slice), .out_ready(cut_slice_ready), .out_data({cut_second, cut_finishes, cut_bytes})
    );
    stream_cutter kernel_cutter (
        .clk, .rst(stage_rst),
        .slice_valid(cut_slice), .slice_ready(cut_slice_ready),
        .slice_bytes(cut_bytes), .slice_finishes(cut_finishes), .drop(kernel_in_drop),
        .in_valid(kernel_valid), .in_ready(kernel_ready), .in_data(kernel_data),
        .out_valid(cut_valid), .out_ready(cut_second ? cut_take[1] : cut_take[0]),
        .out_data(cut_data), .out_last(cut_last)
    );

    // Lanes of the operands.
    logic inner0_valid, inner0_take, inner1_valid, inner1_take;
    logic [WIDTH-1:0] inner0_data, inner1_data;
    logic lane0_progress, op1_progress, beside_progress, lane2_progress, reduction_progress;
    logic _unused_lane0_last, _unused_reduction_last, _unused_lane2_last;

    lane #(.TDEST_WIDTH(4), .DEPTH(DEPTH)) op0_lane (
        .clk, .rst, .flush, .owes(lane0_owes), .progress(lane0_progress),
        .slice_valid(dispatch && has_op0), .slice_convert(slice.op0.convert), .slice_tdest(slice.op0.tdest),
        .slice_in_bytes(slice.op0.bytes), .slice_out_bytes(inner_bytes),
        .in_valid(op0_valid), .in_ready(op0_take), .in_data(op0_data),
        .out_valid(inner0_valid), .out_ready(inner0_take), .out_data(inner0_data),
        .operand_tvalid(compression0_operand_tvalid), .operand_tready(compression0_operand_tready),
        .operand_tdata(compression0_operand_tdata),
        .operand_tkeep(compression0_operand_tkeep), .operand_tlast(compression0_operand_tlast),
        .operand_tdest(compression0_operand_tdest),
        .result_tvalid(compression0_result_tvalid), .result_tready(compression0_result_tready),
        .result_last(_unused_lane0_last), .result_tdata(compression0_result_tdata)
    );
    lane #(.TDEST_WIDTH(4), .DEPTH(DEPTH)) op1_lane (
        .clk, .rst, .flush, .owes(op1_owes), .progress(op1_progress),
        .slice_valid(dispatch && has_op1), .slice_convert(slice.op1.convert), .slice_tdest(slice.op1.tdest),
        .slice_in_bytes(slice.op1.bytes), .slice_out_bytes(op1_inner_bytes),
        .in_valid(op1_valid), .in_ready(op1_take), .in_data(op1_data),
        .out_valid(inner1_valid), .out_ready(inner1_take), .out_data(inner1_data),
        .operand_tvalid(share_valid[0]), .operand_tready(share_take[0]), .operand_tdata(share_data[0 +: WIDTH]),
        .operand_tkeep(share_keep[0 +: KEEP]), .operand_tlast(share_last[0]), .operand_tdest(share_tdest[3:0]),
        .result_tvalid(answer_valid[0]), .result_tready(answer_take[0]),
        .result_last(answer_last[0]), .result_tdata(compression1_result_tdata)
    );

    // What is read beside has the plugin of lane 1 where operand 1 passes it by.
    logic beside_there, beside_next, beside_in, beside_room, beside_valid, beside_take, _unused_beside_room;
    logic [WIDTH-1:0] beside_data;
    logic [$clog2(DEPTH+1)-1:0] _unused_beside_count;
    logic [1:0] share_valid, share_take, share_last, answer_valid, answer_take, answer_last;
    logic [2*WIDTH-1:0] share_data;
    logic [2*KEEP-1:0] share_keep;
    logic [7:0] share_tdest;

    fifo #(.WIDTH(1), .DEPTH(DEPTH)) beside_slices (
        .clk, .rst(stage_rst), .clear(1'b0),
        .in_valid(dispatch && slice.beside), .in_ready(_unused_beside_room), .in_data(beside_second),
        .out_valid(beside_there), .out_ready(beside_in && beside_room && more_last[beside_next]),
        .out_data(beside_next), .count(_unused_beside_count)
    );
    assign beside_in = beside_there && more_valid[beside_next];
    assign more_take = beside_there && beside_room ? 2'd1 << beside_next : '0;

    lane #(.TDEST_WIDTH(4), .DEPTH(DEPTH)) beside_lane (
        .clk, .rst, .flush, .owes(beside_owes), .progress(beside_progress),
        .slice_valid(dispatch && slice.beside), .slice_convert(slice.beside_convert), .slice_tdest(slice.beside_tdest),
        .slice_in_bytes(slice.beside_bytes), .slice_out_bytes(slice.wire_bytes),
        .in_valid(beside_in), .in_ready(beside_room), .in_data(beside_next ? op1_read_data : op0_data),
        .out_valid(beside_valid), .out_ready(beside_take), .out_data(beside_data),
        .operand_tvalid(share_valid[1]), .operand_tready(share_take[1]), .operand_tdata(share_data[WIDTH +: WIDTH]),
        .operand_tkeep(share_keep[KEEP +: KEEP]), .operand_tlast(share_last[1]), .operand_tdest(share_tdest[7:4]),
        .result_tvalid(answer_valid[1]), .result_tready(answer_take[1]),
        .result_last(answer_last[1]), .result_tdata(compression1_result_tdata)
    );
    plugin_share #(.TDEST_WIDTH(4), .DEPTH(DEPTH)) lane1_plugin (
        .clk, .rst,
        .packet_valid(dispatch && (has_op1 && slice.op1.convert || slice.beside && slice.beside_convert)),
        .packet_second(slice.beside && slice.beside_convert),
        .operand_tvalid(share_valid), .operand_tready(share_take),
        .operand_tdata(share_data), .operand_tkeep(share_keep),
        .operand_tlast(share_last), .operand_tdest(share_tdest),
        .result_tvalid(answer_valid), .result_tready(answer_take), .result_last(answer_last),
        .plugin_operand_tvalid(compression1_operand_tvalid), .plugin_operand_tready(compression1_operand_tready),
        .plugin_operand_tdata(compression1_operand_tdata),
        .plugin_operand_tkeep(compression1_operand_tkeep), .plugin_operand_tlast(compression1_operand_tlast),
        .plugin_operand_tdest(compression1_operand_tdest),
        .plugin_result_tvalid(compression1_result_tvalid), .plugin_result_tready(compression1_result_tready)
    );

    // Operand 1 meets operand 0, or goes to memory by itself.
    logic second_there, apart, apart_valid, apart_take, meets_valid, meets_take, meets_last, local_apart, local_finish;
    logic _unused_apart_room;
    logic [$clog2(DEPTH+1)-1:0] _unused_apart_count;

    fifo #(.WIDTH(1), .DEPTH(DEPTH)) second_slices (
        .clk, .rst(stage_rst), .clear(1'b0),
        .in_valid(dispatch && has_op1), .in_ready(_unused_apart_room), .in_data(slice.apart),
        .out_valid(second_there),
        .out_ready(apart ? local_apart && local_finish : meets_valid && meets_take && meets_last),
        .out_data(apart), .count(_unused_apart_count)
    );
    assign apart_valid = inner1_valid && second_there && apart;
    assign meets_valid = inner1_valid && second_there && !apart;
    assign inner1_take = second_there && (apart ? apart_take : meets_take);

    // Reduction. Without the plugin operand 0 comes back, and operand 1 goes
    // nowhere.
    logic reduced_valid, reduced_take, second_valid, second_take;
    logic [WIDTH-1:0] reduced_data;

    lane #(.TDEST_WIDTH(8), .DEPTH(DEPTH)) reduction (
        .clk, .rst, .flush, .owes(reduction_owes), .progress(reduction_progress),
        .slice_valid(dispatch && has_op0), .slice_convert(slice.reduce), .slice_tdest(slice.reduce_tdest),
        .slice_in_bytes(inner_bytes), .slice_out_bytes(inner_bytes),
        .in_valid(inner0_valid), .in_ready(inner0_take), .in_data(inner0_data),
        .out_valid(reduced_valid), .out_ready(reduced_take), .out_data(reduced_data),
        .operand_tvalid(arith_op0_tvalid), .operand_tready(arith_op0_tready), .operand_tdata(arith_op0_tdata),
        .operand_tkeep(arith_op0_tkeep), .operand_tlast(arith_op0_tlast), .operand_tdest(arith_op0_tdest),
        .result_tvalid(arith_res_tvalid), .result_tready(arith_res_tready),
        .result_last(_unused_reduction_last), .result_tdata(arith_res_tdata)
    );
    logic second_drain, second_feed_owes;

    plugin_feed #(.TDEST_WIDTH(8), .DEPTH(DEPTH)) second_operand (
        .clk, .rst, .drain(second_drain), .owes(second_feed_owes),
        .packet_valid(dispatch && has_op1 && !slice.apart), .packet_tdest(slice.reduce_tdest),
        .packet_bytes(op1_inner_bytes),
        .in_valid(meets_valid), .in_ready(meets_take), .in_data(inner1_data), .in_last(meets_last),
        .out_tvalid(second_valid), .out_tready(second_take), .out_tdata(arith_op1_tdata), .out_tkeep(arith_op1_tkeep),
        .out_tlast(arith_op1_tlast), .out_tdest(arith_op1_tdest)
    );
    assign second_drain = flush || second_owes;
    assign arith_op1_tvalid = second_valid && cclo_pkg::PLATFORM_ARITHMETIC;
    assign second_take      = arith_op1_tready || !cclo_pkg::PLATFORM_ARITHMETIC;

    // The result, as it is and converted, to memory or kernel stream (0) and to
    // the network (1).
    logic [3:0] plain_valid, plain_take;
    logic [1:0] converted_valid, converted_take;
    logic [WIDTH-1:0] plain_data, converted_in, converted_data;
    logic lane2_valid, lane2_take, dropped, _unused_dropped;

    stream_fork #(.TAKERS(4), .DEPTH(DEPTH)) plain_fork (
        .clk, .rst(stage_rst),
        .slice_valid(dispatch && has_data),
        .slice_takers({
            slice.keeps, uses_lane2, slice.to_network && !slice.wire_convert && !slice.beside,
            (slice.to_memory || slice.to_kernel) && !slice.result_convert && !slice.apart
        }),
        .slice_bytes(inner_bytes),
        .in_valid(reduced_valid), .in_ready(reduced_take), .in_data(reduced_data),
        .out_valid(plain_valid), .out_ready(plain_take), .out_data(plain_data), .dropped
    );
    lane #(.TDEST_WIDTH(4), .DEPTH(DEPTH), .BYPASS(1'b0)) result_lane (
        .clk, .rst, .flush, .owes(lane2_owes), .progress(lane2_progress),
        .slice_valid(dispatch && uses_lane2), .slice_convert(1'b1), .slice_tdest(slice.convert_tdest),
        .slice_in_bytes(inner_bytes), .slice_out_bytes(converted_bytes),
        .in_valid(plain_valid[2]), .in_ready(plain_take[2]), .in_data(plain_data),
        .out_valid(lane2_valid), .out_ready(lane2_take), .out_data(converted_in),
        .operand_tvalid(compression2_operand_tvalid), .operand_tready(compression2_operand_tready),
        .operand_tdata(compression2_operand_tdata),
        .operand_tkeep(compression2_operand_tkeep), .operand_tlast(compression2_operand_tlast),
        .operand_tdest(compression2_operand_tdest),
        .result_tvalid(compression2_result_tvalid), .result_tready(compression2_result_tready),
        .result_last(_unused_lane2_last), .result_tdata(compression2_result_tdata)
    );
    stream_fork #(.TAKERS(2), .DEPTH(DEPTH)) converted_fork (
        .clk, .rst(stage_rst),
        .slice_valid(dispatch && uses_lane2),
        .slice_takers({
            slice.to_network && slice.wire_convert, (slice.to_memory || slice.to_kernel) && slice.result_convert
        }),
        .slice_bytes(converted_bytes),
        .in_valid(lane2_valid), .in_ready(lane2_take), .in_data(converted_in),
        .out_valid(converted_valid), .out_ready(converted_take), .out_data(converted_data), .dropped(_unused_dropped)
    );

    // Memory, kernel stream and packet slots take either.
    logic local_there, local_converted, local_kernel, local_valid, local_take, memory_take, kernel_take;
    logic wire_there, wire_beside, wire_converted, wire_valid, wire_take;
    logic memory_done, kernel_done, slot_done, memory_idle;
    logic [31:0] memory_code;
    logic [WIDTH-1:0] local_data, wire_data;
    logic _unused_local_room, _unused_wire_room;
    logic [$clog2(DEPTH+1)-1:0] _unused_local_count, _unused_wire_count;
    logic [LENGTH-1:0] local_bytes, wire_bytes;
    logic [6:0] _unused_local_bytes, _unused_wire_bytes;
    logic [engine_pkg::KEEP_WIDTH-1:0] _unused_local_keep, _unused_wire_keep;
    logic local_last, wire_last;

    fifo #(.WIDTH(3 + LENGTH), .DEPTH(DEPTH)) local_slices (
        .clk, .rst(stage_rst), .clear(1'b0),
        .in_valid(dispatch && has_data && (slice.to_memory || slice.to_kernel)), .in_ready(_unused_local_room),
        .in_data({slice.apart, slice.result_convert, slice.to_kernel, slice.result_bytes}),
        .out_valid(local_there), .out_ready(local_finish),
        .out_data({local_apart, local_converted, local_kernel, local_bytes}), .count(_unused_local_count)
    );
    beat_counter local_counter (
        .clk, .rst(stage_rst), .bytes(local_bytes), .move(local_valid && local_take),
        .last(local_last), .keep(_unused_local_keep), .beat_bytes(_unused_local_bytes)
    );
    assign local_valid       = local_there
        && (local_apart ? apart_valid : local_converted ? converted_valid[0] : plain_valid[0]);
    assign local_data        = local_apart ? inner1_data : local_converted ? converted_data : plain_data;
    assign local_take        = local_there && (local_kernel ? kernel_take : memory_take);
    assign local_finish      = local_valid && local_take && local_last;
    assign plain_take[0]     = local_take && !local_converted && !local_apart;
    assign converted_take[0] = local_take && local_converted;
    assign apart_take        = local_take && local_apart;

    fifo #(.WIDTH(2 + LENGTH), .DEPTH(DEPTH)) wire_slices (
        .clk, .rst(stage_rst), .clear(1'b0),
        .in_valid(dispatch && has_data && slice.to_network), .in_ready(_unused_wire_room),
        .in_data({slice.beside, slice.wire_convert, slice.wire_bytes}),
        .out_valid(wire_there), .out_ready(wire_valid && wire_take && wire_last),
        .out_data({wire_beside, wire_converted, wire_bytes}), .count(_unused_wire_count)
    );
    beat_counter wire_counter (
        .clk, .rst(stage_rst), .bytes(wire_bytes), .move(wire_valid && wire_take),
        .last(wire_last), .keep(_unused_wire_keep), .beat_bytes(_unused_wire_bytes)
    );
    assign wire_valid        = wire_there
        && (wire_beside ? beside_valid : wire_converted ? converted_valid[1] : plain_valid[1]);
    assign wire_data         = wire_beside ? beside_data : wire_converted ? converted_data : plain_data;
    assign beside_take       = wire_there && wire_take && wire_beside;
    assign plain_take[1]     = wire_there && wire_take && !wire_converted && !wire_beside;
    assign converted_take[1] = wire_there && wire_take && wire_converted;

    // What is kept is commanded when it is there: others have the port, too.
    logic kept_there, kept_begun, kept_last, _unused_kept_room;
    logic [$clog2(DEPTH+1)-1:0] _unused_kept_count;
    logic [6:0] _unused_kept_beat;
    logic [KEEP-1:0] _unused_kept_keep;

    fifo #(.WIDTH(64 + LENGTH), .DEPTH(DEPTH)) kept_slices (
        .clk, .rst(stage_rst), .clear(1'b0),
        .in_valid(dispatch && has_data && slice.keeps), .in_ready(_unused_kept_room),
        .in_data({slice.kept_address, slice.result_bytes}),
        .out_valid(kept_there), .out_ready(plain_valid[3] && plain_take[3] && kept_last),
        .out_data({kept_address, kept_bytes}), .count(_unused_kept_count)
    );
    beat_counter kept_counter (
        .clk, .rst(stage_rst), .bytes(kept_bytes), .move(plain_valid[3] && plain_take[3]),
        .last(kept_last), .keep(_unused_kept_keep), .beat_bytes(_unused_kept_beat)
    );
    assign kept_due        = kept_there;
    assign kept_valid      = kept_there && plain_valid[3] && !kept_begun;
    assign kept_data_valid = flush || kept_begun && plain_valid[3];
    assign kept_data       = plain_data;
    assign plain_take[3]   = kept_begun && kept_data_ready;

    always_ff @(posedge clk) begin
        if (stage_rst || plain_valid[3] && plain_take[3] && kept_last) kept_begun <= 1'b0;
        else if (kept_valid && kept_ready) kept_begun <= 1'b1;
    end

    dma_writer #(.DEPTH(DEPTH)) memory (
        .clk, .rst, .limit_cycles, .abandon(give_up), .idle(memory_idle),
        .write_valid(slice_valid && writes && enter && op0_ready && op1_ready), .write_ready,
        .write_address(slice.result_address), .write_host(slice.result_host), .write_bytes(slice.result_bytes),
        .write_data_valid(flush || local_valid && !local_kernel), .write_data_ready(memory_take),
        .write_data(local_data),
        .write_done(memory_done), .write_code(memory_code),
        .command_tvalid(result_command_tvalid), .command_tready(result_command_tready),
        .command_tdata(result_command_tdata), .command_tdest(result_command_tdest),
        .status_tvalid(result_status_tvalid), .status_tready(result_status_tready), .status_tdata(result_status_tdata),
        .stream_tvalid(result_tvalid), .stream_tready(result_tready),
        .stream_tdata(result_tdata), .stream_tkeep(result_tkeep),
        .stream_tlast(result_tlast), .stream_tdest(result_tdest)
    );
    kernel_writer #(.DEPTH(DEPTH)) kernel (
        .clk, .rst(stage_rst),
        .slice_valid(dispatch && has_data && slice.to_kernel), .slice_bytes(slice.result_bytes),
        .slice_tdest(slice.kernel_tdest), .slice_finishes(slice.last),
        .in_valid(local_valid && local_kernel), .in_ready(kernel_take), .in_data(local_data),
        .done(kernel_done), .forget(kernel_out_drop),
        .out_tvalid(kernel_out_tvalid), .out_tready(kernel_out_tready),
        .out_tdata(kernel_out_tdata), .out_tkeep(kernel_out_tkeep),
        .out_tlast(kernel_out_tlast), .out_tdest(kernel_out_tdest), .popped(kernel_out_popped)
    );
    slot_writer #(.DEPTH(DEPTH)) slots (
        .clk, .rst(stage_rst),
        .slice_valid(dispatch && has_data && slice.to_network), .slice_bytes(slice.wire_bytes), .slice_slot(slice.slot),
        .slice_headed(slice.slot_headed), .slice_offset(slice.slot_offset),
        .in_valid(wire_valid), .in_ready(wire_take), .in_data(wire_data), .done(slot_done),
        .slot_write_valid, .slot_write_slot, .slot_write_row, .slot_write_data, .slot_write_strobe
    );

    logic waits;
    slice_retire #(.DEPTH(DEPTH)) ends (
        .clk, .rst, .flush,
        .slice_valid(slice_valid && slice_ready), .slice, .in_flight, .waits,
        .op0_done, .op0_code, .op1_done, .op1_code, .memory_done, .memory_code,
        .kept_done, .kept_code, .kernel_done, .slot_done, .dropped,
        .packet_commit_valid, .packet_commit_ready, .packet_commit_slot, .packet_commit_good,
        .release_valid, .release_ready, .release_buffer, .retire, .restart
    );

    // What does not end by itself is given up: a slice that takes longer than its
    // DMA engines may take one after the other, or what a reset has waited for
    // long enough. While it is, the dispatcher starts nothing.
    logic [33:0] waited;
    logic [31:0] reset_waited, plugins_waited;
    logic [3:0]  flushed;
    logic        plugins_wait;

    assign flushing  = flush;
    assign stage_rst = rst || flush;
    assign idle      = in_flight == '0 && !flush;

    assign plugins_wait = (lane0_owes || lane1_owes || lane2_owes || reduction_owes || second_owes) && !flush
        && !(lane0_owes && lane0_progress || op1_owes && op1_progress
            || beside_owes && beside_progress || lane2_owes && lane2_progress
            || reduction_owes && reduction_progress || second_owes && second_valid && second_take);

    always_ff @(posedge clk) begin
        if (rst) begin
            waited         <= '0;
            reset_waited   <= '0;
            plugins_waited <= '0;
            plugins_silent <= 1'b0;
            second_owes    <= 1'b0;
            give_up        <= 1'b0;
            flush          <= 1'b0;
            flushed        <= '0;
        end else begin
            waited       <= waits && !flush && !retire.valid ? waited + 1'b1 : '0;
            reset_waited <= reset_moves && (in_flight != '0 || slice_valid) && !flush ? reset_waited + 1'b1 : '0;
            if (!plugins_wait) plugins_waited <= '0;
            else if (plugins_waited < limit_cycles) plugins_waited <= plugins_waited + 1'b1;
            plugins_silent <= plugins_wait && plugins_waited >= limit_cycles;
            second_owes    <= second_drain && second_feed_owes;

            give_up <= !flush && !give_up && (waits && waited >= {limit_cycles, 2'b0} || reset_waited >= PATIENCE
                || slice_valid && slice_ready && !enters);
            flushed <= flush ? flushed + 4'(flushed != 4'(SETTLE)) : '0;
            if (give_up) flush <= 1'b1;
            else if (flushed == 4'(SETTLE) && in_flight == '0 && !slice_valid
                    && op0_idle && op1_idle && memory_idle && kept_idle)
                flush <= 1'b0;
        end
    end

    wire _unused = ^{lane0.known, lane1.known, slice.op0.release_, slice.op0.buffer_};

endmodule

`default_nettype wire
