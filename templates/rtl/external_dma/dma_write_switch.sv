// Leads the write bursts of a data mover to one of two memories: addresses by
// their choice, data and responses in the order of the addresses. Data of a burst
// may come once its address was taken.
`default_nettype none

module dma_write_switch #(
    parameter int unsigned OUTSTANDING = 64    // bursts
) (
    input  wire         clk,
    input  wire         rst,

    input  wire         aw_valid,
    output logic        aw_ready,
    input  wire         aw_memory,
    input  wire         w_valid,
    output logic        w_ready,
    input  wire         w_last,
    output logic        b_valid,
    input  wire         b_ready,
    output logic [1:0]  b_response,

    output logic        aw0_valid,
    input  wire         aw0_ready,
    output logic        w0_valid,
    input  wire         w0_ready,
    input  wire         b0_valid,
    output logic        b0_ready,
    input  wire  [1:0]  b0_response,

    output logic        aw1_valid,
    input  wire         aw1_ready,
    output logic        w1_valid,
    input  wire         w1_ready,
    input  wire         b1_valid,
    output logic        b1_ready,
    input  wire  [1:0]  b1_response
);

    logic data_room, answer_room, room, taken;
    logic data_due, data_to, answer_due, answer_from;

    assign room      = data_room && answer_room;
    assign aw0_valid = aw_valid && !aw_memory && room;
    assign aw1_valid = aw_valid && aw_memory && room;
    assign aw_ready  = room && (aw_memory ? aw1_ready : aw0_ready);
    assign taken     = aw_valid && aw_ready;

    assign w0_valid = w_valid && data_due && !data_to;
    assign w1_valid = w_valid && data_due && data_to;
    assign w_ready  = data_due && (data_to ? w1_ready : w0_ready);

    assign b_valid    = answer_due && (answer_from ? b1_valid : b0_valid);
    assign b_response = answer_from ? b1_response : b0_response;
    assign b0_ready   = answer_due && !answer_from && b_ready;
    assign b1_ready   = answer_due && answer_from && b_ready;

    logic [$clog2(OUTSTANDING+1)-1:0] _unused_data_order;
    fifo #(.WIDTH(1), .DEPTH(OUTSTANDING)) data_order (
        .clk, .rst, .clear(1'b0),
        .in_valid(taken), .in_ready(data_room), .in_data(aw_memory),
        .out_valid(data_due), .out_ready(w_valid && w_ready && w_last), .out_data(data_to), .count(_unused_data_order)
    );

    logic [$clog2(OUTSTANDING+1)-1:0] _unused_answer_order;
    fifo #(.WIDTH(1), .DEPTH(OUTSTANDING)) answer_order (
        .clk, .rst, .clear(1'b0),
        .in_valid(taken), .in_ready(answer_room), .in_data(aw_memory),
        .out_valid(answer_due), .out_ready(b_valid && b_ready), .out_data(answer_from), .count(_unused_answer_order)
    );

endmodule

`default_nettype wire
