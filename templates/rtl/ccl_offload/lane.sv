// One stream through a plugin, or past it, slice by slice in order.
`default_nettype none

module lane #(
    parameter int unsigned TDEST_WIDTH = 4,
    parameter int unsigned DEPTH       = 8 // slices at a time
) (
    input  wire  clk,
    input  wire  rst,

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
    input  wire  [engine_pkg::DATA_WIDTH-1:0] result_tdata
);

    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned COUNT  = $clog2(DEPTH + 1);

    logic                   in_slice, in_convert, in_last, in_move;
    logic [TDEST_WIDTH-1:0] in_tdest;
    logic [LENGTH-1:0]      in_bytes, out_bytes;
    logic                   out_slice, out_convert, out_last, out_move;
    logic                   joined_valid, joined_ready, passes;
    logic [engine_pkg::KEEP_WIDTH-1:0] in_keep;
    logic _unused_room_in, _unused_room_out;
    logic [COUNT-1:0] _unused_count_in, _unused_count_out;
    logic [6:0] _unused_in_bytes, _unused_out_bytes;
    logic [engine_pkg::KEEP_WIDTH-1:0] _unused_keep;

    fifo #(.WIDTH(1 + TDEST_WIDTH + LENGTH), .DEPTH(DEPTH)) in_slices (
        .clk, .rst, .clear(1'b0),
        .in_valid(slice_valid), .in_ready(_unused_room_in), .in_data({slice_convert, slice_tdest, slice_in_bytes}),
        .out_valid(in_slice), .out_ready(in_move && in_last), .out_data({in_convert, in_tdest, in_bytes}), .count(_unused_count_in)
    );
    fifo #(.WIDTH(1 + LENGTH), .DEPTH(DEPTH)) out_slices (
        .clk, .rst, .clear(1'b0),
        .in_valid(slice_valid), .in_ready(_unused_room_out), .in_data({slice_convert, slice_out_bytes}),
        .out_valid(out_slice), .out_ready(out_move && out_last), .out_data({out_convert, out_bytes}), .count(_unused_count_out)
    );
    beat_counter in_counter (
        .clk, .rst, .bytes(in_bytes), .move(in_move), .last(in_last), .keep(in_keep), .beat_bytes(_unused_in_bytes)
    );
    beat_counter out_counter (
        .clk, .rst, .bytes(out_bytes), .move(out_move), .last(out_last), .keep(_unused_keep), .beat_bytes(_unused_out_bytes)
    );

    // What passes by moves in step on both sides: when its turn has come at the
    // output, all before it have left the plugin.
    assign passes         = in_slice && !in_convert && out_slice && !out_convert;
    assign operand_tvalid = in_slice && in_convert && in_valid;
    assign operand_tdata  = in_data;
    assign operand_tkeep  = in_keep;
    assign operand_tlast  = in_last;
    assign operand_tdest  = in_tdest;
    assign in_ready       = passes ? joined_ready : in_slice && in_convert && operand_tready;
    assign in_move        = in_valid && in_ready;

    assign joined_valid   = passes ? in_valid : out_slice && out_convert && result_tvalid;
    assign result_tready  = out_slice && out_convert && joined_ready;
    assign out_move       = joined_valid && joined_ready;

    skid_buffer #(.WIDTH(engine_pkg::DATA_WIDTH)) out_register (
        .clk, .rst,
        .in_valid(joined_valid), .in_ready(joined_ready), .in_data(passes ? in_data : result_tdata),
        .out_valid, .out_ready, .out_data
    );

endmodule

`default_nettype wire
