// Kernel: reduces two operands that come side by side, operand 0 in the low half
// (see reduce_core).
`default_nettype none

module reduce_ops_wide (
    input  wire          ap_clk,
    input  wire          ap_rst_n,

    input  wire          in_r_tvalid,
    output logic         in_r_tready,
    input  wire [1023:0] in_r_tdata,
    input  wire [127:0]  in_r_tkeep,
    input  wire          in_r_tlast,
    input  wire [7:0]    in_r_tdest,

    output logic         out_r_tvalid,
    input  wire          out_r_tready,
    output logic [511:0] out_r_tdata,
    output logic [63:0]  out_r_tkeep,
    output logic         out_r_tlast
);

    logic rst, op0_ready, op1_ready;
    always_ff @(posedge ap_clk) rst <= !ap_rst_n;

    assign in_r_tready = op0_ready && op1_ready;

    reduce_core core (
        .clk(ap_clk), .rst,
        .op0_valid(in_r_tvalid && op1_ready), .op0_ready, .op0_data(in_r_tdata[511:0]),
        .op0_keep(in_r_tkeep[63:0]), .op0_last(in_r_tlast), .op0_tdest(in_r_tdest),
        .op1_valid(in_r_tvalid && op0_ready), .op1_ready, .op1_data(in_r_tdata[1023:512]),
        .result_valid(out_r_tvalid), .result_ready(out_r_tready), .result_data(out_r_tdata),
        .result_keep(out_r_tkeep), .result_last(out_r_tlast)
    );

    // The result follows operand 0.
    wire _unused = &{1'b0, in_r_tkeep[127:64]};

endmodule

`default_nettype wire
