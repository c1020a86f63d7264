// The receive side of the engine: inbound, messages and rendezvous as they are
// wired in it, with plain ports.
`default_nettype none

module receive_side (
    input  wire          clk,
    input  wire          rst,
    input  wire          reset_messages,
    input  wire          reset_network,
    output logic         messages_idle,
    output logic         rendezvous_idle,
    output logic         network_idle,
    output logic         network_enable,
    output logic         event_network,
    output logic         event_message,
    output logic         event_rendezvous,
    output logic         own_valid,
    output logic [15:0]  own_session,

    input  wire  [3:0]   reg_valid,      // network, rx, rendezvous, notice
    input  wire          reg_write,
    input  wire  [7:0]   reg_address,
    input  wire  [31:0]  reg_wdata,
    output logic [3:0]   reg_ready,
    output logic [3:0]   reg_error,
    output logic [127:0] reg_rdata,

    input  wire  [31:0]  comm,
    input  wire  [31:0]  source,
    input  wire  [31:0]  destination,
    input  wire  [31:0]  context_,
    input  wire  [31:0]  tag,
    input  wire  [95:0]  collective,

    output logic [1:0]   peer_valid,     // messages, rendezvous
    output logic [63:0]  peer_comm,
    output logic [63:0]  peer_rank,
    input  wire  [1:0]   peer_done,
    input  wire          peer_ok,
    input  wire  [31:0]  peer_record,
    input  wire  [15:0]  peer_session,

    output logic         exchange_valid,
    output logic [1:0]   exchange_operation,
    output logic [31:0]  exchange_address,
    output logic [31:0]  exchange_wdata,
    input  wire          exchange_done,
    input  wire  [31:0]  exchange_rdata,

    input  wire          rx_valid,
    input  wire  [15:0]  rx_session,
    input  wire          rx_loop,
    input  wire  [12:0]  rx_bytes,
    input  wire  [511:0] rx_beat,
    output logic         rx_verdict_valid,
    output logic [1:0]   rx_verdict,
    output logic [12:0]  rx_take_bytes,
    output logic [5:0]   rx_before,
    output logic [12:0]  rx_rest,
    output logic         rx_retry,
    input  wire          rx_data_valid,
    output logic         rx_data_ready,
    input  wire  [511:0] rx_data,
    input  wire  [63:0]  rx_data_keep,
    input  wire          rx_data_last,
    input  wire          session_closed_valid,
    input  wire  [15:0]  session_closed,

    output logic         write_valid,
    input  wire          write_ready,
    output logic [63:0]  write_address,
    output logic         write_host,
    output logic [12:0]  write_bytes,
    output logic         write_data_valid,
    input  wire          write_data_ready,
    output logic [511:0] write_data,
    output logic [63:0]  write_data_keep,
    output logic         write_data_last,
    input  wire          write_done,
    input  wire  [31:0]  write_code,

    output logic         put_valid,
    input  wire          put_ready,
    output logic [511:0] put_data,
    output logic [63:0]  put_keep,
    output logic         put_last,
    output logic [7:0]   put_tdest,
    input  wire  [8:0]   put_room,

    input  wire  [3:0]   match_valid,
    input  wire  [3:0]   match_waits,
    input  wire  [3:0]   match_cancels,
    input  wire  [3:0]   post_offered,
    input  wire  [3:0]   post_host,
    input  wire  [255:0] post_address,
    input  wire  [127:0] post_bytes,
    input  wire  [127:0] match_record,
    input  wire  [63:0]  match_session,
    input  wire  [127:0] match_rank,
    input  wire  [127:0] match_context,
    input  wire  [127:0] match_tag,
    input  wire  [383:0] match_collective,
    output logic [3:0]   match_done,
    output logic         match_found,
    output logic         match_mismatch,
    output logic [3:0]   match_posted,
    output logic [3:0]   match_landed,
    output logic [31:0]  match_landed_bytes,
    output logic [31:0]  match_landed_code,
    output logic [31:0]  match_bytes,
    output logic [63:0]  match_address,
    output logic         match_stored,
    output logic [7:0]   match_buffer,
    output logic         messages_changed,
    input  wire          release_valid,
    output logic         release_ready,
    input  wire  [7:0]   release_buffer,
    input  wire          channel_release_valid,
    output logic         channel_release_ready,
    input  wire  [7:0]   channel_release_buffer,

    input  wire  [3:0]   query_valid,
    input  wire  [127:0] query_window,
    input  wire  [255:0] query_address,
    output logic [3:0]   query_done,
    output logic         query_ok,
    output logic [31:0]  query_bytes,
    output logic         query_more,
    output logic         query_host,
    output logic         windows_changed,

    input  wire          number_valid,
    input  wire  [15:0]  number_session,
    input  wire  [63:0]  number_vaddr,
    input  wire  [7:0]   number_host,
    output logic         number_done,
    output logic [31:0]  number_value
);

    engine_pkg::reg_request_t  network_request, rx_request, rendezvous_request, notice_request;
    engine_pkg::reg_response_t network_response, rx_response, rendezvous_response, notice_response;
    engine_pkg::selection_t selection;
    engine_pkg::peer_request_t  messages_peer, rendezvous_peer;
    engine_pkg::peer_response_t messages_peer_response, rendezvous_peer_response;
    engine_pkg::exchange_request_t  exchange_request;
    engine_pkg::exchange_response_t exchange_response;
    engine_pkg::match_request_t  match_request_0, match_request_1, match_request_2, match_request_3;
    engine_pkg::match_response_t match_response_0, match_response_1, match_response_2, match_response_3;
    engine_pkg::window_request_t  window_request_0, window_request_1, window_request_2, window_request_3;
    engine_pkg::window_response_t window_response_0, window_response_1, window_response_2, window_response_3;

    logic quiet, accept_valid, accept_done, complete_valid, complete_ready, messages_retry;
    logic [15:0] accept_session;
    engine_pkg::header_t accept_header, packet_header;
    logic [2:0]  accept_verdict;
    logic [7:0]  accept_buffer, complete_buffer;
    logic [63:0] accept_address;
    logic accept_posted, accept_host, posted_open, posted_busy, landed_valid, landed_ready, landed_good;
    logic [engine_pkg::EPOCH_WIDTH-1:0] posted_epoch;
    logic [31:0] landed_code;
    logic [1:0]  complete_result;
    logic packet_valid, packet_loop, packet_done, packet_wanted;
    logic written_valid, written_ready, written_good, foreign_valid;
    logic [15:0] packet_session, foreign_session;
    logic [6:0]  packet_event;
    logic [4:0]  packet_window, written_window;
    logic [2:0]  packet_epoch, written_epoch;
    logic [31:0] windows_open;
    logic [95:0] windows_epoch;
    logic [5:0]  written_index;
    logic [12:0] written_bytes;

    assign network_request    = {reg_valid[0], reg_write, reg_address, reg_wdata};
    assign rx_request         = {reg_valid[1], reg_write, reg_address, reg_wdata};
    assign rendezvous_request = {reg_valid[2], reg_write, reg_address, reg_wdata};
    assign own_session        = foreign_session;
    assign notice_request     = {reg_valid[3], reg_write, reg_address, reg_wdata};
    assign reg_ready = {notice_response.ready, rendezvous_response.ready, rx_response.ready, network_response.ready};
    assign reg_error = {notice_response.error, rendezvous_response.error, rx_response.error, network_response.error};
    assign reg_rdata = {notice_response.rdata, rendezvous_response.rdata, rx_response.rdata, network_response.rdata};
    assign selection = {comm, source, destination, context_, tag, collective};

    assign peer_valid = {rendezvous_peer.valid, messages_peer.valid};
    assign peer_comm  = {rendezvous_peer.comm, messages_peer.comm};
    assign peer_rank  = {rendezvous_peer.rank, messages_peer.rank};
    assign messages_peer_response   = {peer_done[0], peer_ok, peer_record, 32'd0, peer_session, 1'b0};
    assign rendezvous_peer_response = {peer_done[1], peer_ok, peer_record, 32'd0, peer_session, 1'b0};

    assign exchange_valid     = exchange_request.valid;
    assign exchange_operation = exchange_request.operation;
    assign exchange_address   = exchange_request.address;
    assign exchange_wdata     = exchange_request.wdata;
    assign exchange_response  = {exchange_done, 1'b1, exchange_rdata};

    assign match_request_0 = {
        match_valid[0], match_waits[0], match_cancels[0],
        post_offered[0], post_host[0], post_address[63:0], post_bytes[31:0],
        match_record[31:0], match_session[15:0], match_rank[31:0], match_context[31:0], match_tag[31:0],
        match_collective[95:0]
    };
    assign match_request_1 = {
        match_valid[1], match_waits[1], match_cancels[1],
        post_offered[1], post_host[1], post_address[127:64], post_bytes[63:32],
        match_record[63:32], match_session[31:16], match_rank[63:32], match_context[63:32], match_tag[63:32],
        match_collective[191:96]
    };
    assign match_request_2 = {
        match_valid[2], match_waits[2], match_cancels[2],
        post_offered[2], post_host[2], post_address[191:128], post_bytes[95:64],
        match_record[95:64], match_session[47:32], match_rank[95:64], match_context[95:64], match_tag[95:64],
        match_collective[287:192]
    };
    assign match_request_3 = {
        match_valid[3], match_waits[3], match_cancels[3],
        post_offered[3], post_host[3], post_address[255:192], post_bytes[127:96],
        match_record[127:96], match_session[63:48], match_rank[127:96], match_context[127:96], match_tag[127:96],
        match_collective[383:288]
    };
    assign match_done      = {
        match_response_3.done, match_response_2.done, match_response_1.done, match_response_0.done
    };
    assign match_found     = match_response_0.found;
    assign match_mismatch  = match_response_0.mismatch;
    assign match_posted    = {
        match_response_3.posted, match_response_2.posted, match_response_1.posted, match_response_0.posted
    };
    assign match_landed    = match_posted & {4{match_response_0.landed}};
    assign match_landed_bytes = match_response_0.landed_bytes;
    assign match_landed_code  = match_response_0.landed_code;
    assign match_bytes     = match_response_0.bytes;
    assign match_address   = match_response_0.address;
    assign match_stored    = match_response_0.stored;
    assign match_buffer    = match_response_0.buffer_;

    assign window_request_0 = {query_valid[0], query_window[31:0], query_address[63:0]};
    assign window_request_1 = {query_valid[1], query_window[63:32], query_address[127:64]};
    assign window_request_2 = {query_valid[2], query_window[95:64], query_address[191:128]};
    assign window_request_3 = {query_valid[3], query_window[127:96], query_address[255:192]};
    assign query_done       = {
        window_response_3.done, window_response_2.done, window_response_1.done, window_response_0.done
    };
    assign query_ok         = window_response_0.ok;
    assign query_bytes      = window_response_0.bytes;
    assign query_more       = window_response_0.more;
    assign query_host       = window_response_0.host;

    inbound inbound_side (
        .clk, .rst, .reset_messages, .reset_network, .quiet,
        .network_idle, .network_enable, .event_network, .events_noticed(), .notices_waiting(), .events_set('0),
        .reg_request(network_request), .reg_response(network_response), .notice_request, .notice_response,
        .rx_valid, .rx_session, .rx_loop, .rx_bytes, .rx_beat, .rx_verdict_valid, .rx_verdict, .rx_headed(),
        .rx_take_bytes, .rx_before, .rx_rest, .rx_retry,
        .rx_data_valid, .rx_data_ready, .rx_data, .rx_data_keep, .rx_data_last, .session_closed_valid, .session_closed,
        .write_valid, .write_ready, .write_address, .write_host, .write_bytes, .write_data_valid, .write_data_ready,
        .write_data, .write_data_keep, .write_data_last, .write_done, .write_code,
        .put_valid, .put_ready, .put_data, .put_keep, .put_last, .put_tdest, .put_room,
        .accept_valid, .accept_session, .accept_header, .accept_done, .accept_verdict, .accept_buffer, .accept_address,
        .accept_posted, .accept_host, .posted_open, .posted_epoch, .posted_busy,
        .landed_valid, .landed_ready, .landed_good, .landed_code,
        .complete_valid, .complete_ready, .complete_buffer, .complete_result, .messages_retry,
        .packet_valid, .packet_loop, .packet_session, .packet_header, .packet_done, .packet_wanted, .packet_event,
        .packet_window, .packet_epoch, .windows_open, .windows_epoch,
        .written_valid, .written_ready, .written_window, .written_epoch, .written_index,
        .written_bytes, .written_good, .foreign_valid, .foreign_session, .own_valid
    );

    messages eager_side (
        .clk, .rst, .reset_messages, .quiet, .messages_idle, .event_message, .buffers_given(), .buffers_free(),
        .reg_request(rx_request), .reg_response(rx_response), .selection,
        .peer_request(messages_peer), .peer_response(messages_peer_response), .exchange_request, .exchange_response,
        .match_request_0, .match_response_0, .match_request_1, .match_response_1,
        .match_request_2, .match_response_2, .match_request_3, .match_response_3, .messages_changed,
        .release_valid, .release_ready, .release_buffer,
        .channel_release_valid, .channel_release_ready, .channel_release_buffer,
        .accept_valid, .accept_session, .accept_header, .accept_done, .accept_verdict, .accept_buffer, .accept_address,
        .accept_posted, .accept_host, .posted_open, .posted_epoch, .posted_busy,
        .landed_valid, .landed_ready, .landed_good, .landed_code,
        .complete_valid, .complete_ready, .complete_buffer, .complete_result, .messages_retry
    );

    rendezvous rendezvous_side (
        .clk, .rst, .reset_messages, .quiet, .messages_idle(rendezvous_idle), .event_rendezvous,
        .reg_request(rendezvous_request), .reg_response(rendezvous_response), .selection,
        .peer_request(rendezvous_peer), .peer_response(rendezvous_peer_response),
        .window_request_0, .window_response_0, .window_request_1, .window_response_1,
        .window_request_2, .window_response_2, .window_request_3, .window_response_3, .windows_changed,
        .number_valid, .number_session, .number_vaddr, .number_host, .number_done, .number_value,
        .packet_valid, .packet_loop, .packet_session, .packet_header, .packet_done, .packet_wanted, .packet_event,
        .packet_window, .packet_epoch, .windows_open, .windows_epoch,
        .written_valid, .written_ready, .written_window, .written_epoch, .written_index,
        .written_bytes, .written_good, .foreign_valid, .foreign_session
    );

endmodule

`default_nettype wire
