// A data mover kernel with simulated memories behind it.
`default_nettype none

module external_dma_bench #(
    parameter int PORTS                         = 1,
    parameter int unsigned READ_BURST_BEATS     = 64,
    parameter int unsigned WRITE_BURST_BEATS    = 16,
    parameter int unsigned READ_LINES           = 512,
    parameter int unsigned WRITE_LINES          = 512,
    parameter int unsigned OUTSTANDING          = 64
) (
    input  wire          ap_clk,
    input  wire          ap_rst_n,

    input  wire          s_axi_control_awvalid,
    output logic         s_axi_control_awready,
    input  wire  [15:0]  s_axi_control_awaddr,
    input  wire          s_axi_control_wvalid,
    output logic         s_axi_control_wready,
    input  wire  [31:0]  s_axi_control_wdata,
    input  wire  [3:0]   s_axi_control_wstrb,
    output logic         s_axi_control_bvalid,
    input  wire          s_axi_control_bready,
    output logic [1:0]   s_axi_control_bresp,
    input  wire          s_axi_control_arvalid,
    output logic         s_axi_control_arready,
    input  wire  [15:0]  s_axi_control_araddr,
    output logic         s_axi_control_rvalid,
    input  wire          s_axi_control_rready,
    output logic [31:0]  s_axi_control_rdata,
    output logic [1:0]   s_axi_control_rresp,

    input  wire          s_axis_s2mm_tvalid,
    output logic         s_axis_s2mm_tready,
    input  wire  [511:0] s_axis_s2mm_tdata,
    input  wire  [63:0]  s_axis_s2mm_tkeep,
    input  wire          s_axis_s2mm_tlast,
    input  wire  [7:0]   s_axis_s2mm_tdest,
    input  wire          s_axis_s2mm_cmd_tvalid,
    output logic         s_axis_s2mm_cmd_tready,
    input  wire  [103:0] s_axis_s2mm_cmd_tdata,
    input  wire  [7:0]   s_axis_s2mm_cmd_tdest,
    output logic         m_axis_s2mm_sts_tvalid,
    input  wire          m_axis_s2mm_sts_tready,
    output logic [31:0]  m_axis_s2mm_sts_tdata,
    output logic [3:0]   m_axis_s2mm_sts_tkeep,
    output logic         m_axis_s2mm_sts_tlast,
    output logic         m_axis_mm2s_tvalid,
    input  wire          m_axis_mm2s_tready,
    output logic [511:0] m_axis_mm2s_tdata,
    output logic [63:0]  m_axis_mm2s_tkeep,
    output logic         m_axis_mm2s_tlast,
    input  wire          s_axis_mm2s_cmd_tvalid,
    output logic         s_axis_mm2s_cmd_tready,
    input  wire  [103:0] s_axis_mm2s_cmd_tdata,
    input  wire  [7:0]   s_axis_mm2s_cmd_tdest,
    output logic         m_axis_mm2s_sts_tvalid,
    input  wire          m_axis_mm2s_sts_tready,
    output logic [7:0]   m_axis_mm2s_sts_tdata,
    output logic [0:0]   m_axis_mm2s_sts_tkeep,
    output logic         m_axis_mm2s_sts_tlast
);

    logic rst;
    assign rst = !ap_rst_n;

    logic         m_axi_0_awvalid, m_axi_0_awready, m_axi_0_wvalid, m_axi_0_wready;
    logic         m_axi_0_wlast, m_axi_0_bvalid, m_axi_0_bready;
    logic         m_axi_0_arvalid, m_axi_0_arready, m_axi_0_rvalid, m_axi_0_rready, m_axi_0_rlast;
    logic [63:0]  m_axi_0_awaddr, m_axi_0_araddr, m_axi_0_wstrb;
    logic [7:0]   m_axi_0_awlen, m_axi_0_arlen;
    logic [2:0]   m_axi_0_awsize, m_axi_0_arsize;
    logic [1:0]   m_axi_0_awburst, m_axi_0_arburst, m_axi_0_bresp, m_axi_0_rresp;
    logic [511:0] m_axi_0_wdata, m_axi_0_rdata;

    sim_axi_memory #(.PORT(0), .SPACE(0)) memory_0 (
        .clk(ap_clk), .rst,
        .s_axi_awvalid(m_axi_0_awvalid), .s_axi_awready(m_axi_0_awready),
        .s_axi_awaddr(m_axi_0_awaddr), .s_axi_awlen(m_axi_0_awlen),
        .s_axi_awsize(m_axi_0_awsize), .s_axi_awburst(m_axi_0_awburst),
        .s_axi_wvalid(m_axi_0_wvalid), .s_axi_wready(m_axi_0_wready),
        .s_axi_wdata(m_axi_0_wdata), .s_axi_wstrb(m_axi_0_wstrb), .s_axi_wlast(m_axi_0_wlast),
        .s_axi_bvalid(m_axi_0_bvalid),
        .s_axi_bready(m_axi_0_bready), .s_axi_bresp(m_axi_0_bresp),
        .s_axi_arvalid(m_axi_0_arvalid), .s_axi_arready(m_axi_0_arready),
        .s_axi_araddr(m_axi_0_araddr), .s_axi_arlen(m_axi_0_arlen),
        .s_axi_arsize(m_axi_0_arsize), .s_axi_arburst(m_axi_0_arburst),
        .s_axi_rvalid(m_axi_0_rvalid), .s_axi_rready(m_axi_0_rready),
        .s_axi_rdata(m_axi_0_rdata), .s_axi_rresp(m_axi_0_rresp),
        .s_axi_rlast(m_axi_0_rlast)
    );

    if (PORTS == 1) begin : one_port
        external_dma_1port #(
            .READ_BURST_BEATS(READ_BURST_BEATS), .WRITE_BURST_BEATS(WRITE_BURST_BEATS),
            .READ_LINES(READ_LINES), .WRITE_LINES(WRITE_LINES), .OUTSTANDING(OUTSTANDING)
        ) kernel (.*);

        // Room was reserved: read data never wait.
        import "DPI-C" function void sim_axi_violation(input int port, input string rule);
        always_ff @(posedge ap_clk)
            if (!rst && m_axi_0_rvalid && !m_axi_0_rready) sim_axi_violation(0, "read data wait");
    end else begin : two_ports
        logic         m_axi_1_awvalid, m_axi_1_awready, m_axi_1_wvalid, m_axi_1_wready;
        logic         m_axi_1_wlast, m_axi_1_bvalid, m_axi_1_bready;
        logic         m_axi_1_arvalid, m_axi_1_arready, m_axi_1_rvalid, m_axi_1_rready, m_axi_1_rlast;
        logic [63:0]  m_axi_1_awaddr, m_axi_1_araddr, m_axi_1_wstrb;
        logic [7:0]   m_axi_1_awlen, m_axi_1_arlen;
        logic [2:0]   m_axi_1_awsize, m_axi_1_arsize;
        logic [1:0]   m_axi_1_awburst, m_axi_1_arburst, m_axi_1_bresp, m_axi_1_rresp;
        logic [511:0] m_axi_1_wdata, m_axi_1_rdata;

        external_dma_2port #(
            .READ_BURST_BEATS(READ_BURST_BEATS), .WRITE_BURST_BEATS(WRITE_BURST_BEATS),
            .READ_LINES(READ_LINES), .WRITE_LINES(WRITE_LINES), .OUTSTANDING(OUTSTANDING)
        ) kernel (.*);

        sim_axi_memory #(.PORT(1), .SPACE(1)) memory_1 (
            .clk(ap_clk), .rst,
            .s_axi_awvalid(m_axi_1_awvalid), .s_axi_awready(m_axi_1_awready),
            .s_axi_awaddr(m_axi_1_awaddr), .s_axi_awlen(m_axi_1_awlen),
            .s_axi_awsize(m_axi_1_awsize), .s_axi_awburst(m_axi_1_awburst),
            .s_axi_wvalid(m_axi_1_wvalid), .s_axi_wready(m_axi_1_wready),
            .s_axi_wdata(m_axi_1_wdata), .s_axi_wstrb(m_axi_1_wstrb), .s_axi_wlast(m_axi_1_wlast),
            .s_axi_bvalid(m_axi_1_bvalid),
            .s_axi_bready(m_axi_1_bready), .s_axi_bresp(m_axi_1_bresp),
            .s_axi_arvalid(m_axi_1_arvalid), .s_axi_arready(m_axi_1_arready),
            .s_axi_araddr(m_axi_1_araddr), .s_axi_arlen(m_axi_1_arlen),
            .s_axi_arsize(m_axi_1_arsize), .s_axi_arburst(m_axi_1_arburst),
            .s_axi_rvalid(m_axi_1_rvalid), .s_axi_rready(m_axi_1_rready),
            .s_axi_rdata(m_axi_1_rdata), .s_axi_rresp(m_axi_1_rresp),
            .s_axi_rlast(m_axi_1_rlast)
        );
    end

endmodule

`default_nettype wire
