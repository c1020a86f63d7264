// Stands in for the 100G MAC on Ethernet port 1: it is silent.
`default_nettype none

module cmac_1 (
    input  wire          ap_clk,
    input  wire          ap_rst_n,
    input  wire          S_AXILITE_awvalid,
    output logic         S_AXILITE_awready,
    input  wire  [15:0]  S_AXILITE_awaddr,
    input  wire          S_AXILITE_wvalid,
    output logic         S_AXILITE_wready,
    input  wire  [31:0]  S_AXILITE_wdata,
    input  wire  [3:0]   S_AXILITE_wstrb,
    output logic         S_AXILITE_bvalid,
    input  wire          S_AXILITE_bready,
    output logic [1:0]   S_AXILITE_bresp,
    input  wire          S_AXILITE_arvalid,
    output logic         S_AXILITE_arready,
    input  wire  [15:0]  S_AXILITE_araddr,
    output logic         S_AXILITE_rvalid,
    input  wire          S_AXILITE_rready,
    output logic [31:0]  S_AXILITE_rdata,
    output logic [1:0]   S_AXILITE_rresp,
    input  wire          S_AXIS_tvalid,
    output logic         S_AXIS_tready,
    input  wire  [511:0] S_AXIS_tdata,
    input  wire  [63:0]  S_AXIS_tkeep,
    input  wire          S_AXIS_tlast,
    output logic         M_AXIS_tvalid,
    input  wire          M_AXIS_tready,
    output logic [511:0] M_AXIS_tdata,
    output logic [63:0]  M_AXIS_tkeep,
    output logic         M_AXIS_tlast
);

    wire clk = ap_clk;
    wire rst = !ap_rst_n;

    sim_axilite_zero control (
        .clk, .rst,
        .awvalid(S_AXILITE_awvalid), .awready(S_AXILITE_awready), .wvalid(S_AXILITE_wvalid), .wready(S_AXILITE_wready),
        .bvalid(S_AXILITE_bvalid), .bready(S_AXILITE_bready), .bresp(S_AXILITE_bresp),
        .arvalid(S_AXILITE_arvalid), .arready(S_AXILITE_arready),
        .rvalid(S_AXILITE_rvalid), .rready(S_AXILITE_rready), .rdata(S_AXILITE_rdata), .rresp(S_AXILITE_rresp)
    );

    assign S_AXIS_tready = 1'b1;
    assign M_AXIS_tvalid = 1'b0;
    assign M_AXIS_tdata  = '0;
    assign M_AXIS_tkeep  = '0;
    assign M_AXIS_tlast  = 1'b0;

    wire unused = &{
        1'b0, S_AXILITE_awaddr, S_AXILITE_wdata, S_AXILITE_wstrb, S_AXILITE_araddr,
        S_AXIS_tvalid, S_AXIS_tdata, S_AXIS_tkeep, S_AXIS_tlast, M_AXIS_tready
    };

endmodule

`default_nettype wire
