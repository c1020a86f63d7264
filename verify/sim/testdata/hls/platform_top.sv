// A lane of compression alone, with the host at both its streams.
`default_nettype none

module platform_top #(
    parameter int CONTROL = 0
) (
    input wire clk,
    input wire rst
);

    logic         in_valid, in_ready, in_last, out_valid, out_ready, out_last;
    logic [511:0] in_data, out_data;
    logic [63:0]  in_keep, out_keep;
    logic [7:0]   in_dest;

    sim_kernel_port #(.ID(0)) host (
        .clk, .rst,
        .s_axis_tvalid(out_valid), .s_axis_tready(out_ready), .s_axis_tdata(out_data), .s_axis_tkeep(out_keep), .s_axis_tlast(out_last),
        .s_axis_tdest(8'd0),
        .m_axis_tvalid(in_valid), .m_axis_tready(in_ready), .m_axis_tdata(in_data), .m_axis_tkeep(in_keep), .m_axis_tlast(in_last),
        .m_axis_tdest(in_dest)
    );

    hp_compression #(.COMPONENT(0), .INSTANCE("compression_0_0")) lane (
        .ap_clk(clk), .ap_rst_n(!rst),
        .in_r_tvalid(in_valid), .in_r_tready(in_ready), .in_r_tdata(in_data), .in_r_tkeep(in_keep), .in_r_tlast(in_last),
        .in_r_tdest(in_dest[3:0]),
        .out_r_tvalid(out_valid), .out_r_tready(out_ready), .out_r_tdata(out_data), .out_r_tkeep(out_keep), .out_r_tlast(out_last)
    );

    logic        awvalid, wvalid, arvalid, bready, rready;
    logic [15:0] awaddr, araddr;
    logic [31:0] wdata;
    logic [3:0]  wstrb;
    sim_host_axil #(.ID(CONTROL)) control (
        .clk, .rst, .awvalid, .awready(1'b0), .awaddr, .wvalid, .wready(1'b0), .wdata, .wstrb, .bvalid(1'b0), .bready, .bresp(2'b00),
        .arvalid, .arready(1'b0), .araddr, .rvalid(1'b0), .rready, .rdata('0), .rresp(2'b00)
    );

    sim_host_probe #(.ID(0)) probe (
        .clk, .rst, .asleep(1'b1), .halted(1'b0), .halt_cause('0), .halt_pc('0), .trace_valid(1'b0), .trace_word('0), .issue_valid(1'b0), .issue('0)
    );

    wire unused = &{1'b0, awvalid, wvalid, arvalid, bready, rready, awaddr, araddr, wdata, wstrb, in_dest};

endmodule

`default_nettype wire
