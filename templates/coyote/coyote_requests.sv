// Brings requests of several sources to the shell's queue, in turns.
`default_nettype none

module coyote_requests #(
    parameter int unsigned SOURCES = 2 // DMA engines that ask
) (
    input  wire                   clk,
    input  wire                   rst,

    input  wire  [SOURCES-1:0]    in_valid,
    output logic [SOURCES-1:0]    in_ready,
    input  wire  [98*SOURCES-1:0] in_data,

    output logic                  out_valid,
    input  wire                   out_ready,
    output logic [97:0]           out_data
);

    logic [SOURCES-1:0] grant;
    logic               any, ready;
    logic [97:0]        chosen;

    logic [(SOURCES > 1 ? $clog2(SOURCES) : 1)-1:0] index;
    round_robin #(.N(SOURCES)) turns (.clk, .rst, .request(in_valid), .advance(ready), .grant, .index);

    assign any      = |in_valid;
    assign in_ready = ready ? grant : '0;
    assign chosen   = in_data[98*index +: 98];

    skid_buffer #(.WIDTH(98)) queue (
        .clk, .rst, .in_valid(any), .in_ready(ready), .in_data(chosen), .out_valid, .out_ready, .out_data
    );

endmodule

`default_nettype wire
