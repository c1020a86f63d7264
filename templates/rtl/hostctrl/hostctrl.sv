// Turns register writes of the host into the call stream: the kernel.
`default_nettype none

module hostctrl (
    input  wire         ap_clk,
    input  wire         ap_rst_n,

    input  wire         s_axi_control_awvalid,
    output logic        s_axi_control_awready,
    input  wire  [11:0] s_axi_control_awaddr,
    input  wire         s_axi_control_wvalid,
    output logic        s_axi_control_wready,
    input  wire  [31:0] s_axi_control_wdata,
    input  wire  [3:0]  s_axi_control_wstrb,
    output logic        s_axi_control_bvalid,
    input  wire         s_axi_control_bready,
    output logic [1:0]  s_axi_control_bresp,
    input  wire         s_axi_control_arvalid,
    output logic        s_axi_control_arready,
    input  wire  [11:0] s_axi_control_araddr,
    output logic        s_axi_control_rvalid,
    input  wire         s_axi_control_rready,
    output logic [31:0] s_axi_control_rdata,
    output logic [1:0]  s_axi_control_rresp,

    output logic        cmd_tvalid,
    input  wire         cmd_tready,
    output logic [31:0] cmd_tdata,
    input  wire         sts_tvalid,
    output logic        sts_tready,
    input  wire  [31:0] sts_tdata
);

    logic        clk, rst;
    logic        bus_valid, bus_write, bus_ready;
    logic [11:0] bus_address;
    logic [31:0] bus_wdata, bus_rdata;
    logic [3:0]  bus_strobe;

    assign clk = ap_clk;

    always_ff @(posedge ap_clk) rst <= !ap_rst_n;

    axilite_slave #(.ADDRESS_WIDTH(12)) slave (
        .awvalid(s_axi_control_awvalid), .awready(s_axi_control_awready), .awaddr(s_axi_control_awaddr),
        .wvalid(s_axi_control_wvalid), .wready(s_axi_control_wready),
        .wdata(s_axi_control_wdata), .wstrb(s_axi_control_wstrb),
        .bvalid(s_axi_control_bvalid), .bready(s_axi_control_bready), .bresp(s_axi_control_bresp),
        .arvalid(s_axi_control_arvalid), .arready(s_axi_control_arready), .araddr(s_axi_control_araddr),
        .rvalid(s_axi_control_rvalid), .rready(s_axi_control_rready),
        .rdata(s_axi_control_rdata), .rresp(s_axi_control_rresp),
        .*
    );

    hostctrl_core #(.ADDRESS_WIDTH(12)) core (
        .call_valid(cmd_tvalid), .call_ready(cmd_tready), .call_data(cmd_tdata),
        .answer_valid(sts_tvalid), .answer_ready(sts_tready), .answer_data(sts_tdata),
        .*
    );

endmodule

`default_nettype wire
