// Both sides of the network and the platform's network engine, as a bench drives
// them: what the engine would say to them are plain ports.
`default_nettype none

module network_bench (
    input  wire          clk,
    input  wire          rst,
    input  wire          reset_network,
    input  wire          network_enable,
    output logic         transmit_idle,
    output logic         transmit_busy,
    output logic         receive_idle,
    output logic         receive_busy,
    output logic         bad_packet,
    output logic         session_closed_valid,
    output logic [15:0]  session_closed,

    input  wire          open_valid,
    output logic         open_ready,
    output logic [7:0]   open_slot,
    input  wire  [15:0]  open_session,
    input  wire          open_self,
    input  wire          open_headed,
    input  wire          open_counted,
    input  wire          open_numbered,
    input  wire          open_written,
    input  wire  [31:0]  open_record,
    input  wire  [15:0]  open_bytes,
    input  wire  [511:0] open_header,

    input  wire          abandon_valid,
    output logic         abandon_ready,
    input  wire          abandon_self,
    input  wire  [15:0]  abandon_session,

    input  wire          write_valid,
    input  wire  [7:0]   write_slot,
    input  wire  [7:0]   write_row,
    input  wire  [511:0] write_data,
    input  wire  [63:0]  write_strobe,

    input  wire          commit_valid,
    output logic         commit_ready,
    input  wire  [7:0]   commit_slot,
    input  wire          commit_good,

    output logic         add_valid,
    output logic [31:0]  add_address,
    input  wire          add_done,
    input  wire  [31:0]  add_value,
    output logic         number_valid,
    output logic [15:0]  number_session,
    output logic [63:0]  number_vaddr,
    output logic [7:0]   number_host,
    input  wire          number_done,
    input  wire  [31:0]  number_value,

    output logic         rx_valid,
    output logic [15:0]  rx_session,
    output logic         rx_loop,
    output logic [15:0]  rx_bytes,
    output logic [511:0] rx_beat,
    input  wire          rx_verdict_valid,
    input  wire  [1:0]   rx_verdict,
    input  wire  [15:0]  rx_take_bytes,
    input  wire          rx_retry,
    output logic         rx_data_valid,
    input  wire          rx_data_ready,
    output logic [511:0] rx_data,
    output logic [63:0]  rx_data_keep,
    output logic         rx_data_last
);

    engine_pkg::packet_t            packet;
    engine_pkg::exchange_request_t  request;
    engine_pkg::exchange_response_t response;

    logic [engine_pkg::SLOT_WIDTH-1:0]   slot;
    logic [engine_pkg::LENGTH_WIDTH-1:0] bytes;

    always_comb begin
        packet          = '0;
        packet.session  = open_session;
        packet.self     = open_self;
        packet.headed   = open_headed;
        packet.counted  = open_counted;
        packet.numbered = open_numbered;
        packet.written  = open_written;
        packet.record   = open_record;
        packet.bytes    = engine_pkg::LENGTH_WIDTH'(open_bytes);
        packet.header   = engine_pkg::unpack_header(open_header);
        response        = '0;
        response.done   = add_done;
        response.ok     = 1'b1;
        response.rdata  = add_value;
    end

    assign open_slot   = 8'(slot);
    assign add_valid   = request.valid && request.operation == engine_pkg::EXCHANGE_ADD && request.wdata == 1;
    assign add_address = request.address;
    assign rx_bytes    = 16'(bytes);

    logic         loop_room, loop_valid, loop_ready, loop_last;
    logic [511:0] loop_data;
    logic [63:0]  loop_keep;

    logic         tx_tvalid, tx_tready, tx_tlast, rx_tvalid, rx_tready, rx_tlast;
    logic [511:0] tx_tdata, rx_tdata;
    logic [63:0]  tx_tkeep, rx_tkeep;
    logic [15:0]  tx_tdest, rx_tdest;
    logic         meta_tvalid, meta_tready, status_tvalid, status_tready;
    logic         note_tvalid, note_tready, read_tvalid, read_tready;
    logic         word_tvalid, word_tready, sq_tvalid, sq_tready;
    logic [31:0]  meta_tdata, read_tdata;
    logic [63:0]  status_tdata;
    logic [127:0] note_tdata, sq_tdata;
    logic [15:0]  word_tdata;

    network_transmit transmit (
        .clk, .rst, .reset_network, .network_enable, .tick_millisecond(1'b0), .remote_milliseconds('0),
        .transmit_idle, .transmit_busy, .tx_slots(), .refused(), .given_up(), .given_up_session(),
        .packet_open_valid(open_valid), .packet_open_ready(open_ready), .packet_open(packet), .packet_open_slot(slot),
        .packet_abandon_valid(abandon_valid), .packet_abandon_ready(abandon_ready),
        .packet_abandon_session(abandon_session),
        .packet_abandon_self(abandon_self),
        .slot_write_valid(write_valid), .slot_write_slot(write_slot[engine_pkg::SLOT_WIDTH-1:0]),
        .slot_write_row(write_row[engine_pkg::ROW_WIDTH-1:0]),
        .slot_write_data(write_data), .slot_write_strobe(write_strobe),
        .packet_commit_valid(commit_valid), .packet_commit_ready(commit_ready),
        .packet_commit_slot(commit_slot[engine_pkg::SLOT_WIDTH-1:0]), .packet_commit_good(commit_good),
        .exchange_request(request), .exchange_response(response),
        .number_valid, .number_session, .number_vaddr, .number_host, .number_done, .number_value,
        .session_closed_valid, .session_closed, .own_valid(1'b0), .own_session('0),
        .loop_room, .loop_valid, .loop_ready, .loop_data, .loop_keep, .loop_last,
        .eth_tx_data_tvalid(tx_tvalid), .eth_tx_data_tready(tx_tready),
        .eth_tx_data_tdata(tx_tdata), .eth_tx_data_tkeep(tx_tkeep),
        .eth_tx_data_tlast(tx_tlast), .eth_tx_data_tdest(tx_tdest), .eth_tx_headed(),
        .eth_tx_meta_tvalid(meta_tvalid), .eth_tx_meta_tready(meta_tready), .eth_tx_meta_tdata(meta_tdata),
        .eth_tx_status_tvalid(status_tvalid), .eth_tx_status_tready(status_tready), .eth_tx_status_tdata(status_tdata),
        .rdma_sq_tvalid(sq_tvalid), .rdma_sq_tready(sq_tready), .rdma_sq_tdata(sq_tdata)
    );

    network_receive receive (
        .clk, .rst, .reset_network, .network_enable, .receive_idle, .receive_busy, .rx_slots(), .bad_packet,
        .session_closed_valid, .session_closed,
        .loop_room, .loop_valid, .loop_ready, .loop_data, .loop_keep, .loop_last,
        .rx_valid, .rx_session, .rx_loop, .rx_bytes(bytes), .rx_beat, .rx_verdict_valid, .rx_verdict,
        .rx_take_bytes(engine_pkg::LENGTH_WIDTH'(rx_take_bytes)), .rx_before('0), .rx_rest('0), .rx_retry,
        .rx_data_valid, .rx_data_ready, .rx_data, .rx_data_keep, .rx_data_last,
        .eth_rx_data_tvalid(rx_tvalid), .eth_rx_data_tready(rx_tready),
        .eth_rx_data_tdata(rx_tdata), .eth_rx_data_tkeep(rx_tkeep),
        .eth_rx_data_tlast(rx_tlast), .eth_rx_data_tdest(rx_tdest),
        .eth_notification_tvalid(note_tvalid), .eth_notification_tready(note_tready),
        .eth_notification_tdata(note_tdata),
        .eth_read_pkg_tvalid(read_tvalid), .eth_read_pkg_tready(read_tready), .eth_read_pkg_tdata(read_tdata),
        .eth_rx_meta_tvalid(word_tvalid), .eth_rx_meta_tready(word_tready), .eth_rx_meta_tdata(word_tdata)
    );

    generate
        if (engine_pkg::STACK_UDP) begin : udp
            networklayer poe (
                .ap_clk(clk), .ap_rst_n(!rst),
                .S_AXIS_sk2nl_tvalid(tx_tvalid), .S_AXIS_sk2nl_tready(tx_tready), .S_AXIS_sk2nl_tdata(tx_tdata),
                .S_AXIS_sk2nl_tkeep(tx_tkeep), .S_AXIS_sk2nl_tlast(tx_tlast), .S_AXIS_sk2nl_tdest(tx_tdest),
                .M_AXIS_nl2sk_tvalid(rx_tvalid), .M_AXIS_nl2sk_tready(rx_tready), .M_AXIS_nl2sk_tdata(rx_tdata),
                .M_AXIS_nl2sk_tkeep(rx_tkeep), .M_AXIS_nl2sk_tlast(rx_tlast), .M_AXIS_nl2sk_tdest(rx_tdest),
                .S_AXIL_nl_awvalid('0), .S_AXIL_nl_awready(),
                .S_AXIL_nl_awaddr('0), .S_AXIL_nl_wvalid('0), .S_AXIL_nl_wready(),
                .S_AXIL_nl_wdata('0), .S_AXIL_nl_wstrb('0),
                .S_AXIL_nl_bvalid(), .S_AXIL_nl_bready('0), .S_AXIL_nl_bresp(),
                .S_AXIL_nl_arvalid('0), .S_AXIL_nl_arready(),
                .S_AXIL_nl_araddr('0), .S_AXIL_nl_rvalid(), .S_AXIL_nl_rready('0),
                .S_AXIL_nl_rdata(), .S_AXIL_nl_rresp(), .S_AXIS_eth2nl_tvalid('0), .S_AXIS_eth2nl_tready(),
                .S_AXIS_eth2nl_tdata('0), .S_AXIS_eth2nl_tkeep('0), .S_AXIS_eth2nl_tlast('0), .M_AXIS_nl2eth_tvalid(),
                .M_AXIS_nl2eth_tready('0), .M_AXIS_nl2eth_tdata(), .M_AXIS_nl2eth_tkeep(), .M_AXIS_nl2eth_tlast()
            );
        end else if (engine_pkg::STACK_RDMA) begin : rdma
            rdma_stack poe (
                .ap_clk(clk), .ap_rst_n(!rst),
                .s_axis_rdma_sq_tvalid(sq_tvalid), .s_axis_rdma_sq_tready(sq_tready), .s_axis_rdma_sq_tdata(sq_tdata),
                .m_axis_notification_tvalid(note_tvalid), .m_axis_notification_tready(note_tready),
                .m_axis_notification_tdata(note_tdata[63:0]),
                .s_axis_tx_data_tvalid(tx_tvalid), .s_axis_tx_data_tready(tx_tready), .s_axis_tx_data_tdata(tx_tdata),
                .s_axis_tx_data_tkeep(tx_tkeep), .s_axis_tx_data_tlast(tx_tlast), .s_axis_tx_data_tdest(tx_tdest),
                .m_axis_rx_data_tvalid(rx_tvalid), .m_axis_rx_data_tready(rx_tready), .m_axis_rx_data_tdata(rx_tdata),
                .m_axis_rx_data_tkeep(rx_tkeep), .m_axis_rx_data_tlast(rx_tlast), .m_axis_rx_data_tdest(rx_tdest)
            );
        end else begin : tcp
            network_krnl poe (
                .ap_clk(clk), .ap_rst_n(!rst),
                .m_axis_tcp_notification_tvalid(note_tvalid), .m_axis_tcp_notification_tready(note_tready),
                .m_axis_tcp_notification_tdata(note_tdata),
                .s_axis_tcp_read_pkg_tvalid(read_tvalid), .s_axis_tcp_read_pkg_tready(read_tready),
                .s_axis_tcp_read_pkg_tdata(read_tdata),
                .m_axis_tcp_rx_meta_tvalid(word_tvalid), .m_axis_tcp_rx_meta_tready(word_tready),
                .m_axis_tcp_rx_meta_tdata(word_tdata),
                .m_axis_tcp_rx_data_tvalid(rx_tvalid), .m_axis_tcp_rx_data_tready(rx_tready),
                .m_axis_tcp_rx_data_tdata(rx_tdata),
                .m_axis_tcp_rx_data_tkeep(rx_tkeep), .m_axis_tcp_rx_data_tlast(rx_tlast),
                .m_axis_tcp_rx_data_tdest(rx_tdest),
                .s_axis_tcp_tx_meta_tvalid(meta_tvalid), .s_axis_tcp_tx_meta_tready(meta_tready),
                .s_axis_tcp_tx_meta_tdata(meta_tdata),
                .s_axis_tcp_tx_data_tvalid(tx_tvalid), .s_axis_tcp_tx_data_tready(tx_tready),
                .s_axis_tcp_tx_data_tdata(tx_tdata),
                .s_axis_tcp_tx_data_tkeep(tx_tkeep), .s_axis_tcp_tx_data_tlast(tx_tlast),
                .s_axis_tcp_tx_data_tdest(tx_tdest),
                .m_axis_tcp_tx_status_tvalid(status_tvalid), .m_axis_tcp_tx_status_tready(status_tready),
                .m_axis_tcp_tx_status_tdata(status_tdata),
                .s_axi_control_awvalid('0), .s_axi_control_awready(),
                .s_axi_control_awaddr('0), .s_axi_control_wvalid('0),
                .s_axi_control_wready(), .s_axi_control_wdata('0), .s_axi_control_wstrb('0), .s_axi_control_bvalid(),
                .s_axi_control_bready('0), .s_axi_control_bresp(), .s_axi_control_arvalid('0), .s_axi_control_arready(),
                .s_axi_control_araddr('0), .s_axi_control_rvalid(), .s_axi_control_rready('0), .s_axi_control_rdata(),
                .s_axi_control_rresp(), .axis_net_rx_tvalid('0), .axis_net_rx_tready(), .axis_net_rx_tdata('0),
                .axis_net_rx_tkeep('0), .axis_net_rx_tlast('0), .axis_net_tx_tvalid(), .axis_net_tx_tready('0),
                .axis_net_tx_tdata(), .axis_net_tx_tkeep(), .axis_net_tx_tlast(), .m_axis_udp_rx_tvalid(),
                .m_axis_udp_rx_tready('0), .m_axis_udp_rx_tdata(), .m_axis_udp_rx_tkeep(), .m_axis_udp_rx_tlast(),
                .s_axis_udp_tx_tvalid('0), .s_axis_udp_tx_tready(), .s_axis_udp_tx_tdata('0), .s_axis_udp_tx_tkeep('0),
                .s_axis_udp_tx_tlast('0), .m_axis_udp_rx_meta_tvalid(), .m_axis_udp_rx_meta_tready('0),
                .m_axis_udp_rx_meta_tdata(), .s_axis_udp_tx_meta_tvalid('0), .s_axis_udp_tx_meta_tready(),
                .s_axis_udp_tx_meta_tdata('0), .s_axis_tcp_listen_port_tvalid('0), .s_axis_tcp_listen_port_tready(),
                .s_axis_tcp_listen_port_tdata('0), .m_axis_tcp_port_status_tvalid(), .m_axis_tcp_port_status_tready('0),
                .m_axis_tcp_port_status_tdata(),
                .s_axis_tcp_open_connection_tvalid('0), .s_axis_tcp_open_connection_tready(),
                .s_axis_tcp_open_connection_tdata('0),
                .m_axis_tcp_open_status_tvalid(), .m_axis_tcp_open_status_tready('0),
                .m_axis_tcp_open_status_tdata(),
                .s_axis_tcp_close_connection_tvalid('0), .s_axis_tcp_close_connection_tready(),
                .s_axis_tcp_close_connection_tdata('0)
            );
        end
    endgenerate

endmodule

`default_nettype wire
