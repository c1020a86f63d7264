// Data mover to the memories of the card (m_axi_0) and of the host (m_axi_1): the
// kernel that joins an engine's DMA streams to AXI4. The TDEST of a command chooses
// the memory; that of the data is not looked at.
`default_nettype none

module external_dma_2port #(
    parameter int unsigned READ_BURST_BEATS  = 64,  // of 64 bytes, in a burst; a power of two, 2 to 64
    parameter int unsigned WRITE_BURST_BEATS = 16,  // as READ_BURST_BEATS
    parameter int unsigned READ_LINES        = 512, // of 64 bytes, room for read data; a power of two
    parameter int unsigned WRITE_LINES       = 512, // as READ_LINES; two bursts or more
    parameter int unsigned OUTSTANDING       = 64   // read commands, and write bursts, at a time
) (
    input  wire           ap_clk,
    input  wire           ap_rst_n,

    input  wire           s_axi_control_awvalid,
    output logic          s_axi_control_awready,
    input  wire  [15:0]   s_axi_control_awaddr,
    input  wire           s_axi_control_wvalid,
    output logic          s_axi_control_wready,
    input  wire  [31:0]   s_axi_control_wdata,
    input  wire  [3:0]    s_axi_control_wstrb,
    output logic          s_axi_control_bvalid,
    input  wire           s_axi_control_bready,
    output logic [1:0]    s_axi_control_bresp,
    input  wire           s_axi_control_arvalid,
    output logic          s_axi_control_arready,
    input  wire  [15:0]   s_axi_control_araddr,
    output logic          s_axi_control_rvalid,
    input  wire           s_axi_control_rready,
    output logic [31:0]   s_axi_control_rdata,
    output logic [1:0]    s_axi_control_rresp,

    output logic          m_axi_0_awvalid,
    input  wire           m_axi_0_awready,
    output logic [63:0]   m_axi_0_awaddr,
    output logic [7:0]    m_axi_0_awlen,
    output logic [2:0]    m_axi_0_awsize,
    output logic [1:0]    m_axi_0_awburst,
    output logic          m_axi_0_wvalid,
    input  wire           m_axi_0_wready,
    output logic [511:0]  m_axi_0_wdata,
    output logic [63:0]   m_axi_0_wstrb,
    output logic          m_axi_0_wlast,
    input  wire           m_axi_0_bvalid,
    output logic          m_axi_0_bready,
    input  wire  [1:0]    m_axi_0_bresp,
    output logic          m_axi_0_arvalid,
    input  wire           m_axi_0_arready,
    output logic [63:0]   m_axi_0_araddr,
    output logic [7:0]    m_axi_0_arlen,
    output logic [2:0]    m_axi_0_arsize,
    output logic [1:0]    m_axi_0_arburst,
    input  wire           m_axi_0_rvalid,
    output logic          m_axi_0_rready,
    input  wire  [511:0]  m_axi_0_rdata,
    input  wire  [1:0]    m_axi_0_rresp,
    input  wire           m_axi_0_rlast,

    output logic          m_axi_1_awvalid,
    input  wire           m_axi_1_awready,
    output logic [63:0]   m_axi_1_awaddr,
    output logic [7:0]    m_axi_1_awlen,
    output logic [2:0]    m_axi_1_awsize,
    output logic [1:0]    m_axi_1_awburst,
    output logic          m_axi_1_wvalid,
    input  wire           m_axi_1_wready,
    output logic [511:0]  m_axi_1_wdata,
    output logic [63:0]   m_axi_1_wstrb,
    output logic          m_axi_1_wlast,
    input  wire           m_axi_1_bvalid,
    output logic          m_axi_1_bready,
    input  wire  [1:0]    m_axi_1_bresp,
    output logic          m_axi_1_arvalid,
    input  wire           m_axi_1_arready,
    output logic [63:0]   m_axi_1_araddr,
    output logic [7:0]    m_axi_1_arlen,
    output logic [2:0]    m_axi_1_arsize,
    output logic [1:0]    m_axi_1_arburst,
    input  wire           m_axi_1_rvalid,
    output logic          m_axi_1_rready,
    input  wire  [511:0]  m_axi_1_rdata,
    input  wire  [1:0]    m_axi_1_rresp,
    input  wire           m_axi_1_rlast,

    input  wire           s_axis_s2mm_tvalid,
    output logic          s_axis_s2mm_tready,
    input  wire  [511:0]  s_axis_s2mm_tdata,
    input  wire  [63:0]   s_axis_s2mm_tkeep,
    input  wire           s_axis_s2mm_tlast,
    input  wire  [7:0]    s_axis_s2mm_tdest,

    input  wire           s_axis_s2mm_cmd_tvalid,
    output logic          s_axis_s2mm_cmd_tready,
    input  wire  [103:0]  s_axis_s2mm_cmd_tdata,
    input  wire  [7:0]    s_axis_s2mm_cmd_tdest,

    output logic          m_axis_s2mm_sts_tvalid,
    input  wire           m_axis_s2mm_sts_tready,
    output logic [31:0]   m_axis_s2mm_sts_tdata,
    output logic [3:0]    m_axis_s2mm_sts_tkeep,
    output logic          m_axis_s2mm_sts_tlast,

    output logic          m_axis_mm2s_tvalid,
    input  wire           m_axis_mm2s_tready,
    output logic [511:0]  m_axis_mm2s_tdata,
    output logic [63:0]   m_axis_mm2s_tkeep,
    output logic          m_axis_mm2s_tlast,

    input  wire           s_axis_mm2s_cmd_tvalid,
    output logic          s_axis_mm2s_cmd_tready,
    input  wire  [103:0]  s_axis_mm2s_cmd_tdata,
    input  wire  [7:0]    s_axis_mm2s_cmd_tdest,

    output logic          m_axis_mm2s_sts_tvalid,
    input  wire           m_axis_mm2s_sts_tready,
    output logic [7:0]    m_axis_mm2s_sts_tdata,
    output logic [0:0]    m_axis_mm2s_sts_tkeep,
    output logic          m_axis_mm2s_sts_tlast
);

    logic rst;
    always_ff @(posedge ap_clk) rst <= !ap_rst_n;

    logic         ar_valid, ar_ready, ar_memory, r_valid, r_ready;
    logic [63:0]  ar_address;
    logic [7:0]   ar_length;
    logic [511:0] r_data;
    logic [1:0]   r_response;

    logic         aw_valid, aw_ready, aw_memory, w_valid, w_ready, w_last, b_valid, b_ready;
    logic [63:0]  aw_address, w_strobes;
    logic [7:0]   aw_length;
    logic [511:0] w_data;
    logic [1:0]   b_response;

    axilite_pkg::request_t  control_request;
    axilite_pkg::response_t control_response;

    axilite_port #(.ADDRESS_WIDTH(16)) control_port (.*);

    dma_mover #(
        .MEMORIES(2),
        .READ_BURST_BEATS(READ_BURST_BEATS), .WRITE_BURST_BEATS(WRITE_BURST_BEATS),
        .READ_LINES(READ_LINES), .WRITE_LINES(WRITE_LINES), .OUTSTANDING(OUTSTANDING)
    ) mover (.clk(ap_clk), .*);

    dma_read_switch #(.OUTSTANDING(OUTSTANDING)) read_switch (
        .clk(ap_clk), .rst,
        .ar_valid, .ar_ready, .ar_memory, .r_valid, .r_ready, .r_data, .r_response,
        .ar0_valid(m_axi_0_arvalid), .ar0_ready(m_axi_0_arready),
        .r0_valid(m_axi_0_rvalid), .r0_ready(m_axi_0_rready),
        .r0_data(m_axi_0_rdata), .r0_response(m_axi_0_rresp), .r0_last(m_axi_0_rlast),
        .ar1_valid(m_axi_1_arvalid), .ar1_ready(m_axi_1_arready),
        .r1_valid(m_axi_1_rvalid), .r1_ready(m_axi_1_rready),
        .r1_data(m_axi_1_rdata), .r1_response(m_axi_1_rresp), .r1_last(m_axi_1_rlast)
    );

    dma_write_switch #(.OUTSTANDING(OUTSTANDING)) write_switch (
        .clk(ap_clk), .rst,
        .aw_valid, .aw_ready, .aw_memory, .w_valid, .w_ready, .w_last, .b_valid, .b_ready, .b_response,
        .aw0_valid(m_axi_0_awvalid), .aw0_ready(m_axi_0_awready),
        .w0_valid(m_axi_0_wvalid), .w0_ready(m_axi_0_wready),
        .b0_valid(m_axi_0_bvalid), .b0_ready(m_axi_0_bready), .b0_response(m_axi_0_bresp),
        .aw1_valid(m_axi_1_awvalid), .aw1_ready(m_axi_1_awready),
        .w1_valid(m_axi_1_wvalid), .w1_ready(m_axi_1_wready),
        .b1_valid(m_axi_1_bvalid), .b1_ready(m_axi_1_bready), .b1_response(m_axi_1_bresp)
    );

    assign m_axi_0_araddr  = ar_address;
    assign m_axi_0_arlen   = ar_length;
    assign m_axi_0_arsize  = 3'd6;     // 64 bytes
    assign m_axi_0_arburst = 2'b01;    // incrementing
    assign m_axi_0_awaddr  = aw_address;
    assign m_axi_0_awlen   = aw_length;
    assign m_axi_0_awsize  = 3'd6;
    assign m_axi_0_awburst = 2'b01;
    assign m_axi_0_wdata   = w_data;
    assign m_axi_0_wstrb   = w_strobes;
    assign m_axi_0_wlast   = w_last;

    assign m_axi_1_araddr  = ar_address;
    assign m_axi_1_arlen   = ar_length;
    assign m_axi_1_arsize  = 3'd6;     // 64 bytes
    assign m_axi_1_arburst = 2'b01;    // incrementing
    assign m_axi_1_awaddr  = aw_address;
    assign m_axi_1_awlen   = aw_length;
    assign m_axi_1_awsize  = 3'd6;
    assign m_axi_1_awburst = 2'b01;
    assign m_axi_1_wdata   = w_data;
    assign m_axi_1_wstrb   = w_strobes;
    assign m_axi_1_wlast   = w_last;

endmodule

`default_nettype wire
