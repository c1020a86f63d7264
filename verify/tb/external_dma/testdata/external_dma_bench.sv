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

    if (PORTS == 1) begin : one_port
        logic axi_0_awvalid;
        logic axi_0_awready;
        logic [63:0] axi_0_awaddr;
        logic [7:0] axi_0_awlen;
        logic [2:0] axi_0_awsize;
        logic [1:0] axi_0_awburst;
        logic axi_0_wvalid;
        logic axi_0_wready;
        logic [511:0] axi_0_wdata;
        logic [63:0] axi_0_wstrb;
        logic axi_0_wlast;
        logic axi_0_bvalid;
        logic axi_0_bready;
        logic [1:0] axi_0_bresp;
        logic axi_0_arvalid;
        logic axi_0_arready;
        logic [63:0] axi_0_araddr;
        logic [7:0] axi_0_arlen;
        logic [2:0] axi_0_arsize;
        logic [1:0] axi_0_arburst;
        logic axi_0_rvalid;
        logic axi_0_rready;
        logic [511:0] axi_0_rdata;
        logic [1:0] axi_0_rresp;
        logic axi_0_rlast;

        external_dma_1port #(
            .READ_BURST_BEATS(READ_BURST_BEATS), .WRITE_BURST_BEATS(WRITE_BURST_BEATS),
            .READ_LINES(READ_LINES), .WRITE_LINES(WRITE_LINES), .OUTSTANDING(OUTSTANDING)
        ) kernel (
            .ap_clk, .ap_rst_n, .s_axi_control_awvalid, .s_axi_control_awready,
            .s_axi_control_awaddr, .s_axi_control_wvalid, .s_axi_control_wready, .s_axi_control_wdata,
            .s_axi_control_wstrb, .s_axi_control_bvalid, .s_axi_control_bready, .s_axi_control_bresp,
            .s_axi_control_arvalid, .s_axi_control_arready, .s_axi_control_araddr, .s_axi_control_rvalid,
            .s_axi_control_rready, .s_axi_control_rdata, .s_axi_control_rresp, .s_axis_s2mm_tvalid,
            .s_axis_s2mm_tready, .s_axis_s2mm_tdata, .s_axis_s2mm_tkeep, .s_axis_s2mm_tlast,
            .s_axis_s2mm_tdest, .s_axis_s2mm_cmd_tvalid, .s_axis_s2mm_cmd_tready, .s_axis_s2mm_cmd_tdata,
            .s_axis_s2mm_cmd_tdest, .m_axis_s2mm_sts_tvalid, .m_axis_s2mm_sts_tready, .m_axis_s2mm_sts_tdata,
            .m_axis_s2mm_sts_tkeep, .m_axis_s2mm_sts_tlast, .m_axis_mm2s_tvalid, .m_axis_mm2s_tready,
            .m_axis_mm2s_tdata, .m_axis_mm2s_tkeep, .m_axis_mm2s_tlast, .s_axis_mm2s_cmd_tvalid,
            .s_axis_mm2s_cmd_tready, .s_axis_mm2s_cmd_tdata, .s_axis_mm2s_cmd_tdest, .m_axis_mm2s_sts_tvalid,
            .m_axis_mm2s_sts_tready, .m_axis_mm2s_sts_tdata, .m_axis_mm2s_sts_tkeep, .m_axis_mm2s_sts_tlast,
            .m_axi_0_awvalid(axi_0_awvalid), .m_axi_0_awready(axi_0_awready), .m_axi_0_awaddr(axi_0_awaddr), .m_axi_0_awlen(axi_0_awlen),
            .m_axi_0_awsize(axi_0_awsize), .m_axi_0_awburst(axi_0_awburst), .m_axi_0_wvalid(axi_0_wvalid), .m_axi_0_wready(axi_0_wready),
            .m_axi_0_wdata(axi_0_wdata), .m_axi_0_wstrb(axi_0_wstrb), .m_axi_0_wlast(axi_0_wlast), .m_axi_0_bvalid(axi_0_bvalid),
            .m_axi_0_bready(axi_0_bready), .m_axi_0_bresp(axi_0_bresp), .m_axi_0_arvalid(axi_0_arvalid), .m_axi_0_arready(axi_0_arready),
            .m_axi_0_araddr(axi_0_araddr), .m_axi_0_arlen(axi_0_arlen), .m_axi_0_arsize(axi_0_arsize), .m_axi_0_arburst(axi_0_arburst),
            .m_axi_0_rvalid(axi_0_rvalid), .m_axi_0_rready(axi_0_rready), .m_axi_0_rdata(axi_0_rdata), .m_axi_0_rresp(axi_0_rresp),
            .m_axi_0_rlast(axi_0_rlast)
        );

        sim_axi_memory #(.PORT(0), .SPACE(0)) memory_0 (
            .clk(ap_clk), .rst,
            .s_axi_awvalid(axi_0_awvalid), .s_axi_awready(axi_0_awready), .s_axi_awaddr(axi_0_awaddr), .s_axi_awlen(axi_0_awlen),
            .s_axi_awsize(axi_0_awsize), .s_axi_awburst(axi_0_awburst), .s_axi_wvalid(axi_0_wvalid), .s_axi_wready(axi_0_wready),
            .s_axi_wdata(axi_0_wdata), .s_axi_wstrb(axi_0_wstrb), .s_axi_wlast(axi_0_wlast), .s_axi_bvalid(axi_0_bvalid),
            .s_axi_bready(axi_0_bready), .s_axi_bresp(axi_0_bresp), .s_axi_arvalid(axi_0_arvalid), .s_axi_arready(axi_0_arready),
            .s_axi_araddr(axi_0_araddr), .s_axi_arlen(axi_0_arlen), .s_axi_arsize(axi_0_arsize), .s_axi_arburst(axi_0_arburst),
            .s_axi_rvalid(axi_0_rvalid), .s_axi_rready(axi_0_rready), .s_axi_rdata(axi_0_rdata), .s_axi_rresp(axi_0_rresp),
            .s_axi_rlast(axi_0_rlast)
        );

        // Room was reserved: read data never wait.
        import "DPI-C" function void sim_axi_violation(input int port, input string rule);
        always_ff @(posedge ap_clk)
            if (!rst && axi_0_rvalid && !axi_0_rready) sim_axi_violation(0, "read data wait");
    end else begin : two_ports
        logic axi_0_awvalid;
        logic axi_0_awready;
        logic [63:0] axi_0_awaddr;
        logic [7:0] axi_0_awlen;
        logic [2:0] axi_0_awsize;
        logic [1:0] axi_0_awburst;
        logic axi_0_wvalid;
        logic axi_0_wready;
        logic [511:0] axi_0_wdata;
        logic [63:0] axi_0_wstrb;
        logic axi_0_wlast;
        logic axi_0_bvalid;
        logic axi_0_bready;
        logic [1:0] axi_0_bresp;
        logic axi_0_arvalid;
        logic axi_0_arready;
        logic [63:0] axi_0_araddr;
        logic [7:0] axi_0_arlen;
        logic [2:0] axi_0_arsize;
        logic [1:0] axi_0_arburst;
        logic axi_0_rvalid;
        logic axi_0_rready;
        logic [511:0] axi_0_rdata;
        logic [1:0] axi_0_rresp;
        logic axi_0_rlast;
        logic axi_1_awvalid;
        logic axi_1_awready;
        logic [63:0] axi_1_awaddr;
        logic [7:0] axi_1_awlen;
        logic [2:0] axi_1_awsize;
        logic [1:0] axi_1_awburst;
        logic axi_1_wvalid;
        logic axi_1_wready;
        logic [511:0] axi_1_wdata;
        logic [63:0] axi_1_wstrb;
        logic axi_1_wlast;
        logic axi_1_bvalid;
        logic axi_1_bready;
        logic [1:0] axi_1_bresp;
        logic axi_1_arvalid;
        logic axi_1_arready;
        logic [63:0] axi_1_araddr;
        logic [7:0] axi_1_arlen;
        logic [2:0] axi_1_arsize;
        logic [1:0] axi_1_arburst;
        logic axi_1_rvalid;
        logic axi_1_rready;
        logic [511:0] axi_1_rdata;
        logic [1:0] axi_1_rresp;
        logic axi_1_rlast;

        external_dma_2port #(
            .READ_BURST_BEATS(READ_BURST_BEATS), .WRITE_BURST_BEATS(WRITE_BURST_BEATS),
            .READ_LINES(READ_LINES), .WRITE_LINES(WRITE_LINES), .OUTSTANDING(OUTSTANDING)
        ) kernel (
            .ap_clk, .ap_rst_n, .s_axi_control_awvalid, .s_axi_control_awready,
            .s_axi_control_awaddr, .s_axi_control_wvalid, .s_axi_control_wready, .s_axi_control_wdata,
            .s_axi_control_wstrb, .s_axi_control_bvalid, .s_axi_control_bready, .s_axi_control_bresp,
            .s_axi_control_arvalid, .s_axi_control_arready, .s_axi_control_araddr, .s_axi_control_rvalid,
            .s_axi_control_rready, .s_axi_control_rdata, .s_axi_control_rresp, .s_axis_s2mm_tvalid,
            .s_axis_s2mm_tready, .s_axis_s2mm_tdata, .s_axis_s2mm_tkeep, .s_axis_s2mm_tlast,
            .s_axis_s2mm_tdest, .s_axis_s2mm_cmd_tvalid, .s_axis_s2mm_cmd_tready, .s_axis_s2mm_cmd_tdata,
            .s_axis_s2mm_cmd_tdest, .m_axis_s2mm_sts_tvalid, .m_axis_s2mm_sts_tready, .m_axis_s2mm_sts_tdata,
            .m_axis_s2mm_sts_tkeep, .m_axis_s2mm_sts_tlast, .m_axis_mm2s_tvalid, .m_axis_mm2s_tready,
            .m_axis_mm2s_tdata, .m_axis_mm2s_tkeep, .m_axis_mm2s_tlast, .s_axis_mm2s_cmd_tvalid,
            .s_axis_mm2s_cmd_tready, .s_axis_mm2s_cmd_tdata, .s_axis_mm2s_cmd_tdest, .m_axis_mm2s_sts_tvalid,
            .m_axis_mm2s_sts_tready, .m_axis_mm2s_sts_tdata, .m_axis_mm2s_sts_tkeep, .m_axis_mm2s_sts_tlast,
            .m_axi_0_awvalid(axi_0_awvalid), .m_axi_0_awready(axi_0_awready), .m_axi_0_awaddr(axi_0_awaddr), .m_axi_0_awlen(axi_0_awlen),
            .m_axi_0_awsize(axi_0_awsize), .m_axi_0_awburst(axi_0_awburst), .m_axi_0_wvalid(axi_0_wvalid), .m_axi_0_wready(axi_0_wready),
            .m_axi_0_wdata(axi_0_wdata), .m_axi_0_wstrb(axi_0_wstrb), .m_axi_0_wlast(axi_0_wlast), .m_axi_0_bvalid(axi_0_bvalid),
            .m_axi_0_bready(axi_0_bready), .m_axi_0_bresp(axi_0_bresp), .m_axi_0_arvalid(axi_0_arvalid), .m_axi_0_arready(axi_0_arready),
            .m_axi_0_araddr(axi_0_araddr), .m_axi_0_arlen(axi_0_arlen), .m_axi_0_arsize(axi_0_arsize), .m_axi_0_arburst(axi_0_arburst),
            .m_axi_0_rvalid(axi_0_rvalid), .m_axi_0_rready(axi_0_rready), .m_axi_0_rdata(axi_0_rdata), .m_axi_0_rresp(axi_0_rresp),
            .m_axi_0_rlast(axi_0_rlast),
            .m_axi_1_awvalid(axi_1_awvalid), .m_axi_1_awready(axi_1_awready), .m_axi_1_awaddr(axi_1_awaddr), .m_axi_1_awlen(axi_1_awlen),
            .m_axi_1_awsize(axi_1_awsize), .m_axi_1_awburst(axi_1_awburst), .m_axi_1_wvalid(axi_1_wvalid), .m_axi_1_wready(axi_1_wready),
            .m_axi_1_wdata(axi_1_wdata), .m_axi_1_wstrb(axi_1_wstrb), .m_axi_1_wlast(axi_1_wlast), .m_axi_1_bvalid(axi_1_bvalid),
            .m_axi_1_bready(axi_1_bready), .m_axi_1_bresp(axi_1_bresp), .m_axi_1_arvalid(axi_1_arvalid), .m_axi_1_arready(axi_1_arready),
            .m_axi_1_araddr(axi_1_araddr), .m_axi_1_arlen(axi_1_arlen), .m_axi_1_arsize(axi_1_arsize), .m_axi_1_arburst(axi_1_arburst),
            .m_axi_1_rvalid(axi_1_rvalid), .m_axi_1_rready(axi_1_rready), .m_axi_1_rdata(axi_1_rdata), .m_axi_1_rresp(axi_1_rresp),
            .m_axi_1_rlast(axi_1_rlast)
        );

        sim_axi_memory #(.PORT(0), .SPACE(0)) memory_0 (
            .clk(ap_clk), .rst,
            .s_axi_awvalid(axi_0_awvalid), .s_axi_awready(axi_0_awready), .s_axi_awaddr(axi_0_awaddr), .s_axi_awlen(axi_0_awlen),
            .s_axi_awsize(axi_0_awsize), .s_axi_awburst(axi_0_awburst), .s_axi_wvalid(axi_0_wvalid), .s_axi_wready(axi_0_wready),
            .s_axi_wdata(axi_0_wdata), .s_axi_wstrb(axi_0_wstrb), .s_axi_wlast(axi_0_wlast), .s_axi_bvalid(axi_0_bvalid),
            .s_axi_bready(axi_0_bready), .s_axi_bresp(axi_0_bresp), .s_axi_arvalid(axi_0_arvalid), .s_axi_arready(axi_0_arready),
            .s_axi_araddr(axi_0_araddr), .s_axi_arlen(axi_0_arlen), .s_axi_arsize(axi_0_arsize), .s_axi_arburst(axi_0_arburst),
            .s_axi_rvalid(axi_0_rvalid), .s_axi_rready(axi_0_rready), .s_axi_rdata(axi_0_rdata), .s_axi_rresp(axi_0_rresp),
            .s_axi_rlast(axi_0_rlast)
        );

        sim_axi_memory #(.PORT(1), .SPACE(1)) memory_1 (
            .clk(ap_clk), .rst,
            .s_axi_awvalid(axi_1_awvalid), .s_axi_awready(axi_1_awready), .s_axi_awaddr(axi_1_awaddr), .s_axi_awlen(axi_1_awlen),
            .s_axi_awsize(axi_1_awsize), .s_axi_awburst(axi_1_awburst), .s_axi_wvalid(axi_1_wvalid), .s_axi_wready(axi_1_wready),
            .s_axi_wdata(axi_1_wdata), .s_axi_wstrb(axi_1_wstrb), .s_axi_wlast(axi_1_wlast), .s_axi_bvalid(axi_1_bvalid),
            .s_axi_bready(axi_1_bready), .s_axi_bresp(axi_1_bresp), .s_axi_arvalid(axi_1_arvalid), .s_axi_arready(axi_1_arready),
            .s_axi_araddr(axi_1_araddr), .s_axi_arlen(axi_1_arlen), .s_axi_arsize(axi_1_arsize), .s_axi_arburst(axi_1_arburst),
            .s_axi_rvalid(axi_1_rvalid), .s_axi_rready(axi_1_rready), .s_axi_rdata(axi_1_rdata), .s_axi_rresp(axi_1_rresp),
            .s_axi_rlast(axi_1_rlast)
        );
    end

endmodule

`default_nettype wire
