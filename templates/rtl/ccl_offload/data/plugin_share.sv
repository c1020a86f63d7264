// Two lanes take turns at a plugin, in the order of their slices.
`default_nettype none

module plugin_share #(
    parameter int unsigned TDEST_WIDTH = 4, // bits
    parameter int unsigned DEPTH       = 8  // packets at a time
) (
    input  wire  clk,
    input  wire  rst,

    input  wire  packet_valid,                      // of one of them; there is room for DEPTH
    input  wire  packet_second,

    input  wire  [1:0] operand_tvalid,
    output logic [1:0] operand_tready,
    input  wire  [2*engine_pkg::DATA_WIDTH-1:0] operand_tdata,
    input  wire  [2*engine_pkg::KEEP_WIDTH-1:0] operand_tkeep,
    input  wire  [1:0] operand_tlast,
    input  wire  [2*TDEST_WIDTH-1:0] operand_tdest,
    output logic [1:0] result_tvalid,
    input  wire  [1:0] result_tready,
    input  wire  [1:0] result_last,                 // what the lane takes is the last of a packet

    output logic plugin_operand_tvalid,
    input  wire  plugin_operand_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0] plugin_operand_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0] plugin_operand_tkeep,
    output logic plugin_operand_tlast,
    output logic [TDEST_WIDTH-1:0] plugin_operand_tdest,
    input  wire  plugin_result_tvalid,
    output logic plugin_result_tready
);

    localparam int unsigned WIDTH = engine_pkg::DATA_WIDTH;
    localparam int unsigned KEEP  = engine_pkg::KEEP_WIDTH;

    logic gives, giver, given, takes, taker, taken;
    logic _unused_give_room, _unused_take_room;
    logic [$clog2(DEPTH+1)-1:0] _unused_give_count, _unused_take_count;

    fifo #(.WIDTH(1), .DEPTH(DEPTH)) givers (
        .clk, .rst, .clear(1'b0),
        .in_valid(packet_valid), .in_ready(_unused_give_room), .in_data(packet_second),
        .out_valid(gives), .out_ready(given), .out_data(giver), .count(_unused_give_count)
    );
    fifo #(.WIDTH(1), .DEPTH(DEPTH)) takers (
        .clk, .rst, .clear(1'b0),
        .in_valid(packet_valid), .in_ready(_unused_take_room), .in_data(packet_second),
        .out_valid(takes), .out_ready(taken), .out_data(taker), .count(_unused_take_count)
    );

    assign plugin_operand_tvalid = gives && operand_tvalid[giver];
    assign plugin_operand_tdata  = giver ? operand_tdata[WIDTH +: WIDTH] : operand_tdata[0 +: WIDTH];
    assign plugin_operand_tkeep  = giver ? operand_tkeep[KEEP +: KEEP] : operand_tkeep[0 +: KEEP];
    assign plugin_operand_tlast  = operand_tlast[giver];
    assign plugin_operand_tdest  = giver ? operand_tdest[TDEST_WIDTH +: TDEST_WIDTH] : operand_tdest[0 +: TDEST_WIDTH];
    assign operand_tready        = gives && plugin_operand_tready ? 2'd1 << giver : '0;
    assign given                 = plugin_operand_tvalid && plugin_operand_tready && plugin_operand_tlast;

    assign result_tvalid         = takes && plugin_result_tvalid ? 2'd1 << taker : '0;
    assign plugin_result_tready  = takes && result_tready[taker];
    assign taken                 = plugin_result_tvalid && plugin_result_tready && result_last[taker];

endmodule

`default_nettype wire
