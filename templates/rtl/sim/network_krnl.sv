// Model of the TCP stack: the host of the simulation is the network (network.h).
// What was notified is given when it is asked for, the session's word before its
// data; each request to send is answered before its data. The Ethernet side and
// UDP are silent.
`default_nettype none

module network_krnl #(
    parameter int ID = 0 // number of the network engine
) (
    input  wire          ap_clk,
    input  wire          ap_rst_n,

    input  wire          s_axi_control_awvalid,
    output logic         s_axi_control_awready,
    input  wire  [11:0]  s_axi_control_awaddr,
    input  wire          s_axi_control_wvalid,
    output logic         s_axi_control_wready,
    input  wire  [31:0]  s_axi_control_wdata,
    input  wire  [3:0]   s_axi_control_wstrb,
    output logic         s_axi_control_bvalid,
    input  wire          s_axi_control_bready,
    output logic [1:0]   s_axi_control_bresp,
    input  wire          s_axi_control_arvalid,
    output logic         s_axi_control_arready,
    input  wire  [11:0]  s_axi_control_araddr,
    output logic         s_axi_control_rvalid,
    input  wire          s_axi_control_rready,
    output logic [31:0]  s_axi_control_rdata,
    output logic [1:0]   s_axi_control_rresp,

    input  wire          axis_net_rx_tvalid,
    output logic         axis_net_rx_tready,
    input  wire  [511:0] axis_net_rx_tdata,
    input  wire  [63:0]  axis_net_rx_tkeep,
    input  wire          axis_net_rx_tlast,
    output logic         axis_net_tx_tvalid,
    input  wire          axis_net_tx_tready,
    output logic [511:0] axis_net_tx_tdata,
    output logic [63:0]  axis_net_tx_tkeep,
    output logic         axis_net_tx_tlast,

    output logic         m_axis_udp_rx_tvalid,
    input  wire          m_axis_udp_rx_tready,
    output logic [511:0] m_axis_udp_rx_tdata,
    output logic [63:0]  m_axis_udp_rx_tkeep,
    output logic         m_axis_udp_rx_tlast,
    input  wire          s_axis_udp_tx_tvalid,
    output logic         s_axis_udp_tx_tready,
    input  wire  [511:0] s_axis_udp_tx_tdata,
    input  wire  [63:0]  s_axis_udp_tx_tkeep,
    input  wire          s_axis_udp_tx_tlast,
    output logic         m_axis_udp_rx_meta_tvalid,
    input  wire          m_axis_udp_rx_meta_tready,
    output logic [255:0] m_axis_udp_rx_meta_tdata,
    input  wire          s_axis_udp_tx_meta_tvalid,
    output logic         s_axis_udp_tx_meta_tready,
    input  wire  [255:0] s_axis_udp_tx_meta_tdata,

    output logic         m_axis_tcp_notification_tvalid,
    input  wire          m_axis_tcp_notification_tready,
    output logic [127:0] m_axis_tcp_notification_tdata,
    input  wire          s_axis_tcp_read_pkg_tvalid,
    output logic         s_axis_tcp_read_pkg_tready,
    input  wire  [31:0]  s_axis_tcp_read_pkg_tdata,
    output logic         m_axis_tcp_rx_meta_tvalid,
    input  wire          m_axis_tcp_rx_meta_tready,
    output logic [15:0]  m_axis_tcp_rx_meta_tdata,
    output logic         m_axis_tcp_rx_data_tvalid,
    input  wire          m_axis_tcp_rx_data_tready,
    output logic [511:0] m_axis_tcp_rx_data_tdata,
    output logic [63:0]  m_axis_tcp_rx_data_tkeep,
    output logic         m_axis_tcp_rx_data_tlast,
    output logic [15:0]  m_axis_tcp_rx_data_tdest,

    input  wire          s_axis_tcp_tx_meta_tvalid,
    output logic         s_axis_tcp_tx_meta_tready,
    input  wire  [31:0]  s_axis_tcp_tx_meta_tdata,
    input  wire          s_axis_tcp_tx_data_tvalid,
    output logic         s_axis_tcp_tx_data_tready,
    input  wire  [511:0] s_axis_tcp_tx_data_tdata,
    input  wire  [63:0]  s_axis_tcp_tx_data_tkeep,
    input  wire          s_axis_tcp_tx_data_tlast,
    input  wire  [15:0]  s_axis_tcp_tx_data_tdest,
    output logic         m_axis_tcp_tx_status_tvalid,
    input  wire          m_axis_tcp_tx_status_tready,
    output logic [63:0]  m_axis_tcp_tx_status_tdata,

    input  wire          s_axis_tcp_listen_port_tvalid,
    output logic         s_axis_tcp_listen_port_tready,
    input  wire  [15:0]  s_axis_tcp_listen_port_tdata,
    output logic         m_axis_tcp_port_status_tvalid,
    input  wire          m_axis_tcp_port_status_tready,
    output logic [7:0]   m_axis_tcp_port_status_tdata,
    input  wire          s_axis_tcp_open_connection_tvalid,
    output logic         s_axis_tcp_open_connection_tready,
    input  wire  [63:0]  s_axis_tcp_open_connection_tdata,
    output logic         m_axis_tcp_open_status_tvalid,
    input  wire          m_axis_tcp_open_status_tready,
    output logic [127:0] m_axis_tcp_open_status_tdata,
    input  wire          s_axis_tcp_close_connection_tvalid,
    output logic         s_axis_tcp_close_connection_tready,
    input  wire  [15:0]  s_axis_tcp_close_connection_tdata
);

    import "DPI-C" function chandle sim_network_open(input int id, input bit asked_for, input bit notified);
    import "DPI-C" function void sim_network_reset(input chandle network);
    // A cycle: which outputs have something, and which inputs take something.
    import "DPI-C" function void sim_network_tick(input chandle network, output int now);
    import "DPI-C" function void sim_network_ask(input chandle network, input int session, input int length);
    import "DPI-C" function void sim_network_take(input chandle network, input bit announced, input int session,
                                                  input bit [511:0] data, input longint unsigned keep, input bit last);
    import "DPI-C" function void sim_network_status(input chandle network, output int session, output int length,
                                                    output int space, output int error);
    import "DPI-C" function void sim_network_note(input chandle network, output int session, output int length,
                                                  output bit closed);
    import "DPI-C" function void sim_network_read(input chandle network, input int session, input int length);
    import "DPI-C" function void sim_network_beat(input chandle network, output int session, output bit [511:0] data,
                                                  output longint unsigned keep, output bit first, output bit last);
    import "DPI-C" function void sim_network_ask_host(input chandle network,
        input int kind, input int ip, input int port);
    import "DPI-C" function void sim_network_answered(input chandle network,
        input int kind, output int session, output bit good);

    // Bits of a tick.
    localparam int HAS_STATUS       = 0;
    localparam int HAS_NOTIFICATION = 1;
    localparam int HAS_BEAT         = 2;
    localparam int HAS_PORT_STATUS  = 3;
    localparam int HAS_OPEN_STATUS  = 4;
    localparam int TAKES_META       = 5;
    localparam int TAKES_DATA       = 6;
    localparam int TAKES_READ       = 7;

    // Requests.
    localparam int LISTEN  = 1;
    localparam int CONNECT = 2;
    localparam int CLOSE   = 3;

    wire clk = ap_clk;
    wire rst = !ap_rst_n;

    chandle network;
    initial network = sim_network_open(ID, 1'b1, 1'b1);

    int              now;
    int              session, length, space, error;
    bit              closed, first, last, good;
    bit [511:0]      data;
    longint unsigned keep;

    cclo_pkg::tcp_tx_meta_t         meta;
    cclo_pkg::tcp_read_request_t    request;
    cclo_pkg::tcp_open_connection_t connection;
    cclo_pkg::tcp_tx_status_t       status;
    cclo_pkg::tcp_notification_t    notification;
    cclo_pkg::tcp_open_status_t     opened;

    assign meta                           = s_axis_tcp_tx_meta_tdata;
    assign request                        = s_axis_tcp_read_pkg_tdata;
    assign connection                     = s_axis_tcp_open_connection_tdata;
    assign m_axis_tcp_tx_status_tdata     = status;
    assign m_axis_tcp_notification_tdata  = notification;
    assign m_axis_tcp_open_status_tdata   = opened;

    always_ff @(posedge clk)
        if (rst) begin
            sim_network_reset(network);
            s_axis_tcp_tx_meta_tready          <= 1'b0;
            s_axis_tcp_tx_data_tready          <= 1'b0;
            s_axis_tcp_read_pkg_tready         <= 1'b0;
            m_axis_tcp_tx_status_tvalid        <= 1'b0;
            m_axis_tcp_notification_tvalid     <= 1'b0;
            m_axis_tcp_rx_meta_tvalid          <= 1'b0;
            m_axis_tcp_rx_data_tvalid          <= 1'b0;
            m_axis_tcp_port_status_tvalid      <= 1'b0;
            m_axis_tcp_open_status_tvalid      <= 1'b0;
        end else begin
            if (s_axis_tcp_tx_meta_tvalid && s_axis_tcp_tx_meta_tready)
                sim_network_ask(network, 32'(meta.session), 32'(meta.length));
            if (s_axis_tcp_tx_data_tvalid && s_axis_tcp_tx_data_tready)
                sim_network_take(network, 1'b1, 32'(s_axis_tcp_tx_data_tdest), s_axis_tcp_tx_data_tdata,
                    s_axis_tcp_tx_data_tkeep, s_axis_tcp_tx_data_tlast);
            if (s_axis_tcp_read_pkg_tvalid && s_axis_tcp_read_pkg_tready)
                sim_network_read(network, 32'(request.session), 32'(request.length));
            if (s_axis_tcp_listen_port_tvalid)
                sim_network_ask_host(network, LISTEN, 0, 32'(s_axis_tcp_listen_port_tdata));
            if (s_axis_tcp_open_connection_tvalid)
                sim_network_ask_host(network, CONNECT, connection.ip, 32'(connection.port));
            if (s_axis_tcp_close_connection_tvalid)
                sim_network_ask_host(network, CLOSE, 0, 32'(s_axis_tcp_close_connection_tdata));

            sim_network_tick(network, now);
            s_axis_tcp_tx_meta_tready  <= now[TAKES_META];
            s_axis_tcp_tx_data_tready  <= now[TAKES_DATA];
            s_axis_tcp_read_pkg_tready <= now[TAKES_READ];

            if (!m_axis_tcp_tx_status_tvalid || m_axis_tcp_tx_status_tready) begin
                m_axis_tcp_tx_status_tvalid <= now[HAS_STATUS];
                if (now[HAS_STATUS]) begin
                    sim_network_status(network, session, length, space, error);
                    status.session         <= 16'(session);
                    status.length          <= 16'(length);
                    status.remaining_space <= 30'(space);
                    status.error           <= 2'(error);
                end
            end
            if (!m_axis_tcp_notification_tvalid || m_axis_tcp_notification_tready) begin
                m_axis_tcp_notification_tvalid <= now[HAS_NOTIFICATION];
                if (now[HAS_NOTIFICATION]) begin
                    sim_network_note(network, session, length, closed);
                    notification         <= '0;
                    notification.session <= 16'(session);
                    notification.length  <= 16'(length);
                    notification.closed  <= closed;
                end
            end
            // A session's word goes before its data.
            if (m_axis_tcp_rx_meta_tready) m_axis_tcp_rx_meta_tvalid <= 1'b0;
            if (!m_axis_tcp_rx_data_tvalid || m_axis_tcp_rx_data_tready) begin
                m_axis_tcp_rx_data_tvalid <= 1'b0;
                if (now[HAS_BEAT] && (!m_axis_tcp_rx_meta_tvalid || m_axis_tcp_rx_meta_tready)) begin
                    sim_network_beat(network, session, data, keep, first, last);
                    m_axis_tcp_rx_data_tvalid <= 1'b1;
                    m_axis_tcp_rx_data_tdata  <= data;
                    m_axis_tcp_rx_data_tkeep  <= keep;
                    m_axis_tcp_rx_data_tlast  <= last;
                    m_axis_tcp_rx_data_tdest  <= 16'(session);
                    m_axis_tcp_rx_meta_tvalid <= first;
                    m_axis_tcp_rx_meta_tdata  <= 16'(session);
                end
            end
            if (!m_axis_tcp_port_status_tvalid || m_axis_tcp_port_status_tready) begin
                m_axis_tcp_port_status_tvalid <= now[HAS_PORT_STATUS];
                if (now[HAS_PORT_STATUS]) begin
                    sim_network_answered(network, LISTEN, session, good);
                    m_axis_tcp_port_status_tdata <= 8'(good);
                end
            end
            if (!m_axis_tcp_open_status_tvalid || m_axis_tcp_open_status_tready) begin
                m_axis_tcp_open_status_tvalid <= now[HAS_OPEN_STATUS];
                if (now[HAS_OPEN_STATUS]) begin
                    sim_network_answered(network, CONNECT, session, good);
                    opened         <= '0;
                    opened.session <= 16'(session);
                    opened.success <= 8'(good);
                end
            end
        end

    assign s_axis_tcp_listen_port_tready      = 1'b1;
    assign s_axis_tcp_open_connection_tready  = 1'b1;
    assign s_axis_tcp_close_connection_tready = 1'b1;

    sim_axilite_zero control (
        .clk, .rst,
        .awvalid(s_axi_control_awvalid), .awready(s_axi_control_awready),
        .wvalid(s_axi_control_wvalid), .wready(s_axi_control_wready),
        .bvalid(s_axi_control_bvalid), .bready(s_axi_control_bready), .bresp(s_axi_control_bresp),
        .arvalid(s_axi_control_arvalid), .arready(s_axi_control_arready),
        .rvalid(s_axi_control_rvalid), .rready(s_axi_control_rready),
        .rdata(s_axi_control_rdata), .rresp(s_axi_control_rresp)
    );

    assign axis_net_rx_tready        = 1'b1;
    assign axis_net_tx_tvalid        = 1'b0;
    assign axis_net_tx_tdata         = '0;
    assign axis_net_tx_tkeep         = '0;
    assign axis_net_tx_tlast         = 1'b0;
    assign m_axis_udp_rx_tvalid      = 1'b0;
    assign m_axis_udp_rx_tdata       = '0;
    assign m_axis_udp_rx_tkeep       = '0;
    assign m_axis_udp_rx_tlast       = 1'b0;
    assign s_axis_udp_tx_tready      = 1'b1;
    assign m_axis_udp_rx_meta_tvalid = 1'b0;
    assign m_axis_udp_rx_meta_tdata  = '0;
    assign s_axis_udp_tx_meta_tready = 1'b1;

    wire unused = &{1'b0, s_axi_control_awaddr, s_axi_control_wdata, s_axi_control_wstrb, s_axi_control_araddr,
                    axis_net_rx_tvalid, axis_net_rx_tdata, axis_net_rx_tkeep, axis_net_rx_tlast, axis_net_tx_tready,
                    m_axis_udp_rx_tready, s_axis_udp_tx_tvalid,
                    s_axis_udp_tx_tdata, s_axis_udp_tx_tkeep, s_axis_udp_tx_tlast,
                    m_axis_udp_rx_meta_tready, s_axis_udp_tx_meta_tvalid, s_axis_udp_tx_meta_tdata,
                    connection, now, session, length, space, error};

endmodule

`default_nettype wire
