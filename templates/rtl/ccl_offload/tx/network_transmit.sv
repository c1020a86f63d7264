// The sending side of the network: packets and what brings them to the stack of
// the platform. Ports of other stacks are silent.
`default_nettype none

module network_transmit (
    input  wire                                 clk,
    input  wire                                 rst,
    input  wire                                 reset_network,
    input  wire                                 network_enable,
    input  wire                                 tick_millisecond,
    input  wire  [31:0]                         remote_milliseconds,
    output logic                                transmit_idle,
    output logic                                transmit_busy,
    output logic [engine_pkg::SLOTS-1:0]        tx_slots,

    input  wire                                 packet_open_valid,
    output logic                                packet_open_ready,
    input  wire engine_pkg::packet_t            packet_open,
    output logic [engine_pkg::SLOT_WIDTH-1:0]   packet_open_slot,
    input  wire                                 packet_abandon_valid,
    output logic                                packet_abandon_ready,
    input  wire  [15:0]                         packet_abandon_session,
    input  wire                                 packet_abandon_self,
    input  wire                                 slot_write_valid,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]   slot_write_slot,
    input  wire  [engine_pkg::ROW_WIDTH-1:0]    slot_write_row,
    input  wire  [engine_pkg::DATA_WIDTH-1:0]   slot_write_data,
    input  wire  [engine_pkg::KEEP_WIDTH-1:0]   slot_write_strobe,
    input  wire                                 packet_commit_valid,
    output logic                                packet_commit_ready,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]   packet_commit_slot,
    input  wire                                 packet_commit_good,

    output engine_pkg::exchange_request_t       exchange_request,
    input  wire engine_pkg::exchange_response_t exchange_response,
    output logic                                number_valid,
    output logic [15:0]                         number_session,
    output logic [63:0]                         number_vaddr,
    output logic [7:0]                          number_host,
    input  wire                                 number_done,
    input  wire  [31:0]                         number_value,
    input  wire                                 session_closed_valid,
    input  wire  [15:0]                         session_closed,
    input  wire                                 own_valid,
    input  wire  [15:0]                         own_session,

    input  wire                                 loop_room,
    output logic                                loop_valid,
    input  wire                                 loop_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0]   loop_data,
    output logic [engine_pkg::KEEP_WIDTH-1:0]   loop_keep,
    output logic                                loop_last,

    output logic                                eth_tx_data_tvalid,
    input  wire                                 eth_tx_data_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0]   eth_tx_data_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0]   eth_tx_data_tkeep,
    output logic                                eth_tx_data_tlast,
    output logic [15:0]                         eth_tx_data_tdest,
    output logic                                eth_tx_headed, // the packet begins with a header
    output logic                                eth_tx_meta_tvalid,
    input  wire                                 eth_tx_meta_tready,
    output logic [31:0]                         eth_tx_meta_tdata,
    input  wire                                 eth_tx_status_tvalid,
    output logic                                eth_tx_status_tready,
    input  wire  [63:0]                         eth_tx_status_tdata,
    // What the stack has refused, and the session to which nothing is sent any more.
    output logic                                refused,
    output logic                                given_up,
    output logic [15:0]                         given_up_session,

    output logic                                rdma_sq_tvalid,
    input  wire                                 rdma_sq_tready,
    output logic [127:0]                        rdma_sq_tdata
);

    logic                                ask_valid, ask_ready, ask_written, answer_valid, answer_good;
    logic [engine_pkg::SLOT_WIDTH-1:0]   ask_slot, answer_slot;
    logic [15:0]                         ask_session;
    logic [engine_pkg::LENGTH_WIDTH-1:0] ask_bytes;
    logic [63:0]                         ask_vaddr;
    logic [7:0]                          ask_host;
    logic                                send_valid, send_ready, send_last, send_headed;
    logic [engine_pkg::DATA_WIDTH-1:0]   send_data;
    logic [engine_pkg::KEEP_WIDTH-1:0]   send_keep;
    logic [15:0]                         send_session;
    logic [engine_pkg::SLOTS-1:0]        stuck;

    tx_packets slots (
        .clk, .rst, .reset_network, .network_enable, .transmit_idle, .transmit_busy,
        .packet_open_valid, .packet_open_ready, .packet_open, .packet_open_slot,
        .packet_abandon_valid, .packet_abandon_ready, .packet_abandon_session, .packet_abandon_self,
        .slot_write_valid, .slot_write_slot, .slot_write_row, .slot_write_data, .slot_write_strobe,
        .packet_commit_valid, .packet_commit_ready, .packet_commit_slot, .packet_commit_good,
        .exchange_request, .exchange_response,
        .number_valid, .number_session, .number_vaddr, .number_host, .number_done, .number_value,
        .session_closed_valid, .session_closed, .own_valid, .own_session, .stuck, .used(tx_slots),
        .ask_valid, .ask_ready, .ask_slot, .ask_session, .ask_bytes, .ask_written, .ask_vaddr, .ask_host,
        .answer_valid, .answer_slot, .answer_good,
        .send_valid, .send_ready, .send_data, .send_keep, .send_last, .send_session, .send_headed,
        .loop_room, .loop_valid, .loop_ready, .loop_data, .loop_keep, .loop_last
    );

    tx_refusals refusals (
        .clk, .rst, .tick_millisecond, .remote_milliseconds, .ask(ask_valid && ask_ready), .ask_slot, .ask_session,
        .answer_valid, .answer_slot, .answer_good, .used(tx_slots), .stuck, .refused, .given_up, .given_up_session
    );

    generate
        if (engine_pkg::STACK_UDP) begin : udp
            tx_udp back_end (
                .clk, .rst, .ask_valid, .ask_ready, .ask_slot, .answer_valid, .answer_slot, .answer_good,
                .send_valid, .send_ready, .send_data, .send_last, .send_session, .send_headed,
                .tx_data_tvalid(eth_tx_data_tvalid), .tx_data_tready(eth_tx_data_tready),
                .tx_data_tdata(eth_tx_data_tdata),
                .tx_data_tkeep(eth_tx_data_tkeep), .tx_data_tlast(eth_tx_data_tlast), .tx_data_tdest(eth_tx_data_tdest),
                .tx_data_headed(eth_tx_headed)
            );
            wire unused = &{1'b0, ask_bytes, send_keep};
        end else if (engine_pkg::STACK_RDMA) begin : rdma
            tx_rdma back_end (
                .clk, .rst, .ask_valid, .ask_ready, .ask_slot, .ask_session,
                .ask_bytes, .ask_written, .ask_vaddr, .ask_host,
                .answer_valid, .answer_slot, .answer_good,
                .send_valid, .send_ready, .send_data, .send_keep, .send_last, .send_session, .send_headed,
                .rdma_sq_tvalid, .rdma_sq_tready, .rdma_sq_tdata,
                .tx_data_tvalid(eth_tx_data_tvalid), .tx_data_tready(eth_tx_data_tready),
                .tx_data_tdata(eth_tx_data_tdata),
                .tx_data_tkeep(eth_tx_data_tkeep), .tx_data_tlast(eth_tx_data_tlast), .tx_data_tdest(eth_tx_data_tdest),
                .tx_data_headed(eth_tx_headed)
            );
        end else begin : tcp
            tx_tcp back_end (
                .clk, .rst, .ask_valid, .ask_ready, .ask_slot, .ask_session,
                .ask_bytes, .answer_valid, .answer_slot, .answer_good,
                .send_valid, .send_ready, .send_data, .send_keep, .send_last, .send_session, .send_headed,
                .tx_meta_tvalid(eth_tx_meta_tvalid), .tx_meta_tready(eth_tx_meta_tready),
                .tx_meta_tdata(eth_tx_meta_tdata),
                .tx_status_tvalid(eth_tx_status_tvalid), .tx_status_tready(eth_tx_status_tready),
                .tx_status_tdata(eth_tx_status_tdata),
                .tx_data_tvalid(eth_tx_data_tvalid), .tx_data_tready(eth_tx_data_tready),
                .tx_data_tdata(eth_tx_data_tdata),
                .tx_data_tkeep(eth_tx_data_tkeep), .tx_data_tlast(eth_tx_data_tlast), .tx_data_tdest(eth_tx_data_tdest),
                .tx_data_headed(eth_tx_headed)
            );
        end

        if (engine_pkg::STACK_UDP || engine_pkg::STACK_RDMA) begin : no_meta
            assign eth_tx_meta_tvalid   = 1'b0;
            assign eth_tx_meta_tdata    = '0;
            assign eth_tx_status_tready = 1'b1;
            wire unused = &{1'b0, eth_tx_meta_tready, eth_tx_status_tvalid, eth_tx_status_tdata};
        end
        if (!engine_pkg::STACK_RDMA) begin : no_writes
            assign rdma_sq_tvalid = 1'b0;
            assign rdma_sq_tdata  = '0;
            wire unused = &{1'b0, rdma_sq_tready, ask_written, ask_vaddr, ask_host};
        end
    endgenerate

endmodule

`default_nettype wire
