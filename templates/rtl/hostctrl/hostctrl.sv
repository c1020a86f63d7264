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

    axilite_pkg::request_t  control_request;
    axilite_pkg::response_t control_response;
    logic        clk, rst;
    logic        bus_valid, bus_write, bus_ready;
    logic [11:0] bus_address;
    logic [31:0] bus_wdata, bus_rdata;
    logic [3:0]  bus_strobe;

    assign clk = ap_clk;

    always_ff @(posedge ap_clk) rst <= !ap_rst_n;

    axilite_port #(.ADDRESS_WIDTH(12)) control_port (.*);

    axilite_slave #(.ADDRESS_WIDTH(12)) slave (.*);

    hostctrl_core #(.ADDRESS_WIDTH(12)) core (
        .call_valid(cmd_tvalid), .call_ready(cmd_tready), .call_data(cmd_tdata),
        .answer_valid(sts_tvalid), .answer_ready(sts_tready), .answer_data(sts_tdata),
        .*
    );

endmodule

`default_nettype wire
