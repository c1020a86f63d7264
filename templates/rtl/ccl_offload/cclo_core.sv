// The collective engine itself, without the form of its kernel: control processor
// and its registers, moves and their data path, network and received messages.
`default_nettype none

module cclo_core #(
    parameter int unsigned MILLISECOND_CYCLES = 1000 * cclo_pkg::PLATFORM_CLOCK_MHZ, // of the clock
    parameter int unsigned INDEX              = 0                                    // of the engine, for simulations
) (
    input  wire  clk,
    input  wire  rst,
    input  wire axilite_pkg::request_t control_request,
    output axilite_pkg::response_t control_response,
    output logic host_register_valid,
    output logic host_register_write,
    output logic [engine_pkg::HOST_WIDTH-1:0] host_register_address,
    output logic [31:0] host_register_wdata,
    output logic [3:0] host_register_strobe,
    input  wire  host_register_ready,
    input  wire  [31:0] host_register_rdata,
    input  wire  call_valid,
    output logic call_ready,
    input  wire  [31:0] call_data,
    output logic answer_valid,
    input  wire  answer_ready,
    output logic [31:0] answer_data,
    input  wire  kernel_in_tvalid,
    output logic kernel_in_tready,
    input  wire  [511:0] kernel_in_tdata,
    output logic kernel_out_tvalid,
    input  wire  kernel_out_tready,
    output logic [511:0] kernel_out_tdata,
    output logic [63:0] kernel_out_tkeep,
    output logic kernel_out_tlast,
    output logic [7:0] kernel_out_tdest,
    output logic arith_op0_tvalid,
    input  wire  arith_op0_tready,
    output logic [511:0] arith_op0_tdata,
    output logic [63:0] arith_op0_tkeep,
    output logic arith_op0_tlast,
    output logic [7:0] arith_op0_tdest,
    output logic arith_op1_tvalid,
    input  wire  arith_op1_tready,
    output logic [511:0] arith_op1_tdata,
    output logic [63:0] arith_op1_tkeep,
    output logic arith_op1_tlast,
    output logic [7:0] arith_op1_tdest,
    input  wire  arith_res_tvalid,
    output logic arith_res_tready,
    input  wire  [511:0] arith_res_tdata,
    output logic compression0_operand_tvalid,
    input  wire  compression0_operand_tready,
    output logic [511:0] compression0_operand_tdata,
    output logic [63:0] compression0_operand_tkeep,
    output logic compression0_operand_tlast,
    output logic [3:0] compression0_operand_tdest,
    input  wire  compression0_result_tvalid,
    output logic compression0_result_tready,
    input  wire  [511:0] compression0_result_tdata,
    output logic compression1_operand_tvalid,
    input  wire  compression1_operand_tready,
    output logic [511:0] compression1_operand_tdata,
    output logic [63:0] compression1_operand_tkeep,
    output logic compression1_operand_tlast,
    output logic [3:0] compression1_operand_tdest,
    input  wire  compression1_result_tvalid,
    output logic compression1_result_tready,
    input  wire  [511:0] compression1_result_tdata,
    output logic compression2_operand_tvalid,
    input  wire  compression2_operand_tready,
    output logic [511:0] compression2_operand_tdata,
    output logic [63:0] compression2_operand_tkeep,
    output logic compression2_operand_tlast,
    output logic [3:0] compression2_operand_tdest,
    input  wire  compression2_result_tvalid,
    output logic compression2_result_tready,
    input  wire  [511:0] compression2_result_tdata,
    output logic op0_command_tvalid,
    input  wire  op0_command_tready,
    output logic [103:0] op0_command_tdata,
    output logic [7:0] op0_command_tdest,
    input  wire  op0_status_tvalid,
    output logic op0_status_tready,
    input  wire  [7:0] op0_status_tdata,
    input  wire  op0_tvalid,
    output logic op0_tready,
    input  wire  [511:0] op0_tdata,
    input  wire  op0_tlast,
    output logic op1_command_tvalid,
    input  wire  op1_command_tready,
    output logic [103:0] op1_command_tdata,
    output logic [7:0] op1_command_tdest,
    input  wire  op1_status_tvalid,
    output logic op1_status_tready,
    input  wire  [7:0] op1_status_tdata,
    input  wire  op1_tvalid,
    output logic op1_tready,
    input  wire  [511:0] op1_tdata,
    input  wire  op1_tlast,
    output logic inbound_command_tvalid,
    input  wire  inbound_command_tready,
    output logic [103:0] inbound_command_tdata,
    output logic [7:0] inbound_command_tdest,
    input  wire  inbound_status_tvalid,
    output logic inbound_status_tready,
    input  wire  [31:0] inbound_status_tdata,
    output logic inbound_tvalid,
    input  wire  inbound_tready,
    output logic [511:0] inbound_tdata,
    output logic [63:0] inbound_tkeep,
    output logic inbound_tlast,
    output logic [7:0] inbound_tdest,
    output logic result_command_tvalid,
    input  wire  result_command_tready,
    output logic [103:0] result_command_tdata,
    output logic [7:0] result_command_tdest,
    input  wire  result_status_tvalid,
    output logic result_status_tready,
    input  wire  [31:0] result_status_tdata,
    output logic result_tvalid,
    input  wire  result_tready,
    output logic [511:0] result_tdata,
    output logic [63:0] result_tkeep,
    output logic result_tlast,
    output logic [7:0] result_tdest,
    input  wire  eth_rx_data_tvalid,
    output logic eth_rx_data_tready,
    input  wire  [511:0] eth_rx_data_tdata,
    input  wire  [63:0] eth_rx_data_tkeep,
    input  wire  eth_rx_data_tlast,
    input  wire  [15:0] eth_rx_data_tdest,
    output logic eth_tx_data_tvalid,
    input  wire  eth_tx_data_tready,
    output logic [511:0] eth_tx_data_tdata,
    output logic [63:0] eth_tx_data_tkeep,
    output logic eth_tx_data_tlast,
    output logic [15:0] eth_tx_data_tdest,
    input  wire  eth_notification_tvalid,
    output logic eth_notification_tready,
    input  wire  [127:0] eth_notification_tdata,
    output logic eth_read_pkg_tvalid,
    input  wire  eth_read_pkg_tready,
    output logic [31:0] eth_read_pkg_tdata,
    input  wire  eth_rx_meta_tvalid,
    output logic eth_rx_meta_tready,
    input  wire  [15:0] eth_rx_meta_tdata,
    output logic eth_tx_meta_tvalid,
    input  wire  eth_tx_meta_tready,
    output logic [31:0] eth_tx_meta_tdata,
    input  wire  eth_tx_status_tvalid,
    output logic eth_tx_status_tready,
    input  wire  [63:0] eth_tx_status_tdata,
    output logic rdma_sq_tvalid,
    input  wire  rdma_sq_tready,
    output logic [127:0] rdma_sq_tdata,
    output logic listen_port_tvalid,
    input  wire  listen_port_tready,
    output logic [15:0] listen_port_tdata,
    input  wire  port_status_tvalid,
    output logic port_status_tready,
    input  wire  [7:0] port_status_tdata,
    output logic open_connection_tvalid,
    input  wire  open_connection_tready,
    output logic [63:0] open_connection_tdata,
    input  wire  open_status_tvalid,
    output logic open_status_tready,
    input  wire  [127:0] open_status_tdata
);

    // Control processor.
    logic bus_valid, bus_write, bus_ready, bus_error, halted, trace_valid;
    logic [31:0] bus_address, bus_wdata, bus_rdata, trap_pc, trace_word;
    logic [3:0] bus_strobe, cause;
    logic processor_rst, restarting, retired;
    logic [31:0] retired_pc, trap_address, trap_instruction, _unused_retired_value;
    logic [4:0] _unused_retired_rd;

    control_processor processor (
        .clk, .rst(processor_rst),
        .bus_valid, .bus_write, .bus_address, .bus_wdata, .bus_strobe, .bus_ready, .bus_rdata, .bus_error,
        .halted, .cause, .trap_pc, .trap_address, .trap_instruction, .retired, .retired_pc,
        .retired_rd(_unused_retired_rd), .retired_value(_unused_retired_value)
    );

    logic exchange_valid, exchange_write, exchange_ready;
    logic [$clog2(cclo_pkg::EXCHANGE_BYTES)-1:0] exchange_address;
    logic [31:0] exchange_wdata, exchange_rdata;
    logic [3:0] exchange_strobe;
    engine_pkg::reg_request_t calls_request, window_request, move_request, move_status_request, rx_request;
    engine_pkg::reg_request_t network_request, sessions_request, rendezvous_request;
    engine_pkg::reg_request_t system_request, timers_request, notice_request;
    engine_pkg::reg_response_t calls_response, window_response, move_response, move_status_response, rx_response;
    engine_pkg::reg_response_t network_response, sessions_response, rendezvous_response;
    engine_pkg::reg_response_t system_response, timers_response, notice_response;

    processor_bus bus (
        .clk, .rst, .bus_valid, .bus_write, .bus_address, .bus_wdata, .bus_strobe, .bus_ready, .bus_rdata, .bus_error,
        .exchange_valid, .exchange_write, .exchange_address,
        .exchange_wdata, .exchange_strobe, .exchange_ready, .exchange_rdata,
        .calls_request, .calls_response, .window_request, .window_response, .move_request, .move_response,
        .move_status_request, .move_status_response, .rx_request, .rx_response, .network_request, .network_response,
        .sessions_request, .sessions_response, .rendezvous_request, .rendezvous_response,
        .system_request, .system_response, .timers_request, .timers_response, .notice_request, .notice_response
    );

    // Memory that host and engine share, and the ranks that it describes.
    engine_pkg::exchange_request_t peer_exchange_request, messages_exchange_request, transmit_exchange_request;
    engine_pkg::exchange_response_t peer_exchange_response, messages_exchange_response, transmit_exchange_response;
    engine_pkg::peer_request_t moves_peer_request, messages_peer_request, rendezvous_peer_request;
    engine_pkg::peer_response_t moves_peer_response, messages_peer_response, rendezvous_peer_response;
    engine_pkg::reg_request_t inspection_request;
    engine_pkg::reg_response_t inspection_response;
    logic _unused_written, host_written;

    exchange_memory exchange (
        .clk, .rst,
        .control_request, .control_response,
        .host_register_valid, .host_register_write, .host_register_address, .host_register_wdata, .host_register_strobe,
        .host_register_ready, .host_register_rdata, .inspection_request, .inspection_response,
        .processor_valid(exchange_valid), .processor_write(exchange_write), .processor_address(exchange_address),
        .processor_wdata(exchange_wdata), .processor_strobe(exchange_strobe),
        .processor_ready(exchange_ready), .processor_rdata(exchange_rdata),
        .peer_request(peer_exchange_request), .peer_response(peer_exchange_response),
        .messages_request(messages_exchange_request), .messages_response(messages_exchange_response),
        .transmit_request(transmit_exchange_request), .transmit_response(transmit_exchange_response),
        .written(_unused_written), .host_written
    );
    peer_lookup peers (
        .clk, .rst,
        .moves_request(moves_peer_request), .moves_response(moves_peer_response),
        .messages_request(messages_peer_request), .messages_response(messages_peer_response),
        .rendezvous_request(rendezvous_peer_request), .rendezvous_response(rendezvous_peer_response),
        .exchange_request(peer_exchange_request), .exchange_response(peer_exchange_response)
    );

    // Calls, time and reset.
    logic event_call, event_move, at_rest, event_message, event_rendezvous, event_network, event_session, calls_idle;
    logic reset_moves, reset_messages, reset_network, moves_idle, messages_idle, network_idle;
    logic [$clog2(engine_pkg::CALLS)-1:0] calls_waiting;
    logic call_taken;
    logic [23:0] taken_operation;
    logic tick_millisecond, sleeping, woken, begun, alarm_far, next_offered, next_delayed, next_refused, next_take;
    logic [cclo_pkg::WAKE_OPERATION_WIDTH-1:0] next_operation;
    logic [31:0] limit_cycles, remote_milliseconds, begun_hash, cycles_low;

    calls host_calls (
        .clk, .rst, .call_valid, .call_ready, .call_data, .answer_valid, .answer_ready, .answer_data,
        .calls_request, .calls_response, .window_request, .window_response,
        .next_offered, .next_delayed, .next_refused, .next_operation, .next_take, .drop(restarting),
        .taken(call_taken), .taken_operation, .waiting(calls_waiting), .event_call, .calls_idle
    );
    system_registers #(.MILLISECOND_CYCLES(MILLISECOND_CYCLES)) system_page (
        .clk, .rst, .system_request, .system_response, .timers_request, .timers_response,
        .event_call, .event_move, .event_message, .event_network(event_network || event_session), .event_rendezvous,
        .at_rest,
        .next_offered, .next_delayed, .next_refused, .next_operation, .next_take, .host_written,
        .reset_moves, .reset_messages, .reset_network, .moves_idle, .messages_idle, .network_idle,
        .tick_millisecond, .limit_cycles, .remote_milliseconds, .sleeping, .woken, .alarm_far, .begun, .begun_hash,
        .cycles_low, .trace_valid, .trace_word
    );
    logic refused, given_up, detail_choose, detail_valid;
    logic [15:0] detail_number;
    logic [31:0] detail_value;
    logic [15:0] given_up_session;

    inspection inspected (
        .clk, .rst, .inspection_request, .inspection_response,
        .halted, .cause, .trap_pc, .trap_address, .trap_instruction, .retired, .retired_pc,
        .sleeping, .woken, .begun, .begun_hash, .processor_rst, .restarting, .cycles(cycles_low),
        .refused, .given_up, .given_up_session, .detail_choose, .detail_number, .detail_valid, .detail_value
    );
    session_requests sessions (
        .clk, .rst, .sessions_request, .sessions_response,
        .listen_port_valid(listen_port_tvalid), .listen_port_ready(listen_port_tready),
        .listen_port_data(listen_port_tdata),
        .port_status_valid(port_status_tvalid), .port_status_ready(port_status_tready),
        .port_status_data(port_status_tdata),
        .open_connection_valid(open_connection_tvalid), .open_connection_ready(open_connection_tready),
        .open_connection_data(open_connection_tdata),
        .open_status_valid(open_status_tvalid), .open_status_ready(open_status_tready),
        .open_status_data(open_status_tdata),
        .event_session
    );

    // Moves.
    engine_pkg::selection_t selection;
    engine_pkg::match_request_t match_request_0, match_request_1, match_request_2, match_request_3;
    engine_pkg::match_response_t match_response_0, match_response_1, match_response_2, match_response_3;
    engine_pkg::window_request_t window_request_0, window_request_1, window_request_2, window_request_3;
    engine_pkg::window_response_t window_response_0, window_response_1, window_response_2, window_response_3;
    engine_pkg::packet_t packet_open;
    engine_pkg::slice_t slice;
    engine_pkg::retire_t retire;
    move_pkg::issue_t issue;
    logic [engine_pkg::QUEUES-1:0] wait_remote, wait_kernel, wait_packet, moves_completed, moves_failed;
    logic [8*engine_pkg::QUEUES-1:0] moves_waiting;
    logic network_enable, messages_changed, windows_changed, channels_idle, issue_valid;
    logic channel_release_valid, channel_release_ready, release_valid, release_ready;
    logic [engine_pkg::BUFFER_WIDTH-1:0] channel_release_buffer, release_buffer;
    logic packet_open_valid, packet_open_ready, packet_abandon_valid, packet_abandon_ready, packet_abandon_self;
    logic packet_commit_valid, packet_commit_ready, packet_commit_good;
    logic [engine_pkg::SLOT_WIDTH-1:0] packet_open_slot, packet_commit_slot, slot_write_slot;
    logic [15:0] packet_abandon_session;
    logic slice_valid, slice_ready, data_idle, data_flushing;
    logic [engine_pkg::QUEUES-1:0] restart;
    logic kernel_in_pushed, kernel_out_popped, kernel_in_drop, kernel_out_drop;
    logic slot_write_valid;
    logic [engine_pkg::ROW_WIDTH-1:0] slot_write_row;
    logic [engine_pkg::DATA_WIDTH-1:0] slot_write_data;
    logic [engine_pkg::KEEP_WIDTH-1:0] slot_write_strobe;
    logic move_kernel_tvalid, move_kernel_tready, move_kernel_tlast;
    logic [engine_pkg::DATA_WIDTH-1:0] move_kernel_tdata;
    logic [engine_pkg::KEEP_WIDTH-1:0] move_kernel_tkeep;
    logic [7:0] move_kernel_tdest;

    logic kept_valid, kept_ready, kept_data_valid, kept_data_ready, kept_done, kept_idle, kept_due;
    logic [63:0] kept_address;
    logic [engine_pkg::LENGTH_WIDTH-1:0] kept_bytes;
    logic [engine_pkg::DATA_WIDTH-1:0] kept_data;
    logic [31:0] kept_code;

    assign moves_idle = channels_idle && data_idle;

    move_engine moves (
        .clk, .rst, .reset_moves, .moves_idle(channels_idle), .event_move, .at_rest,
        .wait_remote, .wait_kernel, .wait_packet,
        .completed(moves_completed), .failed(moves_failed), .waiting(moves_waiting),
        .tick_millisecond, .limit_cycles, .remote_milliseconds, .network_enable,
        .move_request, .move_response, .status_request(move_status_request),
        .status_response(move_status_response), .selection,
        .peer_request(moves_peer_request), .peer_response(moves_peer_response),
        .match_request_0, .match_request_1, .match_request_2, .match_request_3,
        .match_response_0, .match_response_1, .match_response_2, .match_response_3, .messages_changed,
        .channel_release_valid, .channel_release_ready, .channel_release_buffer,
        .window_request_0, .window_request_1, .window_request_2, .window_request_3,
        .window_response_0, .window_response_1, .window_response_2, .window_response_3, .windows_changed,
        .packet_open_valid, .packet_open_ready, .packet_open, .packet_open_slot,
        .packet_abandon_valid, .packet_abandon_ready, .packet_abandon_self, .packet_abandon_session,
        .slice_valid, .slice_ready, .slice, .retire, .restart,
        .kernel_in_pushed, .kernel_out_popped, .kernel_in_drop, .kernel_out_drop, .data_flushing, .issue_valid, .issue
    );
    data_path data (
        .clk, .rst, .limit_cycles, .reset_moves, .idle(data_idle),
        .flushing(data_flushing), .slice_valid, .slice_ready, .slice, .retire, .restart,
        .slot_write_valid, .slot_write_slot, .slot_write_row, .slot_write_data, .slot_write_strobe,
        .packet_commit_valid, .packet_commit_ready, .packet_commit_slot, .packet_commit_good,
        .release_valid, .release_ready, .release_buffer,
        .kernel_in_tvalid, .kernel_in_tready, .kernel_in_tdata, .kernel_in_pushed, .kernel_in_drop, .kernel_out_drop,
        .kernel_out_tvalid(move_kernel_tvalid), .kernel_out_tready(move_kernel_tready),
        .kernel_out_tdata(move_kernel_tdata),
        .kernel_out_tkeep(move_kernel_tkeep), .kernel_out_tlast(move_kernel_tlast),
        .kernel_out_tdest(move_kernel_tdest), .kernel_out_popped,
        .arith_op0_tvalid, .arith_op0_tready, .arith_op0_tdata, .arith_op0_tkeep, .arith_op0_tlast, .arith_op0_tdest,
        .arith_op1_tvalid, .arith_op1_tready, .arith_op1_tdata, .arith_op1_tkeep, .arith_op1_tlast, .arith_op1_tdest,
        .arith_res_tvalid, .arith_res_tready, .arith_res_tdata, .compression0_operand_tvalid,
        .compression0_operand_tready, .compression0_operand_tdata, .compression0_operand_tkeep,
        .compression0_operand_tlast, .compression0_operand_tdest, .compression0_result_tvalid,
        .compression0_result_tready, .compression0_result_tdata, .compression1_operand_tvalid,
        .compression1_operand_tready, .compression1_operand_tdata, .compression1_operand_tkeep,
        .compression1_operand_tlast, .compression1_operand_tdest, .compression1_result_tvalid,
        .compression1_result_tready, .compression1_result_tdata, .compression2_operand_tvalid,
        .compression2_operand_tready, .compression2_operand_tdata, .compression2_operand_tkeep,
        .compression2_operand_tlast, .compression2_operand_tdest, .compression2_result_tvalid,
        .compression2_result_tready, .compression2_result_tdata, .op0_command_tvalid, .op0_command_tready,
        .op0_command_tdata, .op0_command_tdest, .op0_status_tvalid, .op0_status_tready, .op0_status_tdata, .op0_tvalid,
        .op0_tready, .op0_tdata, .op0_tlast, .op1_command_tvalid, .op1_command_tready, .op1_command_tdata,
        .op1_command_tdest, .op1_status_tvalid, .op1_status_tready, .op1_status_tdata, .op1_tvalid, .op1_tready,
        .op1_tdata, .op1_tlast, .result_command_tvalid, .result_command_tready, .result_command_tdata,
        .result_command_tdest, .result_status_tvalid, .result_status_tready, .result_status_tdata, .result_tvalid,
        .result_tready, .result_tdata, .result_tkeep, .result_tlast, .result_tdest,
        .kept_valid, .kept_ready, .kept_address, .kept_bytes, .kept_data_valid, .kept_data_ready,
        .kept_data, .kept_done, .kept_code, .kept_idle, .kept_due
    );
    // Packets.
    logic [engine_pkg::SLOTS-1:0] tx_slots, rx_slots;
    logic transmit_idle, transmit_busy, receive_idle, receive_busy, inbound_idle, bad_packet;
    logic session_closed_valid, number_valid, number_done;
    logic [15:0] session_closed, number_session;
    logic [63:0] number_vaddr;
    logic [7:0] number_host;
    logic [31:0] number_value;
    logic loop_room, loop_valid, loop_ready, loop_last;
    logic [engine_pkg::DATA_WIDTH-1:0] loop_data;
    logic [engine_pkg::KEEP_WIDTH-1:0] loop_keep;
    logic rx_valid, rx_loop, rx_verdict_valid, rx_retry, rx_data_valid, rx_data_ready, rx_data_last;
    logic [15:0] rx_session;
    logic [engine_pkg::LENGTH_WIDTH-1:0] rx_bytes, rx_take_bytes, rx_rest;
    logic [5:0] rx_before;
    logic [engine_pkg::DATA_WIDTH-1:0] rx_beat, rx_data;
    logic [engine_pkg::KEEP_WIDTH-1:0] rx_data_keep;
    logic [1:0] rx_verdict;
    logic rx_headed, eth_tx_headed;

    logic own_valid;
    logic [15:0] foreign_session;

    network_transmit transmit (
        .clk, .rst, .reset_network, .network_enable, .tick_millisecond, .remote_milliseconds,
        .transmit_idle, .transmit_busy, .tx_slots, .refused, .given_up, .given_up_session,
        .packet_open_valid, .packet_open_ready, .packet_open, .packet_open_slot,
        .packet_abandon_valid, .packet_abandon_ready, .packet_abandon_session, .packet_abandon_self,
        .slot_write_valid, .slot_write_slot, .slot_write_row, .slot_write_data, .slot_write_strobe,
        .packet_commit_valid, .packet_commit_ready, .packet_commit_slot, .packet_commit_good,
        .exchange_request(transmit_exchange_request), .exchange_response(transmit_exchange_response),
        .number_valid, .number_session, .number_vaddr, .number_host, .number_done, .number_value,
        .session_closed_valid, .session_closed, .own_valid, .own_session(foreign_session), .loop_room,
        .loop_valid, .loop_ready, .loop_data, .loop_keep, .loop_last,
        .eth_tx_data_tvalid, .eth_tx_data_tready, .eth_tx_data_tdata, .eth_tx_data_tkeep, .eth_tx_data_tlast,
        .eth_tx_data_tdest, .eth_tx_headed, .eth_tx_meta_tvalid, .eth_tx_meta_tready, .eth_tx_meta_tdata,
        .eth_tx_status_tvalid, .eth_tx_status_tready, .eth_tx_status_tdata,
        .rdma_sq_tvalid, .rdma_sq_tready, .rdma_sq_tdata
    );
    network_receive receive (
        .clk, .rst, .reset_network, .network_enable, .receive_idle,
        .receive_busy, .rx_slots, .bad_packet, .session_closed_valid, .session_closed,
        .loop_room, .loop_valid, .loop_ready, .loop_data, .loop_keep, .loop_last,
        .rx_valid, .rx_session, .rx_loop, .rx_bytes, .rx_beat, .rx_verdict_valid, .rx_verdict, .rx_take_bytes,
        .rx_before, .rx_rest, .rx_retry,
        .rx_data_valid, .rx_data_ready, .rx_data, .rx_data_keep, .rx_data_last,
        .eth_rx_data_tvalid, .eth_rx_data_tready, .eth_rx_data_tdata, .eth_rx_data_tkeep, .eth_rx_data_tlast,
        .eth_rx_data_tdest, .eth_notification_tvalid, .eth_notification_tready, .eth_notification_tdata,
        .eth_read_pkg_tvalid, .eth_read_pkg_tready, .eth_read_pkg_tdata, .eth_rx_meta_tvalid, .eth_rx_meta_tready,
        .eth_rx_meta_tdata
    );
    assign network_idle = transmit_idle && receive_idle && inbound_idle;

    // Received messages.
    logic quiet, messages_clear, rendezvous_clear;
    logic [engine_pkg::EVENT_WIDTH-1:0] events_noticed;
    logic [$clog2(engine_pkg::NOTICES+1)-1:0] notices_waiting;
    logic [engine_pkg::BUFFER_WIDTH:0] buffers_given, buffers_free, buffers_used;
    logic write_valid, write_ready, write_host, write_data_valid, write_data_ready, write_done, write_idle;
    logic [63:0] write_address;
    logic [engine_pkg::LENGTH_WIDTH-1:0] write_bytes, written_bytes;
    logic [engine_pkg::DATA_WIDTH-1:0] write_data, put_data;
    logic [engine_pkg::KEEP_WIDTH-1:0] put_keep, _unused_write_data_keep;
    logic _unused_write_data_last;
    logic [31:0] write_code;
    logic put_valid, put_ready, put_last, kernel_busy;
    logic [7:0] put_tdest;
    logic [8:0] put_room;
    logic accept_valid, accept_done, complete_valid, complete_ready, messages_retry;
    logic [15:0] accept_session, packet_session;
    engine_pkg::header_t accept_header, packet_header;
    logic [2:0] accept_verdict, packet_epoch, written_epoch;
    logic [engine_pkg::BUFFER_WIDTH-1:0] accept_buffer, complete_buffer;
    logic [63:0] accept_address;
    logic accept_posted, accept_host, posted_open, posted_busy, landed_valid, landed_ready, landed_good;
    logic [engine_pkg::EPOCH_WIDTH-1:0] posted_epoch;
    logic [31:0] landed_code;
    logic [1:0] complete_result;
    logic packet_valid, packet_loop, packet_done, packet_wanted;
    logic written_valid, written_ready, written_good, foreign_valid;
    logic [6:0] packet_event;
    logic [31:0] windows_open;
    logic [95:0] windows_epoch;
    logic [4:0] packet_window, written_window;
    logic [5:0] written_index;

    inbound arrivals (
        .clk, .rst, .reset_messages, .reset_network, .quiet,
        .network_idle(inbound_idle), .network_enable, .event_network, .events_noticed, .notices_waiting,
        .events_set(bad_packet ? engine_pkg::EVENT_BAD_PACKET : '0),
        .reg_request(network_request), .reg_response(network_response),
        .notice_request, .notice_response,
        .rx_valid, .rx_session, .rx_loop, .rx_bytes, .rx_beat, .rx_verdict_valid, .rx_verdict, .rx_headed,
        .rx_take_bytes, .rx_before, .rx_rest, .rx_retry,
        .rx_data_valid, .rx_data_ready, .rx_data, .rx_data_keep, .rx_data_last, .session_closed_valid, .session_closed,
        .write_valid, .write_ready, .write_address, .write_host,
        .write_bytes, .write_data_valid, .write_data_ready, .write_data,
        .write_data_keep(_unused_write_data_keep), .write_data_last(_unused_write_data_last), .write_done, .write_code,
        .put_valid, .put_ready, .put_data, .put_keep, .put_last, .put_tdest, .put_room,
        .accept_valid, .accept_session, .accept_header, .accept_done, .accept_verdict, .accept_buffer, .accept_address,
        .accept_posted, .accept_host, .posted_open, .posted_epoch, .posted_busy,
        .landed_valid, .landed_ready, .landed_good, .landed_code,
        .complete_valid, .complete_ready, .complete_buffer, .complete_result, .messages_retry,
        .packet_valid, .packet_loop, .packet_session, .packet_header, .packet_done,
        .packet_wanted, .packet_event, .packet_window, .packet_epoch,
        .windows_open, .windows_epoch,
        .written_valid, .written_ready, .written_window, .written_epoch, .written_index, .written_bytes, .written_good,
        .foreign_valid, .foreign_session, .own_valid
    );
    logic port_valid, port_ready, port_host, port_data_valid, port_data_ready, port_done;
    logic [63:0] port_address;
    logic [engine_pkg::LENGTH_WIDTH-1:0] port_bytes;
    logic [engine_pkg::DATA_WIDTH-1:0] port_data;
    logic [31:0] port_code;

    write_share arrival_port (
        .clk, .rst, .kept_idle, .kept_due,
        .kept_valid, .kept_ready, .kept_address, .kept_bytes,
        .kept_data_valid, .kept_data_ready, .kept_data, .kept_done, .kept_code,
        .write_valid, .write_ready, .write_address, .write_host,
        .write_bytes, .write_data_valid, .write_data_ready, .write_data,
        .write_done, .write_code,
        .port_valid, .port_ready, .port_address, .port_host, .port_bytes,
        .port_data_valid, .port_data_ready, .port_data, .port_done, .port_code
    );
    dma_writer arrival_writer (
        .clk, .rst, .limit_cycles, .abandon(1'b0), .idle(write_idle),
        .write_valid(port_valid), .write_ready(port_ready), .write_address(port_address),
        .write_host(port_host), .write_bytes(port_bytes),
        .write_data_valid(port_data_valid), .write_data_ready(port_data_ready), .write_data(port_data),
        .write_done(port_done), .write_code(port_code),
        .command_tvalid(inbound_command_tvalid), .command_tready(inbound_command_tready),
        .command_tdata(inbound_command_tdata), .command_tdest(inbound_command_tdest),
        .status_tvalid(inbound_status_tvalid), .status_tready(inbound_status_tready),
        .status_tdata(inbound_status_tdata),
        .stream_tvalid(inbound_tvalid), .stream_tready(inbound_tready),
        .stream_tdata(inbound_tdata), .stream_tkeep(inbound_tkeep),
        .stream_tlast(inbound_tlast), .stream_tdest(inbound_tdest)
    );
    messages eager (
        .clk, .rst, .reset_messages, .quiet, .messages_idle(messages_clear), .event_message,
        .buffers_given, .buffers_free,
        .reg_request(rx_request), .reg_response(rx_response), .selection,
        .peer_request(messages_peer_request), .peer_response(messages_peer_response),
        .exchange_request(messages_exchange_request), .exchange_response(messages_exchange_response),
        .match_request_0, .match_request_1, .match_request_2, .match_request_3,
        .match_response_0, .match_response_1, .match_response_2, .match_response_3, .messages_changed,
        .release_valid, .release_ready, .release_buffer,
        .channel_release_valid, .channel_release_ready, .channel_release_buffer,
        .accept_valid, .accept_session, .accept_header, .accept_done, .accept_verdict, .accept_buffer, .accept_address,
        .accept_posted, .accept_host, .posted_open, .posted_epoch, .posted_busy,
        .landed_valid, .landed_ready, .landed_good, .landed_code,
        .complete_valid, .complete_ready, .complete_buffer, .complete_result, .messages_retry
    );
    rendezvous windows (
        .clk, .rst, .reset_messages, .quiet, .messages_idle(rendezvous_clear), .event_rendezvous,
        .reg_request(rendezvous_request), .reg_response(rendezvous_response), .selection,
        .peer_request(rendezvous_peer_request), .peer_response(rendezvous_peer_response),
        .window_request_0, .window_request_1, .window_request_2, .window_request_3,
        .window_response_0, .window_response_1, .window_response_2, .window_response_3, .windows_changed,
        .number_valid, .number_session, .number_vaddr, .number_host, .number_done, .number_value,
        .packet_valid, .packet_loop, .packet_session, .packet_header, .packet_done,
        .packet_wanted, .packet_event, .packet_window, .packet_epoch,
        .windows_open, .windows_epoch,
        .written_valid, .written_ready, .written_window, .written_epoch, .written_index, .written_bytes, .written_good,
        .foreign_valid, .foreign_session
    );
    assign messages_idle = messages_clear && rendezvous_clear;

    kernel_output kernel_stream (
        .clk, .rst,
        .move_tvalid(move_kernel_tvalid), .move_tready(move_kernel_tready), .move_tdata(move_kernel_tdata),
        .move_tkeep(move_kernel_tkeep), .move_tlast(move_kernel_tlast), .move_tdest(move_kernel_tdest),
        .put_valid, .put_ready, .put_data, .put_keep, .put_last, .put_tdest, .put_room, .busy(kernel_busy),
        .out_tvalid(kernel_out_tvalid), .out_tready(kernel_out_tready),
        .out_tdata(kernel_out_tdata), .out_tkeep(kernel_out_tkeep),
        .out_tlast(kernel_out_tlast), .out_tdest(kernel_out_tdest)
    );

    // What the host sees of all that.
    logic [cclo_pkg::STALLS_WORDS-1:0]     stalls;
    logic [7*cclo_pkg::COUNTERS_WORDS-1:0] amounts;
    logic [32*cclo_pkg::REMOTES_WORDS-1:0] remotes;
    logic [6:0]                            tx_beat_bytes, rx_beat_bytes;
    logic                                  message_opened, dma_moves, activity_valid, trace_shown;
    logic [31:0]                           activity_value, trace_value;
    logic [cclo_pkg::TRACE_EVENTS_WORDS-1:0]    happens;
    logic [32*cclo_pkg::TRACE_EVENTS_WORDS-1:0] arguments;

    assign message_opened = accept_valid && accept_done && accept_verdict[2:1] == '0; // stored, or without bytes

    assign detail_valid = activity_valid && trace_shown;
    assign detail_value = activity_value | trace_value;

    generate if (cclo_pkg::PLATFORM_ACTIVITY) begin : counted
        activity seen (
            .clk, .rst, .detail_choose, .detail_number, .detail_valid(activity_valid), .detail_value(activity_value),
            .stalls, .amounts, .remotes,
            .tx_slots, .rx_slots, .buffers_given, .buffers_free, .calls_waiting(8'(calls_waiting)),
            .notices_waiting(8'(notices_waiting)), .moves_waiting
        );
    end else begin : not_counted
        wire unused = &{
            1'b0, stalls, amounts, remotes, tx_slots, rx_slots, calls_waiting, notices_waiting, moves_waiting
        };
        assign activity_valid = 1'b1;
        assign activity_value = '0;
    end endgenerate
    generate if (cclo_pkg::PLATFORM_TRACE_DEPTH != 0) begin : traced
        trace ring (
            .clk, .rst, .detail_choose, .detail_number, .detail_valid(trace_shown), .detail_value(trace_value),
            .cycles(cycles_low), .halted, .happens, .arguments
        );
    end else begin : not_traced
        wire unused = &{1'b0, detail_choose, detail_number, happens, arguments};
        assign trace_shown = 1'b1;
        assign trace_value = '0;
    end endgenerate
    keep_bytes tx_keep (.keep(eth_tx_data_tkeep), .bytes(tx_beat_bytes));
    keep_bytes rx_keep (.keep(eth_rx_data_tkeep), .bytes(rx_beat_bytes));

    assign dma_moves = op0_command_tvalid && op0_command_tready || op0_status_tvalid && op0_status_tready
        || op0_tvalid && op0_tready || op1_command_tvalid && op1_command_tready
        || op1_status_tvalid && op1_status_tready || op1_tvalid && op1_tready
        || result_command_tvalid && result_command_tready || result_status_tvalid && result_status_tready
        || result_tvalid && result_tready || inbound_command_tvalid && inbound_command_tready
        || inbound_status_tvalid && inbound_status_tready || inbound_tvalid && inbound_tready;

    always_comb begin
        stalls = '0;
        stalls[cclo_pkg::STALLS_CALL_WORD]             = call_valid && !call_ready;
        stalls[cclo_pkg::STALLS_ANSWER_WORD]           = answer_valid && !answer_ready;
        stalls[cclo_pkg::STALLS_KERNEL_IN_WORD]        = kernel_in_tvalid && !kernel_in_tready;
        stalls[cclo_pkg::STALLS_KERNEL_OUT_WORD]       = kernel_out_tvalid && !kernel_out_tready;
        stalls[cclo_pkg::STALLS_ARITH_OP0_WORD]        = arith_op0_tvalid && !arith_op0_tready;
        stalls[cclo_pkg::STALLS_ARITH_OP1_WORD]        = arith_op1_tvalid && !arith_op1_tready;
        stalls[cclo_pkg::STALLS_ARITH_RES_WORD]        = arith_res_tvalid && !arith_res_tready;
        stalls[cclo_pkg::STALLS_COMPRESSION0_OPERAND_WORD] =
            compression0_operand_tvalid && !compression0_operand_tready;
        stalls[cclo_pkg::STALLS_COMPRESSION0_RESULT_WORD] =
            compression0_result_tvalid && !compression0_result_tready;
        stalls[cclo_pkg::STALLS_COMPRESSION1_OPERAND_WORD] =
            compression1_operand_tvalid && !compression1_operand_tready;
        stalls[cclo_pkg::STALLS_COMPRESSION1_RESULT_WORD] =
            compression1_result_tvalid && !compression1_result_tready;
        stalls[cclo_pkg::STALLS_COMPRESSION2_OPERAND_WORD] =
            compression2_operand_tvalid && !compression2_operand_tready;
        stalls[cclo_pkg::STALLS_COMPRESSION2_RESULT_WORD] =
            compression2_result_tvalid && !compression2_result_tready;
        stalls[cclo_pkg::STALLS_OP0_COMMAND_WORD]      = op0_command_tvalid && !op0_command_tready;
        stalls[cclo_pkg::STALLS_OP0_WORD]              = op0_tvalid && !op0_tready;
        stalls[cclo_pkg::STALLS_OP1_COMMAND_WORD]      = op1_command_tvalid && !op1_command_tready;
        stalls[cclo_pkg::STALLS_OP1_WORD]              = op1_tvalid && !op1_tready;
        stalls[cclo_pkg::STALLS_RESULT_COMMAND_WORD]   = result_command_tvalid && !result_command_tready;
        stalls[cclo_pkg::STALLS_RESULT_WORD]           = result_tvalid && !result_tready;
        stalls[cclo_pkg::STALLS_INBOUND_COMMAND_WORD]  = inbound_command_tvalid && !inbound_command_tready;
        stalls[cclo_pkg::STALLS_INBOUND_WORD]          = inbound_tvalid && !inbound_tready;
        stalls[cclo_pkg::STALLS_ETH_TX_DATA_WORD]      = eth_tx_data_tvalid && !eth_tx_data_tready;
        stalls[cclo_pkg::STALLS_ETH_TX_META_WORD]      = eth_tx_meta_tvalid && !eth_tx_meta_tready;
        stalls[cclo_pkg::STALLS_ETH_TX_STATUS_WORD]    = eth_tx_status_tvalid && !eth_tx_status_tready;
        stalls[cclo_pkg::STALLS_RDMA_SQ_WORD]          = rdma_sq_tvalid && !rdma_sq_tready;
        stalls[cclo_pkg::STALLS_ETH_RX_DATA_WORD]      = eth_rx_data_tvalid && !eth_rx_data_tready;
        stalls[cclo_pkg::STALLS_ETH_NOTIFICATION_WORD] = eth_notification_tvalid && !eth_notification_tready;
        stalls[cclo_pkg::STALLS_ETH_READ_PKG_WORD]     = eth_read_pkg_tvalid && !eth_read_pkg_tready;
        stalls[cclo_pkg::STALLS_ETH_RX_META_WORD]      = eth_rx_meta_tvalid && !eth_rx_meta_tready;
        stalls[cclo_pkg::STALLS_LISTEN_PORT_WORD]      = listen_port_tvalid && !listen_port_tready;
        stalls[cclo_pkg::STALLS_OPEN_CONNECTION_WORD]  = open_connection_tvalid && !open_connection_tready;
        stalls[cclo_pkg::STALLS_REMOTE_0_WORD]         = wait_remote[0];
        stalls[cclo_pkg::STALLS_REMOTE_1_WORD]         = wait_remote[1];
        stalls[cclo_pkg::STALLS_REMOTE_2_WORD]         = wait_remote[2];
        stalls[cclo_pkg::STALLS_REMOTE_3_WORD]         = wait_remote[3];
        stalls[cclo_pkg::STALLS_KERNEL_WORD]           = wait_kernel != '0;
        stalls[cclo_pkg::STALLS_PACKET_WORD]           = wait_packet != '0;
        stalls[cclo_pkg::STALLS_MEMORY_WORD]           = (!data_idle || !write_idle) && !dma_moves;
        stalls[cclo_pkg::STALLS_CALLS_WORD] =
            !calls_idle && !(call_valid && call_ready) && !(answer_valid && answer_ready);
    end

    function logic [31:0] remote_wait(
        input logic waits,
        input logic [cclo_pkg::REMOTE_WAIT_SESSION_WIDTH-1:0] session,
        input logic [cclo_pkg::REMOTE_WAIT_RANK_WIDTH-1:0] rank
    );
        begin
            remote_wait = '0;
            remote_wait[cclo_pkg::REMOTE_WAIT_WAITS_LOW] = waits;
            if (waits) begin
                remote_wait[cclo_pkg::REMOTE_WAIT_SESSION_LOW +: cclo_pkg::REMOTE_WAIT_SESSION_WIDTH] = session;
                remote_wait[cclo_pkg::REMOTE_WAIT_RANK_LOW +: cclo_pkg::REMOTE_WAIT_RANK_WIDTH]       = rank;
            end
        end
    endfunction

    always_comb begin
        remotes[32*cclo_pkg::REMOTES_REMOTE_0_WORD +: 32] =
            remote_wait(match_request_0.waits || match_response_0.posted, match_request_0.session[14:0],
                match_request_0.rank[15:0]);
        remotes[32*cclo_pkg::REMOTES_REMOTE_1_WORD +: 32] =
            remote_wait(match_request_1.waits || match_response_1.posted, match_request_1.session[14:0],
                match_request_1.rank[15:0]);
        remotes[32*cclo_pkg::REMOTES_REMOTE_2_WORD +: 32] =
            remote_wait(match_request_2.waits || match_response_2.posted, match_request_2.session[14:0],
                match_request_2.rank[15:0]);
        remotes[32*cclo_pkg::REMOTES_REMOTE_3_WORD +: 32] =
            remote_wait(match_request_3.waits || match_response_3.posted, match_request_3.session[14:0],
                match_request_3.rank[15:0]);
    end

    always_comb begin
        amounts = '0;
        if (eth_tx_data_tvalid && eth_tx_data_tready)
            amounts[7*cclo_pkg::COUNTERS_TX_BYTES_WORD +: 7] = tx_beat_bytes;
        if (eth_rx_data_tvalid && eth_rx_data_tready)
            amounts[7*cclo_pkg::COUNTERS_RX_BYTES_WORD +: 7] = rx_beat_bytes;
        amounts[7*cclo_pkg::COUNTERS_MOVES_COMPLETED_WORD +: 7] = 7'(moves_completed[0]) + 7'(moves_completed[1])
            + 7'(moves_completed[2]) + 7'(moves_completed[3]);
        amounts[7*cclo_pkg::COUNTERS_TX_PACKETS_WORD] = eth_tx_data_tvalid && eth_tx_data_tready && eth_tx_data_tlast;
        amounts[7*cclo_pkg::COUNTERS_RX_PACKETS_WORD] = eth_rx_data_tvalid && eth_rx_data_tready && eth_rx_data_tlast;
        amounts[7*cclo_pkg::COUNTERS_NO_BUFFER_WORD]  = (events_noticed & engine_pkg::EVENT_NO_BUFFER) != '0;
        amounts[7*cclo_pkg::COUNTERS_BAD_PACKET_WORD] = (events_noticed & engine_pkg::EVENT_BAD_PACKET) != '0;
        amounts[7*cclo_pkg::COUNTERS_STALE_WORD]      = (events_noticed & engine_pkg::EVENT_STALE) != '0;
        amounts[7*cclo_pkg::COUNTERS_TOO_LARGE_WORD]  = (events_noticed & engine_pkg::EVENT_TOO_LARGE) != '0;
        amounts[7*cclo_pkg::COUNTERS_NO_WINDOW_WORD]  = (events_noticed & engine_pkg::EVENT_NO_WINDOW) != '0;
        amounts[7*cclo_pkg::COUNTERS_NO_ANNOUNCEMENT_WORD] =
            (events_noticed & engine_pkg::EVENT_NO_ANNOUNCEMENT) != '0;
        amounts[7*cclo_pkg::COUNTERS_HELD_WORD]             = rx_verdict_valid && rx_verdict == 2'd1;
        amounts[7*cclo_pkg::COUNTERS_OP0_BEATS_WORD]        = op0_tvalid && op0_tready;
        amounts[7*cclo_pkg::COUNTERS_OP1_BEATS_WORD]        = op1_tvalid && op1_tready;
        amounts[7*cclo_pkg::COUNTERS_RESULT_BEATS_WORD]     = result_tvalid && result_tready;
        amounts[7*cclo_pkg::COUNTERS_INBOUND_BEATS_WORD]    = inbound_tvalid && inbound_tready;
        amounts[7*cclo_pkg::COUNTERS_KERNEL_IN_BEATS_WORD]  = kernel_in_tvalid && kernel_in_tready;
        amounts[7*cclo_pkg::COUNTERS_KERNEL_OUT_BEATS_WORD] = kernel_out_tvalid && kernel_out_tready;
        amounts[7*cclo_pkg::COUNTERS_MOVES_ISSUED_WORD]     = issue_valid;
        amounts[7*cclo_pkg::COUNTERS_MOVES_FAILED_WORD]     = moves_failed != '0;
        amounts[7*cclo_pkg::COUNTERS_SLICES_WORD]           = slice_valid && slice_ready;
        amounts[7*cclo_pkg::COUNTERS_ANSWERS_WORD]          = answer_valid && answer_ready;
        amounts[7*cclo_pkg::COUNTERS_BUSY_WORD]             = !sleeping && !halted;
        amounts[7*cclo_pkg::COUNTERS_ASLEEP_WORD]           = sleeping;
        amounts[7*cclo_pkg::COUNTERS_MESSAGES_WORD]         = message_opened;
    end

    // Events of the trace.
    localparam logic [1:0] HOLD = 2'd1; // rx_verdict

    logic                was_halted, was_restarting, was_full, full;
    logic [4:0]          window;
    logic                tx_goes_on; // the packet to the network has begun
    engine_pkg::traced_t tx_begins, tx_began, tx_traced, rx_traced;

    // The header is the first beat, and the event is with the last one.
    assign tx_begins = eth_tx_headed ? engine_pkg::traced_header(engine_pkg::unpack_header(eth_tx_data_tdata)) : '0;
    assign tx_traced = tx_goes_on ? tx_began : tx_begins;
    assign rx_traced = rx_headed ? engine_pkg::traced_header(packet_header) : '0;

    always_ff @(posedge clk) begin
        if (eth_tx_data_tvalid && eth_tx_data_tready) begin
            tx_goes_on <= !eth_tx_data_tlast;
            tx_began   <= tx_traced;
        end
        if (rst) tx_goes_on <= 1'b0;
        was_halted     <= !rst && halted;
        was_restarting <= !rst && restarting;
        buffers_used   <= buffers_given - buffers_free;
        full           <= buffers_given != '0
            && buffers_free <= (engine_pkg::BUFFER_WIDTH + 1)'(!engine_pkg::LOSSY);
        was_full       <= !rst && full;
        if (rendezvous_request.valid && rendezvous_request.write
            && rendezvous_request.address == engine_pkg::RENDEZVOUS_WINDOW) window <= rendezvous_request.wdata[4:0];
    end

    always_comb begin
        happens = '0;
        happens[cclo_pkg::TRACE_EVENTS_CALL_TAKEN_WORD]           = call_taken;
        happens[cclo_pkg::TRACE_EVENTS_CALL_ANSWERED_WORD]        = answer_valid && answer_ready;
        happens[cclo_pkg::TRACE_EVENTS_MOVE_ISSUED_WORD]          = issue_valid;
        happens[cclo_pkg::TRACE_EVENTS_MOVES_COMPLETED_WORD]      = moves_completed != '0;
        happens[cclo_pkg::TRACE_EVENTS_MOVES_FAILED_WORD]         = moves_failed != '0;
        happens[cclo_pkg::TRACE_EVENTS_MESSAGE_OPENED_WORD]       = message_opened;
        happens[cclo_pkg::TRACE_EVENTS_MESSAGE_STORED_WORD]       = complete_valid && complete_ready;
        happens[cclo_pkg::TRACE_EVENTS_MESSAGE_DELIVERED_WORD]    = landed_valid && landed_ready;
        happens[cclo_pkg::TRACE_EVENTS_WINDOW_OPENED_WORD]        =
            rendezvous_request.valid && rendezvous_request.write && rendezvous_response.ready
            && rendezvous_request.address == engine_pkg::RENDEZVOUS_OPEN;
        happens[cclo_pkg::TRACE_EVENTS_ANNOUNCEMENT_ARRIVED_WORD] =
            packet_valid && packet_done && packet_header.kind == engine_pkg::TYPE_ANNOUNCEMENT;
        happens[cclo_pkg::TRACE_EVENTS_DONE_ARRIVED_WORD]         =
            packet_valid && packet_done && packet_header.kind == engine_pkg::TYPE_DONE;
        happens[cclo_pkg::TRACE_EVENTS_PACKET_SENT_WORD]          =
            eth_tx_data_tvalid && eth_tx_data_tready && eth_tx_data_tlast;
        happens[cclo_pkg::TRACE_EVENTS_PACKET_ARRIVED_WORD]       = rx_verdict_valid && rx_verdict != HOLD;
        happens[cclo_pkg::TRACE_EVENTS_PACKET_HELD_WORD]          = rx_verdict_valid && rx_verdict == HOLD;
        happens[cclo_pkg::TRACE_EVENTS_PACKET_DROPPED_WORD]       = events_noticed != '0;
        happens[cclo_pkg::TRACE_EVENTS_RX_BUFFERS_FULL_WORD]      = full && !was_full;
        happens[cclo_pkg::TRACE_EVENTS_TRANSMISSION_REFUSED_WORD] = refused;
        happens[cclo_pkg::TRACE_EVENTS_SESSION_GIVEN_UP_WORD]     = given_up;
        happens[cclo_pkg::TRACE_EVENTS_SESSION_CLOSED_WORD]       = session_closed_valid;
        happens[cclo_pkg::TRACE_EVENTS_PROCESSOR_HALTED_WORD]     = halted && !was_halted;
        happens[cclo_pkg::TRACE_EVENTS_PROCESSOR_RESTARTED_WORD]  = was_restarting && !restarting;
        happens[cclo_pkg::TRACE_EVENTS_SLICE_BEGUN_WORD]          = // but one that forgets a packet
            slice_valid && slice_ready && (slice.to_network || !slice.slot_commit);
    end

    localparam int unsigned SLICE_BEGUN = 32 * cclo_pkg::TRACE_EVENTS_SLICE_BEGUN_WORD;

    always_comb begin
        arguments = '0;
        arguments[32*cclo_pkg::TRACE_EVENTS_CALL_TAKEN_WORD + cclo_pkg::TRACE_CALL_TAKEN_OPERATION_LOW
            +: cclo_pkg::TRACE_CALL_TAKEN_OPERATION_WIDTH] = taken_operation;
        arguments[32*cclo_pkg::TRACE_EVENTS_CALL_ANSWERED_WORD +: 32] = answer_data; // its layout is the same
        arguments[32*cclo_pkg::TRACE_EVENTS_MOVE_ISSUED_WORD + cclo_pkg::TRACE_MOVE_ISSUED_OP0_LOW
            +: cclo_pkg::TRACE_MOVE_ISSUED_OP0_WIDTH] =
            issue.control[cclo_pkg::MOVE_CONTROL_OP0_LOW +: cclo_pkg::MOVE_CONTROL_OP0_WIDTH];
        arguments[32*cclo_pkg::TRACE_EVENTS_MOVE_ISSUED_WORD + cclo_pkg::TRACE_MOVE_ISSUED_OP1_LOW
            +: cclo_pkg::TRACE_MOVE_ISSUED_OP1_WIDTH] =
            issue.control[cclo_pkg::MOVE_CONTROL_OP1_LOW +: cclo_pkg::MOVE_CONTROL_OP1_WIDTH];
        arguments[32*cclo_pkg::TRACE_EVENTS_MOVE_ISSUED_WORD + cclo_pkg::TRACE_MOVE_ISSUED_RESULT_LOW
            +: cclo_pkg::TRACE_MOVE_ISSUED_RESULT_WIDTH] =
            issue.control[cclo_pkg::MOVE_CONTROL_RESULT_LOW +: cclo_pkg::MOVE_CONTROL_RESULT_WIDTH];
        arguments[32*cclo_pkg::TRACE_EVENTS_MOVE_ISSUED_WORD + cclo_pkg::TRACE_MOVE_ISSUED_QUEUE_LOW
            +: cclo_pkg::TRACE_MOVE_ISSUED_QUEUE_WIDTH] =
            issue.control[cclo_pkg::MOVE_CONTROL_QUEUE_LOW +: cclo_pkg::MOVE_CONTROL_QUEUE_WIDTH];
        arguments[32*cclo_pkg::TRACE_EVENTS_MOVE_ISSUED_WORD + cclo_pkg::TRACE_MOVE_ISSUED_SOURCE_LOW
            +: cclo_pkg::TRACE_MOVE_ISSUED_SOURCE_WIDTH] = issue.source[cclo_pkg::TRACE_MOVE_ISSUED_SOURCE_WIDTH-1:0];
        arguments[32*cclo_pkg::TRACE_EVENTS_MOVE_ISSUED_WORD + cclo_pkg::TRACE_MOVE_ISSUED_DESTINATION_LOW
            +: cclo_pkg::TRACE_MOVE_ISSUED_DESTINATION_WIDTH] =
            issue.destination[cclo_pkg::TRACE_MOVE_ISSUED_DESTINATION_WIDTH-1:0];
        arguments[32*cclo_pkg::TRACE_EVENTS_MOVES_COMPLETED_WORD + cclo_pkg::TRACE_MOVES_COMPLETED_QUEUES_LOW
            +: cclo_pkg::TRACE_MOVES_COMPLETED_QUEUES_WIDTH] = moves_completed;
        arguments[32*cclo_pkg::TRACE_EVENTS_MOVES_COMPLETED_WORD + cclo_pkg::TRACE_MOVES_COMPLETED_RX_BUFFERS_LOW
            +: cclo_pkg::TRACE_MOVES_COMPLETED_RX_BUFFERS_WIDTH] = 16'(buffers_used);
        arguments[32*cclo_pkg::TRACE_EVENTS_MOVES_FAILED_WORD + cclo_pkg::TRACE_MOVES_FAILED_QUEUES_LOW
            +: cclo_pkg::TRACE_MOVES_FAILED_QUEUES_WIDTH] = moves_failed;
        arguments[32*cclo_pkg::TRACE_EVENTS_MESSAGE_OPENED_WORD + cclo_pkg::TRACE_MESSAGE_OPENED_RANK_LOW
            +: cclo_pkg::TRACE_MESSAGE_OPENED_RANK_WIDTH] = accept_header.src[15:0];
        arguments[32*cclo_pkg::TRACE_EVENTS_MESSAGE_OPENED_WORD + cclo_pkg::TRACE_MESSAGE_OPENED_BUFFER_LOW
            +: cclo_pkg::TRACE_MESSAGE_OPENED_BUFFER_WIDTH] = accept_buffer;
        arguments[32*cclo_pkg::TRACE_EVENTS_MESSAGE_OPENED_WORD + cclo_pkg::TRACE_MESSAGE_OPENED_DELIVERED_LOW
            +: cclo_pkg::TRACE_MESSAGE_OPENED_DELIVERED_WIDTH] = accept_posted;
        arguments[32*cclo_pkg::TRACE_EVENTS_MESSAGE_STORED_WORD + cclo_pkg::TRACE_MESSAGE_STORED_BUFFER_LOW
            +: cclo_pkg::TRACE_MESSAGE_STORED_BUFFER_WIDTH] = complete_buffer;
        arguments[32*cclo_pkg::TRACE_EVENTS_MESSAGE_STORED_WORD + cclo_pkg::TRACE_MESSAGE_STORED_FAILED_LOW
            +: cclo_pkg::TRACE_MESSAGE_STORED_FAILED_WIDTH] = complete_result != '0;
        arguments[32*cclo_pkg::TRACE_EVENTS_MESSAGE_STORED_WORD + cclo_pkg::TRACE_MESSAGE_STORED_RX_BUFFERS_LOW
            +: cclo_pkg::TRACE_MESSAGE_STORED_RX_BUFFERS_WIDTH] = 16'(buffers_used);
        arguments[32*cclo_pkg::TRACE_EVENTS_MESSAGE_DELIVERED_WORD + cclo_pkg::TRACE_MESSAGE_DELIVERED_FAILED_LOW
            +: cclo_pkg::TRACE_MESSAGE_DELIVERED_FAILED_WIDTH] = !landed_good;
        arguments[32*cclo_pkg::TRACE_EVENTS_WINDOW_OPENED_WORD + cclo_pkg::TRACE_WINDOW_OPENED_WINDOW_LOW
            +: cclo_pkg::TRACE_WINDOW_OPENED_WINDOW_WIDTH] = window;
        arguments[32*cclo_pkg::TRACE_EVENTS_ANNOUNCEMENT_ARRIVED_WORD + cclo_pkg::TRACE_ANNOUNCEMENT_ARRIVED_RANK_LOW
            +: cclo_pkg::TRACE_ANNOUNCEMENT_ARRIVED_RANK_WIDTH] = packet_header.src[15:0];
        arguments[32*cclo_pkg::TRACE_EVENTS_DONE_ARRIVED_WORD + cclo_pkg::TRACE_DONE_ARRIVED_RANK_LOW
            +: cclo_pkg::TRACE_DONE_ARRIVED_RANK_WIDTH] = packet_header.src[15:0];
        arguments[32*cclo_pkg::TRACE_EVENTS_PACKET_SENT_WORD + cclo_pkg::TRACE_PACKET_SENT_SESSION_LOW
            +: cclo_pkg::TRACE_PACKET_SENT_SESSION_WIDTH] = eth_tx_data_tdest;
        arguments[32*cclo_pkg::TRACE_EVENTS_PACKET_SENT_WORD + cclo_pkg::TRACE_PACKET_SENT_KIND_LOW
            +: cclo_pkg::TRACE_PACKET_SENT_KIND_WIDTH] = tx_traced.kind;
        arguments[32*cclo_pkg::TRACE_EVENTS_PACKET_SENT_WORD + cclo_pkg::TRACE_PACKET_SENT_SEQ_LOW
            +: cclo_pkg::TRACE_PACKET_SENT_SEQ_WIDTH] = tx_traced.seq;
        arguments[32*cclo_pkg::TRACE_EVENTS_PACKET_ARRIVED_WORD + cclo_pkg::TRACE_PACKET_ARRIVED_SESSION_LOW
            +: cclo_pkg::TRACE_PACKET_ARRIVED_SESSION_WIDTH] = rx_session;
        arguments[32*cclo_pkg::TRACE_EVENTS_PACKET_ARRIVED_WORD + cclo_pkg::TRACE_PACKET_ARRIVED_OWN_LOW
            +: cclo_pkg::TRACE_PACKET_ARRIVED_OWN_WIDTH] = rx_loop;
        arguments[32*cclo_pkg::TRACE_EVENTS_PACKET_ARRIVED_WORD + cclo_pkg::TRACE_PACKET_ARRIVED_KIND_LOW
            +: cclo_pkg::TRACE_PACKET_ARRIVED_KIND_WIDTH] = rx_traced.kind;
        arguments[32*cclo_pkg::TRACE_EVENTS_PACKET_ARRIVED_WORD + cclo_pkg::TRACE_PACKET_ARRIVED_SEQ_LOW
            +: cclo_pkg::TRACE_PACKET_ARRIVED_SEQ_WIDTH] = rx_traced.seq;
        arguments[32*cclo_pkg::TRACE_EVENTS_PACKET_HELD_WORD + cclo_pkg::TRACE_PACKET_HELD_SESSION_LOW
            +: cclo_pkg::TRACE_PACKET_HELD_SESSION_WIDTH] = rx_session;
        arguments[32*cclo_pkg::TRACE_EVENTS_PACKET_HELD_WORD + cclo_pkg::TRACE_PACKET_HELD_OWN_LOW
            +: cclo_pkg::TRACE_PACKET_HELD_OWN_WIDTH] = rx_loop;
        arguments[32*cclo_pkg::TRACE_EVENTS_PACKET_DROPPED_WORD + cclo_pkg::TRACE_PACKET_DROPPED_REASONS_LOW
            +: cclo_pkg::TRACE_PACKET_DROPPED_REASONS_WIDTH] = events_noticed;
        arguments[32*cclo_pkg::TRACE_EVENTS_SESSION_GIVEN_UP_WORD + cclo_pkg::TRACE_SESSION_GIVEN_UP_SESSION_LOW
            +: cclo_pkg::TRACE_SESSION_GIVEN_UP_SESSION_WIDTH] = given_up_session;
        arguments[32*cclo_pkg::TRACE_EVENTS_SESSION_CLOSED_WORD + cclo_pkg::TRACE_SESSION_CLOSED_SESSION_LOW
            +: cclo_pkg::TRACE_SESSION_CLOSED_SESSION_WIDTH] = session_closed;
        arguments[32*cclo_pkg::TRACE_EVENTS_PROCESSOR_HALTED_WORD + cclo_pkg::TRACE_PROCESSOR_HALTED_TRAP_CAUSE_LOW
            +: cclo_pkg::TRACE_PROCESSOR_HALTED_TRAP_CAUSE_WIDTH] = cause;
        arguments[32*cclo_pkg::TRACE_EVENTS_PROCESSOR_HALTED_WORD + cclo_pkg::TRACE_PROCESSOR_HALTED_PC_LOW
            +: cclo_pkg::TRACE_PROCESSOR_HALTED_PC_WIDTH] = trap_pc[cclo_pkg::TRACE_PROCESSOR_HALTED_PC_WIDTH-1:0];
        arguments[SLICE_BEGUN + cclo_pkg::TRACE_SLICE_BEGUN_QUEUE_LOW
            +: cclo_pkg::TRACE_SLICE_BEGUN_QUEUE_WIDTH] = slice.queue_;
        arguments[SLICE_BEGUN + cclo_pkg::TRACE_SLICE_BEGUN_OP0_LOW] = slice.op0.from == engine_pkg::FROM_MEMORY;
        arguments[SLICE_BEGUN + cclo_pkg::TRACE_SLICE_BEGUN_OP1_LOW] = slice.op1.from == engine_pkg::FROM_MEMORY;
        arguments[SLICE_BEGUN + cclo_pkg::TRACE_SLICE_BEGUN_RESULT_LOW] = slice.to_memory;
        arguments[SLICE_BEGUN + cclo_pkg::TRACE_SLICE_BEGUN_FROM_KERNEL_LOW] = slice.op0.from == engine_pkg::FROM_KERNEL
            || slice.op1.from == engine_pkg::FROM_KERNEL;
        arguments[SLICE_BEGUN + cclo_pkg::TRACE_SLICE_BEGUN_TO_KERNEL_LOW] = slice.to_kernel;
        arguments[SLICE_BEGUN + cclo_pkg::TRACE_SLICE_BEGUN_TO_NETWORK_LOW] = slice.to_network;
        arguments[SLICE_BEGUN + cclo_pkg::TRACE_SLICE_BEGUN_ARITHMETIC_LOW] = slice.reduce;
        arguments[SLICE_BEGUN + cclo_pkg::TRACE_SLICE_BEGUN_LANE_0_LOW] = slice.op0.convert;
        arguments[SLICE_BEGUN + cclo_pkg::TRACE_SLICE_BEGUN_LANE_1_LOW] = slice.op1.convert || slice.beside_convert;
        arguments[SLICE_BEGUN + cclo_pkg::TRACE_SLICE_BEGUN_LANE_2_LOW] = slice.result_convert || slice.wire_convert;
        arguments[SLICE_BEGUN + cclo_pkg::TRACE_SLICE_BEGUN_LAST_LOW] = slice.last;
        arguments[SLICE_BEGUN + cclo_pkg::TRACE_SLICE_BEGUN_BYTES_LOW +: cclo_pkg::TRACE_SLICE_BEGUN_BYTES_WIDTH] =
            cclo_pkg::TRACE_SLICE_BEGUN_BYTES_WIDTH'(slice.op0.bytes);
    end

    // Nothing will happen until something comes from outside: parts may go on for
    // some cycles without saying so.
    localparam logic [9:0] CALM = 10'd512;
    logic       calm, asleep;
    logic [9:0] calm_cycles;

    always_ff @(posedge clk) calm_cycles <= rst || !calm ? '0 : asleep ? calm_cycles : calm_cycles + 1'b1;
    assign asleep = calm && calm_cycles == CALM;
    assign calm   = (sleeping && alarm_far || halted)
                 && moves_idle && !transmit_busy && !receive_busy && !kernel_busy && write_idle
                 && !control_request.awvalid && !control_request.arvalid && !call_valid && !answer_valid;

`ifdef CCLO_SIMULATION
    sim_host_probe #(.ID(INDEX)) probe (
        .clk, .rst, .asleep, .halted, .halt_cause(32'(cause)), .halt_pc(trap_pc), .trace_valid, .trace_word,
        .issue_valid, .issue(1024'(issue))
    );
    sim_engine_account #(.ID(INDEX)) account (
        .clk, .rst, .called(call_valid && call_ready), .answered(answer_valid && answer_ready),
        .beats({
            eth_rx_data_tvalid && eth_rx_data_tready, eth_tx_data_tvalid && eth_tx_data_tready,
            inbound_tvalid && inbound_tready, result_tvalid && result_tready,
            op1_tvalid && op1_tready, op0_tvalid && op0_tready
        }),
        .data_busy(!data_idle || !write_idle), .remote(wait_remote != '0),
        .slot(wait_packet != '0), .moves_busy(!channels_idle),
        .packets_busy(transmit_busy || receive_busy), .awake(!sleeping),
        .issued(issue_valid), .sliced(slice_valid && slice_ready)
    );
`else
    wire _unused = ^{asleep, trace_valid, trace_word, issue, INDEX};
`endif

endmodule

`default_nettype wire
