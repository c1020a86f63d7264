// Received eager messages: rx buffers, the messages in them, and who may take
// which.
`default_nettype none

module messages (
    input  wire          clk,
    input  wire          rst,
    input  wire          reset_messages,
    input  wire          quiet,            // inbound has stopped for it
    output logic         messages_idle,
    output logic         event_message,
    output logic [engine_pkg::BUFFER_WIDTH:0]   buffers_given,
    output logic [engine_pkg::BUFFER_WIDTH:0]   buffers_free,

    input  wire engine_pkg::reg_request_t       reg_request,
    output engine_pkg::reg_response_t           reg_response,
    input  wire engine_pkg::selection_t         selection,
    output engine_pkg::peer_request_t           peer_request,
    input  wire engine_pkg::peer_response_t     peer_response,
    output engine_pkg::exchange_request_t       exchange_request,
    input  wire engine_pkg::exchange_response_t exchange_response,

    // Channels.
    input  wire engine_pkg::match_request_t     match_request_0,
    output engine_pkg::match_response_t         match_response_0,
    input  wire engine_pkg::match_request_t     match_request_1,
    output engine_pkg::match_response_t         match_response_1,
    input  wire engine_pkg::match_request_t     match_request_2,
    output engine_pkg::match_response_t         match_response_2,
    input  wire engine_pkg::match_request_t     match_request_3,
    output engine_pkg::match_response_t         match_response_3,
    output logic         messages_changed,

    // Buffers that were read.
    input  wire          release_valid,
    output logic         release_ready,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] release_buffer,
    input  wire          channel_release_valid,
    output logic         channel_release_ready,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] channel_release_buffer,

    // inbound: a message wants to come in (held until done), all its bytes have
    // been dealt with, held messages may be welcome.
    input  wire          accept_valid,
    input  wire  [15:0]  accept_session,
    input  wire engine_pkg::header_t            accept_header,
    output logic         accept_done,
    output logic [2:0]   accept_verdict,
    output logic [engine_pkg::BUFFER_WIDTH-1:0] accept_buffer,
    output logic [63:0]  accept_address,
    output logic         accept_posted,
    output logic         accept_host,
    input  wire          complete_valid,
    output logic         complete_ready,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] complete_buffer,
    input  wire  [1:0]   complete_result,
    output logic         messages_retry,

    // The posted receive: whether bytes of messages of this epoch are still written; what has become of one.
    output logic         posted_open,
    output logic [engine_pkg::EPOCH_WIDTH-1:0] posted_epoch,
    input  wire          posted_busy,
    input  wire          landed_valid,
    output logic         landed_ready,
    input  wire          landed_good,
    input  wire  [31:0]  landed_code
);

    localparam int unsigned NUMBER = engine_pkg::BUFFER_WIDTH + 1;

    logic stop, clear, matcher_idle, recorder_idle;

    // Matching.
    engine_pkg::match_request_t match_request, seek_request;
    engine_pkg::match_response_t matched, match_response;
    logic [engine_pkg::QUEUES-1:0] match_valid, match_waits, match_owner;
    logic [engine_pkg::QUEUE_WIDTH-1:0] match_turn;
    logic seek_valid, seek_done, sought, discard_valid, discard_done, arrived, given;
    logic [31:0] sought_bytes, other_source;
    engine_pkg::collective_t other_collective, table_collective, collective;
    logic [15:0] sought_record;

    // Tables.
    logic table_start, table_step, table_done, table_found, table_complete, table_remove, table_insert;
    logic [15:0] session, record, senders_record, wants_record;
    logic [31:0] src, seq, table_context, table_tag, table_bytes, count, context_, tag;
    logic [NUMBER-1:0] table_number, number;
    logic senders_start, senders_step, senders_know, senders_done, senders_found;
    logic wants_add, wants_answer, wants_start, wants_step, wants_done, wants_found;

    // Buffers.
    logic add, full, put, take, head_settled, lend, drop_valid, drop_ready, completed;
    logic enqueue_valid, enqueue_ready;
    logic [15:0] enqueue_record, recorder_record, look_record;
    logic [63:0] enqueue_address, head_address, look_address;
    logic [31:0] enqueue_bytes, head_bytes;
    logic [NUMBER-1:0] free_count;
    logic [NUMBER-2:0] add_number, head_number, recorder_number;

    // Removing.
    logic remove_valid, remove_done;
    logic [15:0] read_session, remove_session;
    logic [31:0] read_src, read_seq, read_tag, read_bytes, remove_src, remove_seq;

    // The posted receive.
    logic post_ask, post_add, post_suits, post_take, post_other, post_counts, landed, count_valid, count_begun;
    logic [engine_pkg::QUEUES-1:0] posted, cancels;
    logic [31:0] post_bytes, post_code, count_src, count_context, count_tag;
    logic [63:0] post_address;
    logic [15:0] count_record, count_session;

    engine_pkg::exchange_request_t  matcher_request, recorder_request;
    engine_pkg::exchange_response_t matcher_response, recorder_response;

    assign stop  = reset_messages && quiet;
    assign clear = stop && matcher_idle && recorder_idle;

    assign buffers_free = free_count;

    always_ff @(posedge clk) begin
        messages_idle <= clear && !rst;
        event_message <= (completed && !given || arrived) && !rst; // nobody looks for what a move has
    end

    assign match_valid = {match_request_3.valid, match_request_2.valid, match_request_1.valid, match_request_0.valid};
    assign match_waits = {match_request_3.waits, match_request_2.waits, match_request_1.waits, match_request_0.waits};
    assign cancels = {
        match_request_3.cancels, match_request_2.cancels, match_request_1.cancels, match_request_0.cancels
    };
    always_comb begin
        case (match_turn)
            2'd1:    match_request = match_request_1;
            2'd2:    match_request = match_request_2;
            2'd3:    match_request = match_request_3;
            default: match_request = match_request_0;
        endcase
        match_response = matched;
        match_response.lands        = count_begun;
        match_response.landed       = landed;
        match_response.landed_bytes = post_bytes;
        match_response.landed_code  = post_code;
        match_response_0 = match_response;
        match_response_1 = match_response;
        match_response_2 = match_response;
        match_response_3 = match_response;
        match_response_0.done = match_response.done && match_owner[0];
        match_response_1.done = match_response.done && match_owner[1];
        match_response_2.done = match_response.done && match_owner[2];
        match_response_3.done = match_response.done && match_owner[3];
        match_response_0.posted = posted[0];
        match_response_1.posted = posted[1];
        match_response_2.posted = posted[2];
        match_response_3.posted = posted[3];
    end

    rx_registers registers (
        .clk, .rst, .reg_request, .reg_response, .selection, .peer_request, .peer_response,
        .enqueue_valid, .enqueue_ready, .enqueue_record, .enqueue_address, .enqueue_bytes, .free_count,
        .seek_valid, .seek_request, .seek_done, .sought, .sought_bytes, .sought_record,
        .other_source, .other_collective, .discard_valid, .discard_done
    );

    message_matcher matcher (
        .clk, .rst, .stop, .clear, .idle(matcher_idle),
        .accept_valid, .accept_session, .accept_header, .accept_done, .accept_verdict, .accept_buffer, .accept_address,
        .accept_posted,
        .remove_valid, .remove_number(recorder_number), .remove_session, .remove_src, .remove_seq, .remove_done,
        .match_valid, .match_waits, .match_request, .match_turn, .match_owner, .match_response(matched),
        .seek_valid, .seek_request, .seek_done, .sought, .sought_bytes, .sought_record,
        .other_source, .other_collective, .discard_valid, .discard_done,
        .completed, .returned(put), .changed(messages_changed), .welcome(messages_retry), .arrived, .given,
        .post_ask, .post_add, .post_suits, .post_take, .post_other, .post_counts, .post_address,
        .count_valid, .count_begun, .count_record, .count_session, .count_src, .count_context, .count_tag,
        .table_start, .table_step, .session, .src, .seq, .table_done, .table_found, .table_number, .table_context,
        .table_collective, .table_tag, .table_bytes, .table_complete,
        .table_remove, .table_insert, .number, .count, .collective,
        .senders_start, .senders_step, .senders_know, .context_,
        .record, .senders_done, .senders_found, .senders_record,
        .wants_add, .wants_answer, .wants_start, .wants_step, .tag, .wants_done, .wants_found, .wants_record,
        .take, .free_count, .head_number, .head_address, .head_bytes, .head_settled, .look_record, .look_address,
        .lend, .release_valid(drop_valid), .release_ready(drop_ready),
        .exchange_request(matcher_request), .exchange_response(matcher_response)
    );

    posted_receive post (
        .clk, .rst, .clear,
        .ask(post_ask), .ask_post(match_request.post), .add(post_add), .add_owner(match_owner), .cancels, .posted,
        .landed, .landed_bytes(post_bytes), .landed_code(post_code),
        .session, .src, .seq, .context_, .tag, .collective, .count, .record,
        .suits(post_suits), .take(post_take), .other(post_other), .address(post_address), .host(accept_host),
        .epoch(posted_epoch), .open(posted_open), .inbound_busy(posted_busy),
        .written_valid(landed_valid), .written_ready(landed_ready), .written_good(landed_good),
        .written_code(landed_code),
        .count_valid, .count_begun, .counts(post_counts),
        .count_record, .count_session, .count_src, .count_context, .count_tag
    );

    message_table waiting (
        .clk, .rst, .clear, .start(table_start), .key_session(session), .key_src(src), .key_seq(seq), .step(table_step),
        .done(table_done), .found(table_found), .found_number(table_number),
        .found_context(table_context), .found_collective(table_collective),
        .found_tag(table_tag), .found_bytes(table_bytes), .found_complete(table_complete), .remove(table_remove),
        .insert(table_insert), .insert_number(number), .insert_context(context_),
        .insert_collective(collective), .insert_tag(tag), .insert_bytes(count),
        .insert_complete(number[NUMBER-1]), .complete(completed), .complete_number(recorder_number),
        .read_number(recorder_number), .read_session, .read_src, .read_seq, .read_tag, .read_bytes
    );

    sender_table senders (
        .clk, .rst, .clear, .start(senders_start), .step(senders_step), .know(senders_know), .session, .src, .context_,
        .know_record(record), .done(senders_done), .found(senders_found), .found_record(senders_record)
    );

    message_wants wants (
        .clk, .rst, .clear, .add(wants_add), .answer(wants_answer), .start(wants_start), .step(wants_step), .record,
        .session, .rank(src), .context_, .tag, .done(wants_done), .found(wants_found), .found_record(wants_record)
    );

    rx_buffers buffers (
        .clk, .rst, .clear, .add, .add_record(enqueue_record), .add_address(enqueue_address), .add_bytes(enqueue_bytes),
        .add_number, .full, .put, .put_number(recorder_number), .take, .given(buffers_given), .free_count,
        .head_number, .head_address, .head_bytes, .head_settled,
        .read_number(recorder_number), .read_record(recorder_record),
        .look_number(number[NUMBER-2:0]), .look_record, .look_address
    );

    message_recorder recorder (
        .clk, .rst, .stop, .clear, .idle(recorder_idle),
        .complete_valid, .complete_ready, .complete_buffer, .complete_result, .enqueue_valid, .enqueue_ready,
        .lend, .lend_number(number[NUMBER-2:0]), .release_valid, .release_ready, .release_buffer,
        .channel_release_valid, .channel_release_ready, .channel_release_buffer,
        .discard_valid(drop_valid), .discard_ready(drop_ready), .discard_buffer(number[NUMBER-2:0]),
        .number(recorder_number), .session(read_session), .src(read_src),
        .seq(read_seq), .tag(read_tag), .bytes(read_bytes),
        .completed, .remove_valid, .remove_session, .remove_src, .remove_seq, .remove_done,
        .add, .add_number, .full, .put, .record(recorder_record),
        .exchange_request(recorder_request), .exchange_response(recorder_response)
    );

    exchange_share share (
        .clk, .rst, .first_request(matcher_request), .first_response(matcher_response),
        .second_request(recorder_request), .second_response(recorder_response), .exchange_request, .exchange_response
    );

endmodule

`default_nettype wire
