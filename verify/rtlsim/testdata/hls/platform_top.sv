// A lane of compression with the host at both its streams, and a kernel that the host
// calls. After beats with the highest bit of TDEST results are taken every 16th cycle.
`default_nettype none

module platform_top #(
    parameter int CONTROL = 0,
    parameter int CALLED  = 1
) (
    input wire clk,
    input wire rst
);

    logic         in_valid, in_ready, in_last, out_valid, out_ready, out_last;
    logic [511:0] in_data, out_data;
    logic [63:0]  in_keep, out_keep;
    logic [7:0]   in_dest;

    logic         slow, open, ready;
    logic [3:0]   tick;
    assign open      = !slow || tick == '0;
    assign out_ready = ready && open;
    always_ff @(posedge clk) begin
        tick <= rst ? '0 : tick + 4'd1;
        if (rst) slow <= 1'b0;
        else if (in_valid && in_ready) slow <= in_dest[7];
    end

    sim_kernel_port #(.ID(0)) host (
        .clk, .rst,
        .s_axis_tvalid(out_valid && open), .s_axis_tready(ready),
        .s_axis_tdata(out_data), .s_axis_tkeep(out_keep), .s_axis_tlast(out_last),
        .s_axis_tdest(8'd0),
        .m_axis_tvalid(in_valid), .m_axis_tready(in_ready),
        .m_axis_tdata(in_data), .m_axis_tkeep(in_keep), .m_axis_tlast(in_last),
        .m_axis_tdest(in_dest)
    );

    hp_compression #(.COMPONENT(0), .INSTANCE("compression_0_0")) lane (
        .ap_clk(clk), .ap_rst_n(!rst),
        .in_r_tvalid(in_valid), .in_r_tready(in_ready),
        .in_r_tdata(in_data), .in_r_tkeep(in_keep), .in_r_tlast(in_last),
        .in_r_tdest(in_dest[3:0]),
        .out_r_tvalid(out_valid), .out_r_tready(out_ready),
        .out_r_tdata(out_data), .out_r_tkeep(out_keep), .out_r_tlast(out_last)
    );

    logic        awvalid, wvalid, arvalid, bready, rready;
    logic [15:0] awaddr, araddr;
    logic [31:0] wdata;
    logic [3:0]  wstrb;
    sim_host_axil #(.ID(CONTROL)) control (
        .clk, .rst, .awvalid, .awready(1'b0), .awaddr,
        .wvalid, .wready(1'b0), .wdata, .wstrb, .bvalid(1'b0), .bready, .bresp(2'b00),
        .arvalid, .arready(1'b0), .araddr, .rvalid(1'b0), .rready, .rdata('0), .rresp(2'b00)
    );

    sim_host_probe #(.ID(0)) probe (
        .clk, .rst, .asleep(1'b1), .halted(1'b0), .halt_cause('0), .halt_pc('0),
        .trace_valid(1'b0), .trace_word('0), .issue_valid(1'b0), .issue('0)
    );

    logic        k_awvalid, k_awready, k_wvalid, k_wready, k_bvalid, k_bready, k_arvalid, k_arready, k_rvalid, k_rready;
    logic [11:0] k_awaddr, k_araddr;
    logic [31:0] k_wdata, k_rdata;
    logic [3:0]  k_wstrb;
    logic [1:0]  k_bresp, k_rresp;
    sim_host_axil #(.ID(CALLED), .ADDRESS_WIDTH(12)) calls (
        .clk, .rst, .awvalid(k_awvalid), .awready(k_awready), .awaddr(k_awaddr),
        .wvalid(k_wvalid), .wready(k_wready), .wdata(k_wdata),
        .wstrb(k_wstrb), .bvalid(k_bvalid), .bready(k_bready), .bresp(k_bresp),
        .arvalid(k_arvalid), .arready(k_arready), .araddr(k_araddr),
        .rvalid(k_rvalid), .rready(k_rready), .rdata(k_rdata), .rresp(k_rresp)
    );
    vadd_put #(.COMPONENT(3), .INSTANCE("vadd_0_0"), .M_AXI_GMEM_SPACE(0)) called (
        .ap_clk(clk), .ap_rst_n(!rst),
        .s_axi_control_awvalid(k_awvalid), .s_axi_control_awready(k_awready), .s_axi_control_awaddr(k_awaddr),
        .s_axi_control_wvalid(k_wvalid), .s_axi_control_wready(k_wready),
        .s_axi_control_wdata(k_wdata), .s_axi_control_wstrb(k_wstrb),
        .s_axi_control_bvalid(k_bvalid), .s_axi_control_bready(k_bready), .s_axi_control_bresp(k_bresp),
        .s_axi_control_arvalid(k_arvalid), .s_axi_control_arready(k_arready), .s_axi_control_araddr(k_araddr),
        .s_axi_control_rvalid(k_rvalid), .s_axi_control_rready(k_rready),
        .s_axi_control_rdata(k_rdata), .s_axi_control_rresp(k_rresp),
        .m_axi_gmem_awvalid(), .m_axi_gmem_awready('0), .m_axi_gmem_awaddr(),
        .m_axi_gmem_awlen(), .m_axi_gmem_awsize(), .m_axi_gmem_awburst(),
        .m_axi_gmem_wvalid(), .m_axi_gmem_wready('0), .m_axi_gmem_wdata(), .m_axi_gmem_wstrb(), .m_axi_gmem_wlast(),
        .m_axi_gmem_bvalid('0), .m_axi_gmem_bready(), .m_axi_gmem_bresp('0),
        .m_axi_gmem_arvalid(), .m_axi_gmem_arready('0), .m_axi_gmem_araddr(),
        .m_axi_gmem_arlen(), .m_axi_gmem_arsize(), .m_axi_gmem_arburst(),
        .m_axi_gmem_rvalid('0), .m_axi_gmem_rready(), .m_axi_gmem_rdata('0),
        .m_axi_gmem_rresp('0), .m_axi_gmem_rlast('0),
        .cmd_to_cclo_tvalid(), .cmd_to_cclo_tready(1'b1),
        .cmd_to_cclo_tdata(), .cmd_to_cclo_tkeep(), .cmd_to_cclo_tlast(),
        .sts_from_cclo_tvalid('0), .sts_from_cclo_tready(), .sts_from_cclo_tdata('0),
        .sts_from_cclo_tkeep('0), .sts_from_cclo_tlast('0),
        .data_to_cclo_tvalid(), .data_to_cclo_tready(1'b0), .data_to_cclo_tdata(),
        .data_to_cclo_tkeep(), .data_to_cclo_tlast(), .data_to_cclo_tdest(),
        .data_from_cclo_tvalid('0), .data_from_cclo_tready(), .data_from_cclo_tdata('0),
        .data_from_cclo_tkeep('0), .data_from_cclo_tlast('0),
        .data_from_cclo_tdest('0)
    );

    wire unused = &{1'b0, awvalid, wvalid, arvalid, bready, rready, awaddr, araddr, wdata, wstrb, in_dest};

endmodule

`default_nettype wire
