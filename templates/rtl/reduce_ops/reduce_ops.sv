// Kernel: reduces two operand streams (see reduce_core).
`default_nettype none

module reduce_ops (
    input  wire          ap_clk,
    input  wire          ap_rst_n,

    input  wire          in0_tvalid,
    output logic         in0_tready,
    input  wire [511:0]  in0_tdata,
    input  wire [63:0]   in0_tkeep,
    input  wire          in0_tlast,
    input  wire [7:0]    in0_tdest,

    input  wire          in1_tvalid,
    output logic         in1_tready,
    input  wire [511:0]  in1_tdata,
    input  wire [63:0]   in1_tkeep,
    input  wire          in1_tlast,

    output logic         out_r_tvalid,
    input  wire          out_r_tready,
    output logic [511:0] out_r_tdata,
    output logic [63:0]  out_r_tkeep,
    output logic         out_r_tlast
);

    logic rst;
    always_ff @(posedge ap_clk) rst <= !ap_rst_n;

    reduce_core core (
        .clk(ap_clk), .rst,
        .op0_valid(in0_tvalid), .op0_ready(in0_tready), .op0_data(in0_tdata),
        .op0_keep(in0_tkeep), .op0_last(in0_tlast), .op0_tdest(in0_tdest),
        .op1_valid(in1_tvalid), .op1_ready(in1_tready), .op1_data(in1_tdata),
        .result_valid(out_r_tvalid), .result_ready(out_r_tready), .result_data(out_r_tdata),
        .result_keep(out_r_tkeep), .result_last(out_r_tlast)
    );

    // The result follows operand 0.
    wire _unused = &{1'b0, in1_tkeep, in1_tlast};

endmodule

`default_nettype wire
