// One stream through a plugin, or past it, slice by slice in order.
//
// When slices are given up, the plugin is still given what it lacks and what it
// answers is dropped: until then the lane owes, and only streams that pass by may
// be led through it.
`default_nettype none

module lane #(
    parameter int unsigned TDEST_WIDTH = 4, // bits
    parameter int unsigned DEPTH       = 8, // slices at a time
    parameter bit          BYPASS      = 1  // some slices pass the plugin by
) (
    input  wire  clk,
    input  wire  rst,
    input  wire  flush,                              // a level: all slices are given up
    output logic owes,
    output logic progress,                           // of what it owes

    input  wire  slice_valid,                        // there is room for DEPTH
    input  wire  slice_convert,
    input  wire  [TDEST_WIDTH-1:0] slice_tdest,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] slice_in_bytes,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] slice_out_bytes,

    input  wire  in_valid,
    output logic in_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] in_data,

    output logic out_valid,
    input  wire  out_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0] out_data,

    output logic operand_tvalid,
    input  wire  operand_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0] operand_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0] operand_tkeep,
    output logic operand_tlast,
    output logic [TDEST_WIDTH-1:0] operand_tdest,

    input  wire  result_tvalid,
    output logic result_tready,
    output logic result_last,                        // what is taken is the last of a slice
    input  wire  [engine_pkg::DATA_WIDTH-1:0] result_tdata
);

    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned COUNT  = $clog2(DEPTH + 1);

    logic              stage_rst, owing, drain;
    logic              in_slice, in_convert, in_move, in_last;
    logic              out_slice, out_convert, out_move, out_last;
    logic              pass_last, passes, feed_ready, feed_last, feed_owes;
    logic              result_there, result_move;
    logic              joined_valid, joined_ready;
    logic [LENGTH-1:0] pass_bytes, result_bytes;
    logic _unused_pass, _unused_room_pass, _unused_room_in, _unused_room_out, _unused_room_result;
    logic [COUNT-1:0] _unused_count_pass, _unused_count_in, _unused_count_out, _unused_count_result;
    logic [COUNT-1:0] _unused_count_joined;
    logic [6:0] _unused_pass_bytes, _unused_result_bytes;
    logic [engine_pkg::KEEP_WIDTH-1:0] _unused_pass_keep, _unused_result_keep;

    assign stage_rst = rst || flush;
    assign drain     = flush || owing;
    assign owes      = owing;

    always_ff @(posedge clk) begin
        if (rst) owing <= 1'b0;
        else owing <= drain && (feed_owes || result_there);
    end

    // Which way slices go in and come out.
    fifo #(.WIDTH(1), .DEPTH(DEPTH)) in_slices (
        .clk, .rst(stage_rst), .clear(1'b0),
        .in_valid(slice_valid), .in_ready(_unused_room_in), .in_data(slice_convert),
        .out_valid(in_slice), .out_ready(in_move && in_last), .out_data(in_convert), .count(_unused_count_in)
    );
    fifo #(.WIDTH(1), .DEPTH(DEPTH)) out_slices (
        .clk, .rst(stage_rst), .clear(1'b0),
        .in_valid(slice_valid), .in_ready(_unused_room_out), .in_data(slice_convert),
        .out_valid(out_slice), .out_ready(out_move && out_last), .out_data(out_convert), .count(_unused_count_out)
    );

    // What passes by moves in step on both sides: when its turn has come at the
    // output, all before it have left the plugin.
    fifo #(.WIDTH(LENGTH), .DEPTH(DEPTH)) pass_slices (
        .clk, .rst(stage_rst), .clear(1'b0),
        .in_valid(slice_valid && !slice_convert), .in_ready(_unused_room_pass), .in_data(slice_in_bytes),
        .out_valid(_unused_pass), .out_ready(passes && in_move && pass_last), .out_data(pass_bytes),
        .count(_unused_count_pass)
    );
    beat_counter pass_counter (
        .clk, .rst(stage_rst), .bytes(pass_bytes), .move(passes && in_move),
        .last(pass_last), .keep(_unused_pass_keep), .beat_bytes(_unused_pass_bytes)
    );

    assign passes   = BYPASS && in_slice && !in_convert && out_slice && !out_convert;
    assign in_ready = passes ? joined_ready : in_slice && in_convert && feed_ready;
    assign in_last  = in_convert ? feed_last : pass_last;
    assign in_move  = in_valid && in_ready;

    plugin_feed #(.TDEST_WIDTH(TDEST_WIDTH), .DEPTH(DEPTH)) feed (
        .clk, .rst, .drain, .owes(feed_owes),
        .packet_valid(slice_valid && slice_convert), .packet_tdest(slice_tdest), .packet_bytes(slice_in_bytes),
        .in_valid(in_slice && in_convert && in_valid), .in_ready(feed_ready), .in_data, .in_last(feed_last),
        .out_tvalid(operand_tvalid), .out_tready(operand_tready), .out_tdata(operand_tdata), .out_tkeep(operand_tkeep),
        .out_tlast(operand_tlast), .out_tdest(operand_tdest)
    );

    // What the plugin answers.
    fifo #(.WIDTH(LENGTH), .DEPTH(DEPTH)) result_slices (
        .clk, .rst, .clear(1'b0),
        .in_valid(slice_valid && slice_convert), .in_ready(_unused_room_result), .in_data(slice_out_bytes),
        .out_valid(result_there), .out_ready(result_move && result_last), .out_data(result_bytes),
        .count(_unused_count_result)
    );
    beat_counter result_counter (
        .clk, .rst, .bytes(result_bytes), .move(result_move),
        .last(result_last), .keep(_unused_result_keep), .beat_bytes(_unused_result_bytes)
    );

    assign result_tready = result_there && (drain || out_slice && out_convert && joined_ready);
    assign result_move   = result_tvalid && result_tready;
    assign progress      = result_move || operand_tvalid && operand_tready;

    assign joined_valid = passes ? in_valid : out_slice && out_convert && result_tvalid && !drain;
    assign out_move     = joined_valid && joined_ready;
    assign out_last     = out_convert ? result_last : pass_last;

    // In LUTRAM, which takes half of what a skid buffer does.
    fifo #(.WIDTH(engine_pkg::DATA_WIDTH), .DEPTH(DEPTH)) joined (
        .clk, .rst(stage_rst), .clear(1'b0),
        .in_valid(joined_valid), .in_ready(joined_ready), .in_data(passes ? in_data : result_tdata),
        .out_valid, .out_ready, .out_data, .count(_unused_count_joined)
    );

endmodule

`default_nettype wire
