// Puts results on the kernel stream: whole beats, packed over the slices of a
// move; the last beat of a move is padded.
`default_nettype none

module kernel_writer #(
    parameter int unsigned DEPTH = 8 // slices at a time
) (
    input  wire  clk,
    input  wire  rst,

    input  wire  slice_valid,                       // there is room for DEPTH
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] slice_bytes,
    input  wire  [7:0] slice_tdest,
    input  wire  slice_finishes,                    // the last of its move

    input  wire  in_valid,
    output logic in_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] in_data,
    output logic done,                              // a slice was taken
    input  wire  forget,                            // a pulse between slices: a beat that is not full is dropped

    output logic out_tvalid,
    input  wire  out_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0] out_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0] out_tkeep,
    output logic out_tlast,
    output logic [7:0] out_tdest,
    output logic popped                             // a beat has left
);

    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned WIDTH  = engine_pkg::DATA_WIDTH;
    localparam int unsigned KEEP   = engine_pkg::KEEP_WIDTH;

    logic              there, finishes, last, move, first, packer_ready;
    logic [LENGTH-1:0] bytes;
    logic [7:0]        tdest, row_tdest;
    logic [6:0]        beat_bytes;
    logic              row_valid, row_ready, row_last;
    logic [WIDTH-1:0]  row;
    logic [KEEP-1:0]   row_keep;
    logic _unused_room;
    logic [$clog2(DEPTH+1)-1:0] _unused_count;
    logic [KEEP-1:0] _unused_keep;

    fifo #(.WIDTH(9 + LENGTH), .DEPTH(DEPTH)) slices (
        .clk, .rst, .clear(1'b0),
        .in_valid(slice_valid), .in_ready(_unused_room), .in_data({slice_finishes, slice_tdest, slice_bytes}),
        .out_valid(there), .out_ready(move && last), .out_data({finishes, tdest, bytes}), .count(_unused_count)
    );
    beat_counter counter (
        .clk, .rst, .bytes, .move, .last, .keep(_unused_keep), .beat_bytes
    );

    assign in_ready = there && packer_ready;
    assign move     = in_valid && in_ready;
    assign done     = move && last;

    byte_packer packer (
        .clk, .rst, .forget,
        .in_valid(in_valid && there), .in_ready(packer_ready), .in_data, .in_bytes(beat_bytes),
        .in_first(first), .in_last(last), .in_continues(1'b1), .in_offset(6'd0), .in_flush(finishes),
        .out_valid(row_valid), .out_ready(row_ready), .out_data(row), .out_strobe(row_keep), .out_last(row_last)
    );

    always_ff @(posedge clk) begin
        if (rst) first <= 1'b1;
        else if (move) first <= last;
        if (move) row_tdest <= tdest;
    end

    line_fifo #(.WIDTH(WIDTH + KEEP + 9), .DEPTH(engine_pkg::KERNEL_BEATS)) beats (
        .clk, .rst,
        .in_valid(row_valid), .in_ready(row_ready), .in_data({row_last, row_tdest, row_keep, row}),
        .out_valid(out_tvalid), .out_ready(out_tready),
        .out_data({out_tlast, out_tdest, out_tkeep, out_tdata})
    );
    assign popped = out_tvalid && out_tready;

endmodule

`default_nettype wire
