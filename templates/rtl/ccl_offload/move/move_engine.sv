// The move engine: the registers of moves, the queues, and the channels that
// cut their moves into slices for the data path.
`default_nettype none

module move_engine (
    input  wire                                clk,
    input  wire                                rst,

    input  wire                                reset_moves,
    output logic                               moves_idle,
    output logic                               event_move,
    output logic                               at_rest,

    // What the queues do.
    output logic [engine_pkg::QUEUES-1:0]      wait_remote,
    output logic [engine_pkg::QUEUES-1:0]      wait_kernel,
    output logic [engine_pkg::QUEUES-1:0]      wait_packet,
    output logic [engine_pkg::QUEUES-1:0]      completed,
    output logic [engine_pkg::QUEUES-1:0]      failed,
    output logic [8*engine_pkg::QUEUES-1:0]    waiting,  // moves

    input  wire                                tick_millisecond,
    input  wire [31:0]                         limit_cycles,
    input  wire [31:0]                         remote_milliseconds,
    input  wire                                network_enable,

    // Register pages.
    input  wire engine_pkg::reg_request_t      move_request,
    output engine_pkg::reg_response_t          move_response,
    input  wire engine_pkg::reg_request_t      status_request,
    output engine_pkg::reg_response_t          status_response,
    output engine_pkg::selection_t             selection,
    output engine_pkg::peer_request_t          peer_request,
    input  wire engine_pkg::peer_response_t    peer_response,

    // Messages and windows.
    output engine_pkg::match_request_t         match_request_0,
    output engine_pkg::match_request_t         match_request_1,
    output engine_pkg::match_request_t         match_request_2,
    output engine_pkg::match_request_t         match_request_3,
    input  wire engine_pkg::match_response_t   match_response_0,
    input  wire engine_pkg::match_response_t   match_response_1,
    input  wire engine_pkg::match_response_t   match_response_2,
    input  wire engine_pkg::match_response_t   match_response_3,
    input  wire                                messages_changed,
    output logic                               channel_release_valid,
    input  wire                                channel_release_ready,
    output logic [engine_pkg::BUFFER_WIDTH-1:0] channel_release_buffer,
    output engine_pkg::window_request_t        window_request_0,
    output engine_pkg::window_request_t        window_request_1,
    output engine_pkg::window_request_t        window_request_2,
    output engine_pkg::window_request_t        window_request_3,
    input  wire engine_pkg::window_response_t  window_response_0,
    input  wire engine_pkg::window_response_t  window_response_1,
    input  wire engine_pkg::window_response_t  window_response_2,
    input  wire engine_pkg::window_response_t  window_response_3,
    input  wire                                windows_changed,

    // Packets.
    output logic                               packet_open_valid,
    input  wire                                packet_open_ready,
    output engine_pkg::packet_t                packet_open,
    input  wire [engine_pkg::SLOT_WIDTH-1:0]   packet_open_slot,
    output logic                               packet_abandon_valid,
    input  wire                                packet_abandon_ready,
    output logic                               packet_abandon_self,
    output logic [15:0]                        packet_abandon_session,

    // Data path. After a slice has failed, all further ones of its queue are
    // not good either, until its restart.
    output logic                               slice_valid,
    input  wire                                slice_ready,
    output engine_pkg::slice_t                 slice,
    input  wire engine_pkg::retire_t           retire,
    output logic [engine_pkg::QUEUES-1:0]      restart,
    input  wire                                data_flushing, // all slices end, the kernel streams are emptied
    input  wire                                kernel_in_pushed,
    input  wire                                kernel_out_popped,
    output logic                               kernel_in_drop,
    output logic                               kernel_out_drop,

    // Every move that is issued.
    output logic                               issue_valid,
    output move_pkg::issue_t                   issue
);

    localparam int unsigned QUEUES          = engine_pkg::QUEUES;
    localparam int unsigned BUFFER          = engine_pkg::BUFFER_WIDTH;
    localparam int unsigned KEY             = move_pkg::KEY_WIDTH;
    localparam int unsigned SLICE           = 32'($bits(slice));
    localparam int unsigned PACKET          = 32'($bits(packet_open));
    localparam int unsigned MATCH_REQUEST   = 32'($bits(match_request_0));
    localparam int unsigned MATCH_RESPONSE  = 32'($bits(match_response_0));
    localparam int unsigned WINDOW_REQUEST  = 32'($bits(window_request_0));
    localparam int unsigned WINDOW_RESPONSE = 32'($bits(window_response_0));

    // By queue.
    logic [QUEUES-1:0]    accepted, dropped, overflowed, refuses, full, abort, clear, pending, push;
    logic [QUEUES-1:0]    idle;
    logic [32*QUEUES-1:0] failure;
    logic [96*QUEUES-1:0] failing;
    logic                 deciding;
    move_pkg::move_t      move;

    assign clear      = abort | failed;
    assign moves_idle = idle == '1 && pending == '0 && !deciding && !channel_release_valid;

    move_registers registers (
        .clk, .rst, .request(move_request), .response(move_response), .selection, .peer_request, .peer_response,
        .hold(clear != '0), .deciding, .refuses, .full, .accepted, .dropped, .overflowed,
        .clear, .pending, .push, .move, .issue_valid, .issue
    );

    move_status status (
        .clk, .rst, .reset_moves, .request(status_request), .response(status_response),
        .deciding, .accepted, .dropped, .overflowed, .refuses, .full, .waiting, .abort,
        .completed, .failed, .failure, .failing, .event_move, .at_rest
    );

    logic [QUEUES*MATCH_REQUEST-1:0]   match_request;
    logic [QUEUES*MATCH_RESPONSE-1:0]  match_response;
    logic [QUEUES*WINDOW_REQUEST-1:0]  window_request;
    logic [QUEUES*WINDOW_RESPONSE-1:0] window_response;

    assign {match_request_3, match_request_2, match_request_1, match_request_0}     = match_request;
    assign {window_request_3, window_request_2, window_request_1, window_request_0} = window_request;
    assign match_response  = {match_response_3, match_response_2, match_response_1, match_response_0};
    assign window_response = {window_response_3, window_response_2, window_response_1, window_response_0};

    logic [QUEUES-1:0]        channel_slice_valid, channel_slice_ready, channel_commits;
    logic [QUEUES-1:0]        channel_ends, channel_open_valid, channel_open_ready;
    logic [QUEUES-1:0]        channel_abandon, channel_abandon_done, channel_drop_valid, channel_drop_ready;
    logic [QUEUES-1:0]        kernel_in_wanted, kernel_out_wanted, kernel_granted, kernel_drop;
    logic [QUEUES*SLICE-1:0]  channel_slice;
    logic [QUEUES*KEY-1:0]    channel_key;
    logic [QUEUES*PACKET-1:0] channel_packet;
    logic [QUEUES*BUFFER-1:0] channel_drop_buffer;
    logic [31:0]              kernel_in_bytes, kernel_out_bytes;
    logic                     kernel_in_settled, kernel_out_settled;

    localparam int unsigned MOVE = 32'($bits(move));

    genvar q;
    generate for (q = 0; q < QUEUES; q++) begin : channels
        logic            queue_valid, queue_ready;
        logic [MOVE-1:0] queue_move;

        move_queue queue_ (
            .clk, .rst, .clear(clear[q]), .push(push[q]), .move, .pending(pending[q]), .waiting(waiting[8*q +: 8]),
            .out_valid(queue_valid), .out_ready(queue_ready), .out_move(queue_move)
        );

        move_channel #(.QUEUE(q)) channel (
            .clk, .rst, .reset_moves, .tick_millisecond, .limit_cycles, .remote_milliseconds, .network_enable,
            .queue_valid, .queue_ready, .queue_move, .abort(abort[q]),
            .completed(completed[q]), .failed(failed[q]), .failure(failure[32*q +: 32]),
            .failing(failing[96*q +: 96]), .idle(idle[q]),
            .stands({wait_packet[q], wait_kernel[q], wait_remote[q]}),
            .match_request(match_request[MATCH_REQUEST*q +: MATCH_REQUEST]),
            .match_response(match_response[MATCH_RESPONSE*q +: MATCH_RESPONSE]), .messages_changed,
            .release_valid(channel_drop_valid[q]), .release_ready(channel_drop_ready[q]),
            .release_buffer(channel_drop_buffer[BUFFER*q +: BUFFER]),
            .window_request(window_request[WINDOW_REQUEST*q +: WINDOW_REQUEST]),
            .window_response(window_response[WINDOW_RESPONSE*q +: WINDOW_RESPONSE]), .windows_changed,
            .open_valid(channel_open_valid[q]), .open_ready(channel_open_ready[q]),
            .open_packet(channel_packet[PACKET*q +: PACKET]), .open_slot(packet_open_slot),
            .abandon(channel_abandon[q]), .abandon_done(channel_abandon_done[q]),
            .kernel_in_wanted(kernel_in_wanted[q]), .kernel_out_wanted(kernel_out_wanted[q]),
            .kernel_granted(kernel_granted[q]), .kernel_in_bytes, .kernel_out_bytes,
            .kernel_in_settled, .kernel_out_settled, .data_flushing, .kernel_drop(kernel_drop[q]),
            .slice_valid(channel_slice_valid[q]), .slice_ready(channel_slice_ready[q]),
            .slice(channel_slice[SLICE*q +: SLICE]), .slice_key(channel_key[KEY*q +: KEY]), 
            .slice_commits(channel_commits[q]), .slice_ends(channel_ends[q]),
            .retire, .restart(restart[q])
        );
    end endgenerate

    dispatcher #(.SLICE_WIDTH(SLICE), .PACKET_WIDTH(PACKET)) dispatch (
        .clk, .rst,
        .channel_slice_valid, .channel_slice_ready, .channel_slice, .channel_key, .channel_commits, .channel_ends,
        .slice_valid, .slice_ready, .slice, .retire, .restart,
        .channel_open_valid, .channel_open_ready, .channel_packet, .packet_open_valid, .packet_open_ready, .packet_open,
        .channel_abandon, .channel_abandon_done,
        .packet_abandon_valid, .packet_abandon_ready, .packet_abandon_self, .packet_abandon_session,
        .channel_drop_valid, .channel_drop_ready, .channel_drop_buffer,
        .channel_release_valid, .channel_release_ready, .channel_release_buffer,
        .kernel_in_wanted, .kernel_out_wanted, .kernel_granted,
        .kernel_drop, .data_flushing, .kernel_in_pushed, .kernel_out_popped,
        .kernel_in_bytes, .kernel_out_bytes, .kernel_in_settled, .kernel_out_settled, .kernel_in_drop, .kernel_out_drop
    );

endmodule

`default_nettype wire
