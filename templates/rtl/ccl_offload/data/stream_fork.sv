// One stream to any of several takers, slice by slice. A slice that nobody
// takes is dropped.
`default_nettype none

module stream_fork #(
    parameter int unsigned TAKERS = 2, // streams out
    parameter int unsigned DEPTH  = 8  // slices at a time
) (
    input  wire  clk,
    input  wire  rst,

    input  wire  slice_valid,                       // there is room for DEPTH
    input  wire  [TAKERS-1:0] slice_takers,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] slice_bytes,

    input  wire  in_valid,
    output logic in_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] in_data,

    output logic [TAKERS-1:0] out_valid,
    input  wire  [TAKERS-1:0] out_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0] out_data,

    output logic dropped                            // a slice, with its last beat
);

    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;

    logic              there, last, move;
    logic [TAKERS-1:0] takers, served;
    logic [LENGTH-1:0] bytes;
    logic _unused_room;
    logic [$clog2(DEPTH+1)-1:0] _unused_count;
    logic [6:0] _unused_bytes;
    logic [engine_pkg::KEEP_WIDTH-1:0] _unused_keep;

    fifo #(.WIDTH(TAKERS + LENGTH), .DEPTH(DEPTH)) slices (
        .clk, .rst, .clear(1'b0),
        .in_valid(slice_valid), .in_ready(_unused_room), .in_data({slice_takers, slice_bytes}),
        .out_valid(there), .out_ready(move && last), .out_data({takers, bytes}), .count(_unused_count)
    );
    beat_counter counter (
        .clk, .rst, .bytes, .move, .last, .keep(_unused_keep), .beat_bytes(_unused_bytes)
    );

    assign out_data  = in_data;
    assign out_valid = there && in_valid ? takers & ~served : '0;
    assign in_ready  = there && &(~takers | served | out_ready);
    assign move      = in_valid && in_ready;
    assign dropped   = move && last && takers == '0;

    always_ff @(posedge clk) begin
        if (rst || move) served <= '0;
        else served <= served | (out_valid & out_ready);
    end

endmodule

`default_nettype wire
