// Leads the read bursts of a data mover to one of two memories; the data come
// back in the order of the bursts.
`default_nettype none

module dma_read_switch #(
    parameter int unsigned OUTSTANDING = 64    // bursts
) (
    input  wire          clk,
    input  wire          rst,

    input  wire          ar_valid,
    output logic         ar_ready,
    input  wire          ar_memory,

    output logic         r_valid,
    input  wire          r_ready,
    output logic [511:0] r_data,
    output logic [1:0]   r_response,

    output logic         ar0_valid,
    input  wire          ar0_ready,
    input  wire          r0_valid,
    output logic         r0_ready,
    input  wire  [511:0] r0_data,
    input  wire  [1:0]   r0_response,
    input  wire          r0_last,

    output logic         ar1_valid,
    input  wire          ar1_ready,
    input  wire          r1_valid,
    output logic         r1_ready,
    input  wire  [511:0] r1_data,
    input  wire  [1:0]   r1_response,
    input  wire          r1_last
);

    logic room, expected, from, last;

    assign ar0_valid = ar_valid && !ar_memory && room;
    assign ar1_valid = ar_valid && ar_memory && room;
    assign ar_ready  = room && (ar_memory ? ar1_ready : ar0_ready);

    assign r_valid    = expected && (from ? r1_valid : r0_valid);
    assign r_data     = from ? r1_data : r0_data;
    assign r_response = from ? r1_response : r0_response;
    assign last       = from ? r1_last : r0_last;
    assign r0_ready   = expected && !from && r_ready;
    assign r1_ready   = expected && from && r_ready;

    logic [$clog2(OUTSTANDING+1)-1:0] _unused_order;
    fifo #(.WIDTH(1), .DEPTH(OUTSTANDING)) order (
        .clk, .rst, .clear(1'b0),
        .in_valid(ar_valid && ar_ready), .in_ready(room), .in_data(ar_memory),
        .out_valid(expected), .out_ready(r_valid && r_ready && last), .out_data(from), .count(_unused_order)
    );

endmodule

`default_nettype wire
