// Engines' sides of the network of a card: its kernels, joined by the switch. The
// ports of one kind are side by side, the first engine in the lowest bits. Words of
// the streams are split into what they say.
`default_nettype none

module axis_bench #(
    parameter int unsigned N = 3
) (
    input  wire clk,
    input  wire rst,
    input  wire [N*1-1:0] notification_tready,
    input  wire [N*1-1:0] read_tvalid,
    input  wire [N*32-1:0] read_tdata,
    input  wire [N*1-1:0] data_tready,
    input  wire [N*1-1:0] meta_tvalid,
    input  wire [N*32-1:0] meta_tdata,
    input  wire [N*1-1:0] tx_tvalid,
    input  wire [N*512-1:0] tx_tdata,
    input  wire [N*64-1:0] tx_tkeep,
    input  wire [N*1-1:0] tx_tlast,
    input  wire [N*1-1:0] status_tready,
    input  wire [N*1-1:0] word_tready,
    output logic [N*1-1:0] notification_tvalid,
    output logic [N*128-1:0] notification_tdata,
    output logic [N*1-1:0] read_tready,
    output logic [N*1-1:0] data_tvalid,
    output logic [N*512-1:0] data_tdata,
    output logic [N*64-1:0] data_tkeep,
    output logic [N*1-1:0] data_tlast,
    output logic [N*16-1:0] data_tdest,
    output logic [N*1-1:0] meta_tready,
    output logic [N*1-1:0] tx_tready,
    output logic [N*1-1:0] status_tvalid,
    output logic [N*64-1:0] status_tdata,
    output logic [N*1-1:0] word_tvalid,
    output logic [N*16-1:0] word_tdata
);

    logic [N-1:0]     out_tvalid, out_tready, out_tlast, in_tvalid, in_tready, in_tlast;
    logic [N*512-1:0] out_tdata, in_tdata;
    logic [N*64-1:0]  out_tkeep, in_tkeep;
    logic [N*16-1:0]  out_tdest, in_tdest;

    genvar i;
    generate
        for (i = 0; i < N; i = i + 1) begin : engines
            network_krnl #(.ID(i)) kernel (
                .ap_clk(clk), .ap_rst_n(!rst),
                .net_tx_tvalid(out_tvalid[i]), .net_tx_tready(out_tready[i]), .net_tx_tdata(out_tdata[i*512 +: 512]),
                .net_tx_tkeep(out_tkeep[i*64 +: 64]), .net_tx_tlast(out_tlast[i]), .net_tx_tdest(out_tdest[i*16 +: 16]),
                .net_rx_tvalid(in_tvalid[i]), .net_rx_tready(in_tready[i]), .net_rx_tdata(in_tdata[i*512 +: 512]),
                .net_rx_tkeep(in_tkeep[i*64 +: 64]), .net_rx_tlast(in_tlast[i]), .net_rx_tdest(in_tdest[i*16 +: 16]),
                .s_axis_tcp_tx_data_tdest('0),
                .m_axis_tcp_notification_tready(notification_tready[i*1 +: 1]),
                .s_axis_tcp_read_pkg_tvalid(read_tvalid[i*1 +: 1]),
                .s_axis_tcp_read_pkg_tdata(read_tdata[i*32 +: 32]),
                .m_axis_tcp_rx_data_tready(data_tready[i*1 +: 1]),
                .s_axis_tcp_tx_meta_tvalid(meta_tvalid[i*1 +: 1]),
                .s_axis_tcp_tx_meta_tdata(meta_tdata[i*32 +: 32]),
                .s_axis_tcp_tx_data_tvalid(tx_tvalid[i*1 +: 1]),
                .s_axis_tcp_tx_data_tdata(tx_tdata[i*512 +: 512]),
                .s_axis_tcp_tx_data_tkeep(tx_tkeep[i*64 +: 64]),
                .s_axis_tcp_tx_data_tlast(tx_tlast[i*1 +: 1]),
                .m_axis_tcp_tx_status_tready(status_tready[i*1 +: 1]),
                .m_axis_tcp_rx_meta_tready(word_tready[i*1 +: 1]),
                .m_axis_tcp_notification_tvalid(notification_tvalid[i*1 +: 1]),
                .m_axis_tcp_notification_tdata(notification_tdata[i*128 +: 128]),
                .s_axis_tcp_read_pkg_tready(read_tready[i*1 +: 1]),
                .m_axis_tcp_rx_data_tvalid(data_tvalid[i*1 +: 1]),
                .m_axis_tcp_rx_data_tdata(data_tdata[i*512 +: 512]),
                .m_axis_tcp_rx_data_tkeep(data_tkeep[i*64 +: 64]),
                .m_axis_tcp_rx_data_tlast(data_tlast[i*1 +: 1]),
                .m_axis_tcp_rx_data_tdest(data_tdest[i*16 +: 16]),
                .s_axis_tcp_tx_meta_tready(meta_tready[i*1 +: 1]),
                .s_axis_tcp_tx_data_tready(tx_tready[i*1 +: 1]),
                .m_axis_tcp_tx_status_tvalid(status_tvalid[i*1 +: 1]),
                .m_axis_tcp_tx_status_tdata(status_tdata[i*64 +: 64]),
                .m_axis_tcp_rx_meta_tvalid(word_tvalid[i*1 +: 1]),
                .m_axis_tcp_rx_meta_tdata(word_tdata[i*16 +: 16])
            );
        end
    endgenerate

    axis_switch #(.N(N)) switch (
        .clk, .rst,
        .s_tvalid(out_tvalid), .s_tready(out_tready), .s_tdata(out_tdata),
        .s_tkeep(out_tkeep), .s_tlast(out_tlast), .s_tdest(out_tdest),
        .m_tvalid(in_tvalid), .m_tready(in_tready), .m_tdata(in_tdata),
        .m_tkeep(in_tkeep), .m_tlast(in_tlast), .m_tdest(in_tdest)
    );

endmodule

`default_nettype wire
