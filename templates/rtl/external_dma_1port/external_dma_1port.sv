// Data mover to the memory of the card: the kernel that joins an engine's DMA
// streams to AXI4.
`default_nettype none

module external_dma_1port #(
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

    logic _unused_ar_memory, _unused_aw_memory;

    axilite_pkg::request_t  control_request;
    axilite_pkg::response_t control_response;

    axilite_port #(.ADDRESS_WIDTH(16)) control_port (.*);

    dma_mover #(
        .MEMORIES(1),
        .READ_BURST_BEATS(READ_BURST_BEATS), .WRITE_BURST_BEATS(WRITE_BURST_BEATS),
        .READ_LINES(READ_LINES), .WRITE_LINES(WRITE_LINES), .OUTSTANDING(OUTSTANDING)
    ) mover (
        .clk(ap_clk),
        .ar_valid(m_axi_0_arvalid), .ar_ready(m_axi_0_arready), .ar_address(m_axi_0_araddr), .ar_length(m_axi_0_arlen),
        .ar_memory(_unused_ar_memory),
        .r_valid(m_axi_0_rvalid), .r_ready(m_axi_0_rready), .r_data(m_axi_0_rdata), .r_response(m_axi_0_rresp),
        .aw_valid(m_axi_0_awvalid), .aw_ready(m_axi_0_awready), .aw_address(m_axi_0_awaddr), .aw_length(m_axi_0_awlen),
        .aw_memory(_unused_aw_memory),
        .w_valid(m_axi_0_wvalid), .w_ready(m_axi_0_wready), .w_data(m_axi_0_wdata), .w_strobes(m_axi_0_wstrb),
        .w_last(m_axi_0_wlast),
        .b_valid(m_axi_0_bvalid), .b_ready(m_axi_0_bready), .b_response(m_axi_0_bresp),
        .*
    );

    assign m_axi_0_arsize  = 3'd6;     // 64 bytes
    assign m_axi_0_arburst = 2'b01;    // incrementing
    assign m_axi_0_awsize  = 3'd6;
    assign m_axi_0_awburst = 2'b01;

    wire _unused = &{1'b0, m_axi_0_rlast};

endmodule

`default_nettype wire
