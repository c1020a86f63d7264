// The receiving side of the network: packets and what takes them from the stack
// of the platform. Ports of other stacks are silent.
`default_nettype none

module network_receive (
    input  wire                                 clk,
    input  wire                                 rst,
    input  wire                                 reset_network,
    input  wire                                 network_enable,
    output logic                                receive_idle,
    output logic                                receive_busy,
    output logic [engine_pkg::SLOTS-1:0]        rx_slots,
    output logic                                bad_packet,     // one was dropped that is too large
    output logic                                session_closed_valid,
    output logic [15:0]                         session_closed,

    output logic                                loop_room,
    input  wire                                 loop_valid,
    output logic                                loop_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0]   loop_data,
    input  wire  [engine_pkg::KEEP_WIDTH-1:0]   loop_keep,
    input  wire                                 loop_last,

    output logic                                rx_valid,
    output logic [15:0]                         rx_session,
    output logic                                rx_loop,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] rx_bytes,
    output logic [engine_pkg::DATA_WIDTH-1:0]   rx_beat,
    input  wire                                 rx_verdict_valid,
    input  wire  [1:0]                          rx_verdict,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] rx_take_bytes,
    input  wire  [5:0]                          rx_before,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] rx_rest,
    input  wire                                 rx_retry,
    output logic                                rx_data_valid,
    input  wire                                 rx_data_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0]   rx_data,
    output logic [engine_pkg::KEEP_WIDTH-1:0]   rx_data_keep,
    output logic                                rx_data_last,

    input  wire                                 eth_rx_data_tvalid,
    output logic                                eth_rx_data_tready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0]   eth_rx_data_tdata,
    input  wire  [engine_pkg::KEEP_WIDTH-1:0]   eth_rx_data_tkeep,
    input  wire                                 eth_rx_data_tlast,
    input  wire  [15:0]                         eth_rx_data_tdest,
    input  wire                                 eth_notification_tvalid,
    output logic                                eth_notification_tready,
    input  wire  [127:0]                        eth_notification_tdata, // RDMA: the low half
    output logic                                eth_read_pkg_tvalid,
    input  wire                                 eth_read_pkg_tready,
    output logic [31:0]                         eth_read_pkg_tdata,
    input  wire                                 eth_rx_meta_tvalid,
    output logic                                eth_rx_meta_tready,
    input  wire  [15:0]                         eth_rx_meta_tdata
);

    localparam int unsigned DATA   = engine_pkg::DATA_WIDTH;
    localparam int unsigned KEEP   = engine_pkg::KEEP_WIDTH;
    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;

    logic                              need_valid, need_take, need_known, need_ready, need_none, source_busy;
    logic [15:0]                       need_session;
    logic [engine_pkg::SLOT_WIDTH-1:0] need_slot;
    logic                              row_valid, row_ready, row_last, row_good;
    logic [engine_pkg::SLOT_WIDTH-1:0] row_slot;
    logic [engine_pkg::ROW_WIDTH-1:0]  row_number;
    logic [DATA-1:0]                   row_data;
    logic [KEEP-1:0]                   row_keep;
    logic [LENGTH-1:0]                 row_bytes;
    logic [15:0]                       row_session;

    logic            in_valid, in_ready, in_last;
    logic [DATA-1:0] in_data;
    logic [KEEP-1:0] in_keep;
    logic [15:0]     in_session;

    skid_buffer #(.WIDTH(DATA + KEEP + 17)) data (
        .clk, .rst,
        .in_valid(eth_rx_data_tvalid), .in_ready(eth_rx_data_tready),
        .in_data({eth_rx_data_tdata, eth_rx_data_tkeep, eth_rx_data_tlast, eth_rx_data_tdest}),
        .out_valid(in_valid), .out_ready(in_ready), .out_data({in_data, in_keep, in_last, in_session})
    );

    generate
        if (engine_pkg::STACK_UDP) begin : udp
            logic started, room;
            rx_stream front_end (
                .clk, .rst, .reset_network, .busy(started), .room, .oversize(bad_packet),
                .in_valid, .in_ready, .in_data, .in_keep, .in_last, .in_session,
                .need_valid, .need_ready, .need_slot,
                .row_valid, .row_ready, .row_slot, .row_number,
                .row_data, .row_keep, .row_last, .row_good, .row_bytes, .row_session
            );
            assign source_busy             = started || in_valid;
            assign need_take               = 1'b1;
            assign need_session            = '0; // all sessions are one order: none is ever held
            assign session_closed_valid    = 1'b0;
            assign session_closed          = '0;
            assign eth_notification_tready = 1'b1;
            wire unused = &{1'b0, room, eth_notification_tvalid, eth_notification_tdata, need_known, need_none};
        end else begin : told
            logic                              expect_valid, expect_ready, telling, filling;
            logic [engine_pkg::SLOT_WIDTH-1:0] expect_slot;
            logic [15:0]                       expect_session;
            logic [LENGTH-1:0]                 expect_bytes;

            if (engine_pkg::STACK_RDMA) begin : rdma
                rx_rdma front_end (
                    .clk, .rst, .busy(telling),
                    .notification_tvalid(eth_notification_tvalid), .notification_tready(eth_notification_tready),
                    .notification_tdata(eth_notification_tdata[63:0]),
                    .need_valid, .need_session, .need_ready, .need_slot,
                    .expect_valid, .expect_ready, .expect_slot, .expect_session, .expect_bytes
                );
                assign need_take            = 1'b1;
                assign session_closed_valid = 1'b0;
                assign session_closed       = '0;
                wire unused = &{1'b0, eth_notification_tdata, need_known, need_none};
            end else begin : tcp
                rx_tcp front_end (
                    .clk, .rst, .busy(telling),
                    .notification_tvalid(eth_notification_tvalid), .notification_tready(eth_notification_tready),
                    .notification_tdata(eth_notification_tdata),
                    .read_pkg_tvalid(eth_read_pkg_tvalid), .read_pkg_tready(eth_read_pkg_tready),
                    .read_pkg_tdata(eth_read_pkg_tdata),
                    .need_valid, .need_take, .need_session, .need_known, .need_ready, .need_none, .need_slot,
                    .expect_valid, .expect_ready, .expect_slot, .expect_session, .expect_bytes,
                    .session_closed_valid, .session_closed
                );
            end

            rx_fill fill (
                .clk, .rst, .busy(filling),
                .expect_valid, .expect_ready, .expect_slot, .expect_session, .expect_bytes,
                .in_valid, .in_ready, .in_data,
                .row_valid, .row_ready, .row_slot, .row_number,
                .row_data, .row_keep, .row_last, .row_good, .row_bytes, .row_session
            );
            assign source_busy = telling || filling;
            assign bad_packet  = 1'b0;
            wire unused = &{1'b0, in_keep, in_last, in_session};
        end

        // What was asked for comes in the order of requests: the words before the
        // data say nothing new.
        assign eth_rx_meta_tready = 1'b1;
        wire unused_meta = &{1'b0, eth_rx_meta_tvalid, eth_rx_meta_tdata};
        if (engine_pkg::STACK_UDP || engine_pkg::STACK_RDMA) begin : no_requests
            assign eth_read_pkg_tvalid = 1'b0;
            assign eth_read_pkg_tdata  = '0;
            wire unused = &{1'b0, eth_read_pkg_tready};
        end
    endgenerate

    rx_packets slots (
        .clk, .rst, .reset_network, .network_enable, .receive_idle, .receive_busy, .used(rx_slots), .source_busy,
        .need_valid, .need_take, .need_session, .need_known, .need_ready, .need_none, .need_slot,
        .row_valid, .row_ready, .row_slot, .row_number,
        .row_data, .row_keep, .row_last, .row_good, .row_bytes, .row_session,
        .loop_room, .loop_valid, .loop_ready, .loop_data, .loop_keep, .loop_last,
        .rx_valid, .rx_session, .rx_loop, .rx_bytes, .rx_beat, .rx_verdict_valid, .rx_verdict, .rx_take_bytes,
        .rx_before, .rx_rest, .rx_retry,
        .rx_data_valid, .rx_data_ready, .rx_data, .rx_data_keep, .rx_data_last
    );

endmodule

`default_nettype wire
