// Gives a plugin its packets, one for each slice that it has a part in. While it
// drains, what a packet still lacks is filled with anything, so that the plugin
// can end what it has begun.
`default_nettype none

module plugin_feed #(
    parameter int unsigned TDEST_WIDTH = 4, // bits
    parameter int unsigned DEPTH       = 8  // packets at a time
) (
    input  wire  clk,
    input  wire  rst,
    input  wire  drain,                              // a level
    output logic owes,                               // something that the plugin has not taken yet

    input  wire  packet_valid,                       // there is room for DEPTH
    input  wire  [TDEST_WIDTH-1:0] packet_tdest,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] packet_bytes,

    input  wire  in_valid,
    output logic in_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] in_data,
    output logic in_last,

    output logic out_tvalid,
    input  wire  out_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0] out_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0] out_tkeep,
    output logic out_tlast,
    output logic [TDEST_WIDTH-1:0] out_tdest
);

    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned WIDTH  = engine_pkg::DATA_WIDTH;
    localparam int unsigned KEEP   = engine_pkg::KEEP_WIDTH;

    logic                   there, move, valid, ready;
    logic [TDEST_WIDTH-1:0] tdest;
    logic [LENGTH-1:0]      bytes;
    logic [KEEP-1:0]        keep;
    logic _unused_room;
    logic [$clog2(DEPTH+1)-1:0] _unused_count;
    logic [6:0] _unused_bytes;

    fifo #(.WIDTH(TDEST_WIDTH + LENGTH), .DEPTH(DEPTH)) packets (
        .clk, .rst, .clear(1'b0),
        .in_valid(packet_valid), .in_ready(_unused_room), .in_data({packet_tdest, packet_bytes}),
        .out_valid(there), .out_ready(move && in_last), .out_data({tdest, bytes}), .count(_unused_count)
    );
    beat_counter counter (
        .clk, .rst, .bytes, .move, .last(in_last), .keep, .beat_bytes(_unused_bytes)
    );

    assign in_ready = there && ready && !drain;
    assign valid    = there && (drain || in_valid);
    assign move     = valid && ready;
    assign owes     = there || out_tvalid;

    skid_buffer #(.WIDTH(WIDTH + KEEP + 1 + TDEST_WIDTH)) register (
        .clk, .rst,
        .in_valid(valid), .in_ready(ready), .in_data({tdest, in_last, keep, in_data}),
        .out_valid(out_tvalid), .out_ready(out_tready), .out_data({out_tdest, out_tlast, out_tkeep, out_tdata})
    );

endmodule

`default_nettype wire
