// Model of the RDMA stack: the host of the simulation is the network (network.h).
// Each request is followed by its data, and a message that comes is notified
// before its data. What remote ranks write does not come through here.
`default_nettype none

module rdma_stack #(
    parameter int ID = 0 // number of the network engine in the simulation
) (
    input  wire          ap_clk,
    input  wire          ap_rst_n,

    output logic         m_axis_notification_tvalid,
    input  wire          m_axis_notification_tready,
    output logic [63:0]  m_axis_notification_tdata,
    input  wire          s_axis_rdma_sq_tvalid,
    output logic         s_axis_rdma_sq_tready,
    input  wire  [127:0] s_axis_rdma_sq_tdata,
    input  wire          s_axis_tx_data_tvalid,
    output logic         s_axis_tx_data_tready,
    input  wire  [511:0] s_axis_tx_data_tdata,
    input  wire  [63:0]  s_axis_tx_data_tkeep,
    input  wire          s_axis_tx_data_tlast,
    input  wire  [15:0]  s_axis_tx_data_tdest,
    output logic         m_axis_rx_data_tvalid,
    input  wire          m_axis_rx_data_tready,
    output logic [511:0] m_axis_rx_data_tdata,
    output logic [63:0]  m_axis_rx_data_tkeep,
    output logic         m_axis_rx_data_tlast,
    output logic [15:0]  m_axis_rx_data_tdest
);

    import "DPI-C" function chandle sim_network_open(input int id, input bit asked_for, input bit notified);
    import "DPI-C" function void sim_network_reset(input chandle network);
    // A cycle: which outputs have something, and which inputs take something.
    import "DPI-C" function void sim_network_tick(input chandle network, output int now);
    import "DPI-C" function void sim_network_command(input chandle network, input bit write,
        input int session, input int length, input longint unsigned address, input int host);
    import "DPI-C" function void sim_network_take(input chandle network, input bit announced, input int session,
                                                  input bit [511:0] data, input longint unsigned keep, input bit last);
    import "DPI-C" function void sim_network_note(input chandle network, output int session, output int length,
                                                  output bit closed);
    import "DPI-C" function void sim_network_beat(input chandle network, output int session, output bit [511:0] data,
                                                  output longint unsigned keep, output bit first, output bit last);

    // Bits of a tick.
    localparam int HAS_NOTIFICATION = 1;
    localparam int HAS_BEAT         = 2;
    localparam int TAKES_META       = 5;
    localparam int TAKES_DATA       = 6;

    wire clk = ap_clk;
    wire rst = !ap_rst_n;

    chandle network;
    initial network = sim_network_open(ID, 1'b0, 1'b1);

    int              now, session, length;
    bit              closed, first, last;
    bit [511:0]      data;
    longint unsigned keep;

    cclo_pkg::rdma_send_queue_t   request;
    cclo_pkg::rdma_notification_t notification;

    assign request                    = s_axis_rdma_sq_tdata;
    assign m_axis_notification_tdata  = notification;

    always_ff @(posedge clk)
        if (rst) begin
            sim_network_reset(network);
            s_axis_rdma_sq_tready      <= 1'b0;
            s_axis_tx_data_tready      <= 1'b0;
            m_axis_notification_tvalid <= 1'b0;
            m_axis_rx_data_tvalid      <= 1'b0;
        end else begin
            if (s_axis_rdma_sq_tvalid && s_axis_rdma_sq_tready)
                sim_network_command(network, request.opcode == 8'(cclo_pkg::RDMA_OPCODE_WRITE), 32'(request.queue_pair),
                                    request.length, request.vaddr, 32'(request.host));
            if (s_axis_tx_data_tvalid && s_axis_tx_data_tready)
                sim_network_take(network, 1'b1, 32'(s_axis_tx_data_tdest), s_axis_tx_data_tdata, s_axis_tx_data_tkeep,
                                 s_axis_tx_data_tlast);
            sim_network_tick(network, now);
            s_axis_rdma_sq_tready <= now[TAKES_META];
            s_axis_tx_data_tready <= now[TAKES_DATA];
            if (!m_axis_notification_tvalid || m_axis_notification_tready) begin
                m_axis_notification_tvalid <= now[HAS_NOTIFICATION];
                if (now[HAS_NOTIFICATION]) begin
                    sim_network_note(network, session, length, closed);
                    notification         <= '0;
                    notification.session <= 16'(session);
                    notification.length  <= length;
                end
            end
            if (!m_axis_rx_data_tvalid || m_axis_rx_data_tready) begin
                m_axis_rx_data_tvalid <= now[HAS_BEAT];
                if (now[HAS_BEAT]) begin
                    sim_network_beat(network, session, data, keep, first, last);
                    m_axis_rx_data_tdata <= data;
                    m_axis_rx_data_tkeep <= keep;
                    m_axis_rx_data_tlast <= last;
                    m_axis_rx_data_tdest <= 16'(session);
                end
            end
        end

    wire unused = &{1'b0, now, session, closed, first};

endmodule

`default_nettype wire
