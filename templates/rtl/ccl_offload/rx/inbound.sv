// Takes packets that have come to where they belong: payload to rx buffers,
// windows or the kernel, and what they mean to those who keep it. Decides on a
// packet while the payload of those before it is still moving. Where sessions are
// streams of bytes, packets begin and end anywhere in messages: what is behind the
// end of a message is offered again, and of headers the bytes are kept that are there.
`default_nettype none

module inbound (
    input  wire          clk,
    input  wire          rst,
    input  wire          reset_messages,
    input  wire          reset_network,
    output logic         quiet,          // has stopped for reset_messages
    output logic         network_idle,
    output logic         network_enable,
    output logic         event_network,
    output logic [engine_pkg::EVENT_WIDTH-1:0] events_noticed, // pulses
    output logic [$clog2(engine_pkg::NOTICES+1)-1:0] notices_waiting,
    input  wire  [engine_pkg::EVENT_WIDTH-1:0] events_set, // what others have noticed

    input  wire engine_pkg::reg_request_t reg_request,
    output engine_pkg::reg_response_t     reg_response,
    input  wire engine_pkg::reg_request_t notice_request,
    output engine_pkg::reg_response_t     notice_response,

    // rx_packets.
    input  wire          rx_valid,
    input  wire  [15:0]  rx_session,
    input  wire          rx_loop,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] rx_bytes,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] rx_beat,
    output logic         rx_verdict_valid,
    output logic [1:0]   rx_verdict,
    output logic         rx_headed,      // with the verdict: packet_header is that of what was decided on
    output logic [engine_pkg::LENGTH_WIDTH-1:0] rx_take_bytes,
    // bytes before the packet: of the header, or of a put's beat, which are taken with it, whatever they are
    output logic [5:0]   rx_before,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] rx_rest, // bytes at its end that are to be offered again
    output logic         rx_retry,
    input  wire          rx_data_valid,
    output logic         rx_data_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] rx_data,
    input  wire  [engine_pkg::KEEP_WIDTH-1:0] rx_data_keep,
    input  wire          rx_data_last,
    input  wire          session_closed_valid,
    input  wire  [15:0]  session_closed,

    // Memory.
    output logic         write_valid,
    input  wire          write_ready,
    output logic [63:0]  write_address,
    output logic         write_host,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] write_bytes,
    output logic         write_data_valid,
    input  wire          write_data_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0] write_data,
    output logic [engine_pkg::KEEP_WIDTH-1:0] write_data_keep,
    output logic         write_data_last,
    input  wire          write_done,
    input  wire  [31:0]  write_code,

    // The kernel stream. Last is the last beat of a packet; a put may go on.
    output logic         put_valid,
    input  wire          put_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0] put_data,
    output logic [engine_pkg::KEEP_WIDTH-1:0] put_keep,
    output logic         put_last,
    output logic [7:0]   put_tdest,
    input  wire  [8:0]   put_room,       // beats that it takes without waiting

    // messages.
    output logic         accept_valid,
    output logic [15:0]  accept_session,
    output engine_pkg::header_t accept_header,
    input  wire          accept_done,
    input  wire  [2:0]   accept_verdict,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] accept_buffer,
    input  wire  [63:0]  accept_address,
    input  wire          accept_posted,
    input  wire          accept_host,
    output logic         complete_valid,
    input  wire          complete_ready,
    output logic [engine_pkg::BUFFER_WIDTH-1:0] complete_buffer,
    output logic [1:0]   complete_result,
    input  wire          messages_retry,
    input  wire          posted_open,
    input  wire  [engine_pkg::EPOCH_WIDTH-1:0] posted_epoch,
    output logic         posted_busy,
    output logic         landed_valid,
    input  wire          landed_ready,
    output logic         landed_good,
    output logic [31:0]  landed_code,

    // rendezvous.
    output logic         packet_valid,
    output logic         packet_loop,
    output logic [15:0]  packet_session,
    output engine_pkg::header_t packet_header,
    input  wire          packet_done,
    input  wire          packet_wanted,
    input  wire  [6:0]   packet_event,
    input  wire  [4:0]   packet_window,
    input  wire  [2:0]   packet_epoch,
    output logic         written_valid,
    input  wire          written_ready,
    output logic [4:0]   written_window,
    output logic [2:0]   written_epoch,
    output logic [5:0]   written_index,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] written_bytes,
    output logic         written_good,
    input  wire  [31:0]  windows_open,
    input  wire  [95:0]  windows_epoch,
    output logic         foreign_valid,
    output logic [15:0]  foreign_session,
    output logic         own_valid       // foreign_session leads to an engine of this make
);

    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned BUFFER = engine_pkg::BUFFER_WIDTH;
    localparam int unsigned INDEX  = engine_pkg::SESSION_WIDTH + 1;
    localparam int unsigned BEAT   = cclo_pkg::BEAT_BYTES;
    localparam bit KERNEL_STREAMS  = cclo_pkg::PLATFORM_HARDWARE_ID[cclo_pkg::HARDWARE_ID_KERNEL_STREAMS_LOW];

    // rx_verdict.
    localparam logic [1:0] DROP    = 2'd0;
    localparam logic [1:0] HOLD    = 2'd1;
    localparam logic [1:0] PAYLOAD = 2'd2;
    localparam logic [1:0] ALL     = 2'd3; // there was no header

    // accept_verdict.
    localparam logic [2:0] STORED    = 3'd0;
    localparam logic [2:0] TAKEN     = 3'd1;
    localparam logic [2:0] STALE     = 3'd2;
    localparam logic [2:0] TOO_LARGE = 3'd3;

    // What further packets of a message are for.
    localparam logic [2:0] NOTHING_LEFT = 3'd0;
    localparam logic [2:0] TO_DROP      = 3'd1;
    localparam logic [2:0] TO_BUFFER    = 3'd2;
    localparam logic [2:0] TO_KERNEL    = 3'd3;
    localparam logic [2:0] TO_WINDOW    = 3'd4;

    // push_kind of inbound_payload.
    localparam logic [1:0] MESSAGE = 2'd0;
    localparam logic [1:0] WINDOW  = 2'd1;
    localparam logic [1:0] PUT     = 2'd2;
    localparam logic [1:0] ABANDON = 2'd3;

    typedef enum logic [3:0] {
        IDLE,
        CHOOSE,
        ASK_MESSAGES,
        ASK_RENDEZVOUS,
        ASK_KERNEL,
        VERDICT,
        SETTLE,
        CLOSE_LOOK,
        CLOSE_READ,
        CLOSE,
        DRAIN,          // reset: wait for what is under way
        SWEEP_LOOK,     // then forget messages that would go on
        SWEEP,
        STOPPED,
        JOIN            // the header began in another packet
    } state_t;

    state_t              state;
    logic                go, stop, cancelled;

    // The packet.
    engine_pkg::header_t header;
    logic                clean, headless, loop, foreign_session_number;
    logic [15:0]         arrived_by;     // session
    logic [15:0]         session;        // that the message is from
    logic [LENGTH-1:0]   whole, size;    // bytes with and without header
    logic [31:0]         size_32, rest;
    logic [32:0]         padded;         // count in whole beats
    logic                cut;            // it begins and ends anywhere in messages
    logic                counted;        // its count is that of its payload
    logic                fits, too_long; // all of the payload is there; there is more
    logic [LENGTH-1:0]   payload;        // without padding
    logic [engine_pkg::DATA_WIDTH-1:0] joined; // with what came of the header before

    // Further packets.
    logic [2:0]          p_mode, n_mode;
    logic [5:0]          p_known, n_known, p_index, n_index;
    logic [LENGTH-1:0]   p_total, n_total, share; // share: what of the packet is for the message
    logic                p_host, n_host, p_posted, n_posted, p_returns, p_open;
    logic                payload_posted; // bytes of the posted receive are under way
    logic [31:0]         p_left, n_left;
    logic [63:0]         p_address, n_address;
    logic [BUFFER-1:0]   p_buffer, n_buffer;
    logic                n_write, partial_write;
    logic                p_more, p_last, p_over;
    logic [INDEX-1:0]    sweep;
    logic                give_back;      // sweeping: buffers too
    logic                forgets;        // sweeping: where messages end in streams, too
    logic                keeps;          // that is not forgotten
    logic                dirty;          // there is something to sweep
    logic                look_loop;
    logic [15:0]         look_session;

    // The kernel.
    logic                put_busy;       // a put goes on
    logic [7:0]          put_to;
    logic [8:0]          put_promised, put_free, put_wanted, put_beats;
    logic                put_moved, put_begins, put_ends, put_waits_room, put_waits_end;
    logic [7:0]          tdest;
    logic [5:0]          put_level, put_within, put_next; // bytes that the put has left within a beat
    logic [LENGTH-1:0]   put_bytes, put_sum;
    logic                put_last_;

    // Notices.
    logic                is_notice;      // a header alone, as a notice is
    logic                is_filler;
    logic                notice_room, notice_arrives, notice_held, notice_waits; // arrives, held: with the verdict
    logic                droppable;      // what finds no room, else it is held
    logic                event_notice, event_registers;

    // The verdict.
    logic                push, push_valid, push_last, push_more, push_posted, push_room;
    logic [LENGTH-1:0]   push_total;
    logic [5:0]          push_level;
    logic [1:0]          push_kind;
    logic [LENGTH-1:0]   push_bytes;
    logic [63:0]         push_address;
    logic                push_host;
    logic [BUFFER-1:0]   push_buffer;
    logic [4:0]          push_window;
    logic [2:0]          push_epoch;
    logic [5:0]          push_index;
    logic [7:0]          push_tdest;
    logic [engine_pkg::EVENT_WIDTH-1:0] event_, payload_events;
    logic                payload_idle, valid_verdict;

    logic                enabled, closed_valid, closed_take, unused_closed_ready;
    logic [15:0]         closed;
    logic [6:0]          unused_closed_count;
    logic                unused_bits;

    assign unused_bits = ^{header, rest};

    assign go   = network_enable && !reset_network;
    assign stop = reset_messages || reset_network;

    // Sessions that were closed. There are no packets of them any more.
    fifo #(.WIDTH(16), .DEPTH(64)) closings (
        .clk, .rst, .clear(1'b0),
        .in_valid(session_closed_valid), .in_ready(unused_closed_ready), .in_data(session_closed),
        .out_valid(closed_valid), .out_ready(closed_take), .out_data(closed), .count(unused_closed_count)
    );
    assign closed_take = state == CLOSE && (push_room || !p_returns) || state == STOPPED;
    assign p_returns   = p_mode == TO_BUFFER // somebody wants to know if nothing follows
        || p_mode == TO_WINDOW && (!p_posted || p_open);

    assign events_noticed = events_set | payload_events | (valid_verdict ? event_ : '0);

    network_registers registers (
        .clk, .rst, .reset_network, .reg_request, .reg_response, .network_enable, .enabled,
        .events_set(events_noticed),
        .closed(closed_valid && closed_take), .closed_by(closed), .event_network(event_registers)
    );

    notices told (
        .clk, .rst, .clear(state == STOPPED && reset_messages),
        .arrived(valid_verdict && notice_arrives), .header, .room(notice_room),
        .event_notice, .waiting(notices_waiting), .reg_request(notice_request), .reg_response(notice_response)
    );
    assign event_network = event_registers || event_notice;

    // The packet.
    assign cut       = engine_pkg::STREAMS && !loop;
    assign counted   = header.kind == engine_pkg::TYPE_EAGER || header.kind == engine_pkg::TYPE_DATA;
    assign size_32   = 32'(size);
    assign padded    = 33'(header.count) + 33'(BEAT - 1) & ~33'(BEAT - 1);
    assign fits      = size_32 == header.count || cut && too_long
        || engine_pkg::LOSSY && size_32 > header.count && 33'(size) <= padded;
    assign too_long  = size_32 > header.count;
    assign payload   = too_long ? header.count[LENGTH-1:0] : size;
    assign rest      = header.count - size_32;
    assign session   = loop ? header.dst : arrived_by;
    assign is_notice = header.notice && header.kind == engine_pkg::TYPE_EAGER
        && header.count == '0 && (cut || size == '0);
    assign is_filler = header.filler && header.kind == engine_pkg::TYPE_EAGER && !header.notice && cut;
    assign droppable = engine_pkg::LOSSY && !loop;
    assign foreign_session_number = arrived_by[15:engine_pkg::SESSION_WIDTH] != '0;
    assign tdest     = header.strm[7:0] - 8'(cclo_pkg::PUT_STREAM_OFFSET) + 8'(cclo_pkg::PUT_TDEST_OFFSET);
    assign p_more    = 32'(whole) > p_left;
    assign share     = cut && p_more ? p_left[LENGTH-1:0] : whole;
    assign p_last    = cut && p_more || 32'(whole) == p_left;
    assign p_over    = !cut && p_more;
    assign p_open    = p_posted ? posted_open && posted_epoch == {p_index, p_buffer}
        : windows_open[p_buffer[4:0]] && windows_epoch[3*32'(p_buffer[4:0]) +: 3] == p_buffer[7:5];
    assign posted_busy = payload_posted || state == CHOOSE || state == JOIN || state == ASK_MESSAGES || state == VERDICT
        || state == CLOSE;

    // The kernel's room, less what it has been promised.
    assign put_bytes  = p_mode != NOTHING_LEFT ? share : payload;
    assign put_last_  = p_mode != NOTHING_LEFT ? p_last : fits;
    assign put_within = cut && p_mode != NOTHING_LEFT ? put_level : '0;
    assign put_sum    = put_bytes + LENGTH'(put_within);
    assign put_beats  = 9'((put_last_ || !cut ? put_sum + LENGTH'(BEAT - 1) : put_sum) >> $clog2(BEAT));
    assign put_free   = put_room > put_promised ? put_room - put_promised : '0;

    assign accept_valid    = state == ASK_MESSAGES;
    assign accept_session  = session;
    assign accept_header   = header;
    assign packet_valid    = state == ASK_RENDEZVOUS;
    assign packet_loop     = loop;
    assign packet_session  = session;
    assign packet_header   = header;
    assign foreign_session = session;

    // A verdict counts only if packets could be taken all the time.
    assign valid_verdict    = state == VERDICT && go && !cancelled;
    assign rx_verdict_valid = valid_verdict;
    assign rx_headed        = p_mode == NOTHING_LEFT && !headless && clean && !foreign_session_number;

    always_comb begin
        push = valid_verdict && push_valid;
        if (state == VERDICT && !valid_verdict)
            push = push_valid && (push_kind == MESSAGE || push_kind == WINDOW) && p_mode == NOTHING_LEFT;
        if (state == CLOSE) push = p_returns && push_room;
        if (state == SWEEP) push = p_returns && give_back && push_room;
    end

    inbound_payload payloads (
        .clk, .rst, .idle(payload_idle), .clear(state == STOPPED && reset_messages), .room(push_room), .push,
        .push_kind(state != VERDICT && p_mode == TO_WINDOW ? WINDOW
            : state != VERDICT || !valid_verdict && push_kind == MESSAGE ? ABANDON : push_kind),
        .push_last(state != VERDICT ? p_mode != TO_WINDOW : valid_verdict ? push_last : push_kind == MESSAGE),
        .push_more(valid_verdict && push_more), .push_posted(state == VERDICT ? push_posted : p_posted),
        .push_total, .push_level,
        .push_bytes(valid_verdict ? push_bytes : '0), .push_address, .push_host,
        .push_buffer(state == VERDICT ? push_buffer : p_buffer),
        .push_window(state == VERDICT ? push_window : p_buffer[4:0]),
        .push_epoch(state == VERDICT ? push_epoch : p_buffer[7:5]),
        .push_index(state == VERDICT ? push_index : p_index), .push_tdest, .put_moved,
        .rx_data_valid, .rx_data_ready, .rx_data, .rx_data_keep, .rx_data_last,
        .write_valid, .write_ready, .write_address, .write_host, .write_bytes,
        .write_data_valid, .write_data_ready, .write_data, .write_data_keep, .write_data_last, .write_done, .write_code,
        .put_valid, .put_ready, .put_data, .put_keep, .put_last, .put_tdest,
        .complete_valid, .complete_ready, .complete_buffer, .complete_result,
        .written_valid, .written_ready, .written_window, .written_epoch, .written_index, .written_bytes, .written_good,
        .posted_open, .posted_busy(payload_posted), .landed_valid, .landed_ready, .landed_good, .landed_code,
        .events(payload_events)
    );

    // Messages that go on. Of streams the rest comes also if nobody knows any more
    // what it is for.
    assign keeps = state == SWEEP && !forgets && !look_loop;
    always_comb begin
        look_loop     = state == IDLE ? rx_loop : loop;
        look_session  = state == IDLE ? rx_session : arrived_by;
        partial_write = valid_verdict && (n_write || rx_before != '0 && rx_verdict != HOLD);
        if (state == CLOSE_LOOK || state == CLOSE_READ || state == CLOSE) begin
            look_loop     = 1'b0;
            look_session  = closed;
            partial_write = closed_take;
        end
        if (state == SWEEP_LOOK || state == SWEEP) begin
            look_loop     = sweep[INDEX-1];
            look_session  = 16'(sweep[INDEX-2:0]);
            partial_write = state == SWEEP && (!p_returns || !give_back || push_room);
        end
    end

    partial_table partials (
        .clk, .loop(look_loop), .session(look_session), .mode(p_mode),
        .known(p_known), .left(p_left), .address(p_address), .buffer_(p_buffer),
        .posted(p_posted), .host(p_host), .index(p_index), .total(p_total),
        .write(partial_write),
        .new_mode(keeps ? p_mode == NOTHING_LEFT ? NOTHING_LEFT : TO_DROP
            : state == VERDICT && n_write ? n_mode : NOTHING_LEFT),
        .new_known(keeps ? p_known : state == VERDICT ? n_known : '0), .new_left(keeps ? p_left : n_left),
        .new_address(n_address), .new_buffer(n_buffer), .new_posted(n_posted), .new_host(n_host), .new_index(n_index),
        .new_total(n_total)
    );

    generate
        if (engine_pkg::STREAMS) begin : parts
            header_parts headers (
                .clk, .session(look_session), .known(p_known), .beat(rx_beat),
                .joined, .write(valid_verdict && n_known != '0)
            );
        end else begin : whole_headers
            assign joined = rx_beat;
        end
    endgenerate

    // Other engines' headers have no context.
    always_ff @(posedge clk)
        own_valid <= valid_verdict && cut && rx_headed && header.context_ != '0 && !rst;

    always_ff @(posedge clk) begin
        foreign_valid <= 1'b0;
        cancelled     <= !go || cancelled && state != IDLE;
        case (state)
            IDLE: begin
                rx_verdict     <= DROP;
                rx_take_bytes  <= '0;
                rx_before      <= '0;
                rx_rest        <= '0;
                event_         <= '0;
                push_valid     <= 1'b0;
                n_write        <= 1'b0;
                n_known        <= '0;
                put_begins     <= 1'b0;
                put_ends       <= 1'b0;
                notice_held    <= 1'b0;
                notice_arrives <= 1'b0;
                loop           <= rx_loop;
                arrived_by     <= rx_session;
                whole          <= rx_bytes;
                size           <= rx_bytes - LENGTH'(cclo_pkg::HEADER_BYTES);
                headless       <= rx_bytes < LENGTH'(cclo_pkg::HEADER_BYTES);
                header         <= engine_pkg::unpack_header(rx_beat);
                clean          <= engine_pkg::clean_header(rx_beat);
                if (stop) state <= DRAIN;
                else if (closed_valid) state <= CLOSE_LOOK;
                else if (rx_valid && go && push_room) state <= CHOOSE;
            end
            JOIN: begin
                state     <= CHOOSE;
                rx_before <= p_known;
                whole     <= whole + LENGTH'(p_known);
                size      <= size + LENGTH'(p_known);
                headless  <= whole + LENGTH'(p_known) < LENGTH'(cclo_pkg::HEADER_BYTES);
                header    <= engine_pkg::unpack_header(joined);
                clean     <= engine_pkg::clean_header(joined);
            end
            CHOOSE: begin
                state        <= VERDICT;
                push_bytes   <= put_bytes;
                push_tdest   <= p_mode != NOTHING_LEFT ? put_to : tdest;
                push_address <= p_mode != NOTHING_LEFT ? p_address : header.vaddr;
                push_host    <= p_mode != NOTHING_LEFT ? p_mode == TO_WINDOW && p_host : header.host != '0;
                push_more    <= p_mode == TO_WINDOW && !p_last;
                push_total   <= p_mode != NOTHING_LEFT ? p_total : header.count[LENGTH-1:0];
                push_level   <= put_within;
                put_next     <= put_last_ ? '0 : put_sum[5:0];
                push_posted  <= p_mode == TO_WINDOW && p_posted;
                push_buffer  <= p_buffer;
                push_last    <= p_mode == NOTHING_LEFT || p_last;
                n_left       <= p_mode != NOTHING_LEFT ? p_left - 32'(whole) : rest; // if something is left
                n_address    <= p_address + 64'(whole);
                n_buffer     <= p_buffer;
                n_posted     <= p_mode == TO_WINDOW && p_posted;
                n_host       <= p_mode != NOTHING_LEFT ? p_host : header.host != '0;
                n_index      <= p_mode != NOTHING_LEFT ? p_index : header.seq[5:0];
                n_total      <= p_mode != NOTHING_LEFT ? p_total : header.count[LENGTH-1:0];
                n_mode       <= TO_DROP;
                rx_rest      <= '0;
                if (cut && !foreign_session_number) begin
                    if (p_mode != NOTHING_LEFT) rx_rest <= whole - share;
                    else if (!headless && clean) rx_rest <= size - (counted ? payload : '0);
                end
                if (foreign_session_number) event_ <= engine_pkg::EVENT_BAD_PACKET;
                else if (cut && p_known != rx_before) state <= JOIN;
                else if (p_mode != NOTHING_LEFT) begin
                    n_write <= 1'b1;
                    n_mode  <= p_last || p_over ? NOTHING_LEFT : p_mode;
                    if (p_over) begin
                        event_     <= engine_pkg::EVENT_BAD_PACKET;
                        push_valid <= p_mode == TO_BUFFER;
                        push_kind  <= ABANDON;
                        push_last  <= 1'b1;
                        put_ends   <= p_mode == TO_KERNEL;
                    end else if (p_mode == TO_BUFFER) begin
                        rx_verdict    <= ALL;
                        rx_take_bytes <= share;
                        push_valid    <= 1'b1;
                        push_kind     <= MESSAGE;
                    end else if (p_mode == TO_WINDOW && !p_open) begin
                        event_ <= p_posted ? '0 : engine_pkg::EVENT_NO_WINDOW; // its receive has ended: it has failed
                        n_mode <= p_last ? NOTHING_LEFT : TO_DROP;
                    end else if (p_mode == TO_WINDOW) begin
                        rx_verdict    <= ALL;
                        rx_take_bytes <= share;
                        push_valid    <= 1'b1;
                        push_kind     <= WINDOW;
                        push_last     <= 1'b1;
                        push_window   <= p_buffer[4:0];
                        push_epoch    <= p_buffer[7:5];
                        push_index    <= p_index;
                    end else if (p_mode == TO_KERNEL && !cut && !p_last && whole[$clog2(BEAT)-1:0] != '0) begin
                        event_   <= engine_pkg::EVENT_BAD_PACKET; // the stream has whole beats
                        n_mode   <= TO_DROP;
                        put_ends <= 1'b1;
                    end else if (p_mode == TO_KERNEL) begin
                        push_kind <= PUT;
                        state     <= ASK_KERNEL;
                    end
                end else if (headless && cut) begin
                    n_write <= 1'b1;
                    n_mode  <= NOTHING_LEFT;
                    n_known <= whole[5:0];
                end else if (headless || !clean) event_ <= engine_pkg::EVENT_BAD_PACKET;
                else if (is_notice) begin
                    notice_arrives <= notice_room;
                    notice_held    <= !notice_room && !droppable;
                    event_         <= !notice_room && droppable ? engine_pkg::EVENT_NO_BUFFER : '0;
                    rx_verdict     <= !notice_room && !droppable ? HOLD : DROP;
                end else if (header.notice || header.filler) begin
                    event_  <= is_filler ? '0 : engine_pkg::EVENT_BAD_PACKET;
                    n_write <= cut && counted && !fits;
                    if (!counted) rx_rest <= '0;
                end else if (header.kind == engine_pkg::TYPE_EAGER && !fits && (engine_pkg::LOSSY || too_long))
                    event_ <= engine_pkg::EVENT_BAD_PACKET;
                else if (header.kind == engine_pkg::TYPE_EAGER && header.strm == '0) begin
                    push_kind     <= MESSAGE;
                    push_last     <= fits;
                    foreign_valid <= header.context_ == '0;
                    state         <= ASK_MESSAGES;
                end else if (header.kind == engine_pkg::TYPE_EAGER) begin
                    push_kind <= PUT;
                    push_last <= fits;
                    n_write   <= !fits;
                    if (!KERNEL_STREAMS || !cut && !fits && size[$clog2(BEAT)-1:0] != '0)
                        event_ <= engine_pkg::EVENT_BAD_PACKET;
                    else state <= ASK_KERNEL;
                end else if (header.kind == engine_pkg::TYPE_DATA
                            && (cut ? header.count <= 32'(engine_pkg::PACKET_PAYLOAD) : fits)
                        || (header.kind == engine_pkg::TYPE_ANNOUNCEMENT || header.kind == engine_pkg::TYPE_DONE)
                            && (cut || size == '0)) begin
                    push_kind <= WINDOW;
                    push_more <= !fits;
                    state     <= ASK_RENDEZVOUS;
                end else begin
                    event_  <= engine_pkg::EVENT_BAD_PACKET;
                    n_write <= cut && header.kind == engine_pkg::TYPE_DATA && !fits;
                    if (!counted) rx_rest <= '0; // nobody knows where it ends
                end
            end
            ASK_MESSAGES: if (accept_done) begin
                push_address <= accept_address;
                push_host    <= 1'b0;
                push_buffer  <= accept_buffer;
                n_buffer     <= accept_buffer;
                n_address    <= accept_address + 64'(payload);
                n_write      <= !push_last;
                state        <= VERDICT;
                case (accept_verdict)
                    STORED: begin
                        rx_verdict    <= PAYLOAD;
                        rx_take_bytes <= payload;
                        push_valid    <= 1'b1;
                        n_mode        <= accept_posted ? TO_WINDOW : TO_BUFFER;
                        if (accept_posted) begin
                            push_kind   <= WINDOW;
                            push_last   <= 1'b1;
                            push_more   <= !push_last;
                            push_posted <= 1'b1;
                            push_host   <= accept_host;
                            n_posted    <= 1'b1;
                            n_host      <= accept_host;
                            {n_index, n_buffer} <= posted_epoch;
                        end
                    end
                    TAKEN:     n_write <= 1'b0;
                    STALE:     event_ <= engine_pkg::EVENT_STALE;
                    TOO_LARGE: event_ <= engine_pkg::EVENT_TOO_LARGE;
                    default: if (!droppable) begin
                        rx_verdict <= HOLD;
                        n_write    <= 1'b0;
                    end else event_ <= engine_pkg::EVENT_NO_BUFFER;
                endcase
            end
            ASK_RENDEZVOUS: if (packet_done) begin
                event_      <= packet_event;
                push_window <= packet_window;
                push_epoch  <= packet_epoch;
                push_index  <= header.seq[5:0];
                n_write     <= header.kind == engine_pkg::TYPE_DATA && !fits;
                if (packet_wanted) begin
                    rx_verdict    <= PAYLOAD;
                    rx_take_bytes <= payload;
                    push_valid    <= 1'b1;
                    n_mode        <= TO_WINDOW;
                    n_address     <= header.vaddr + 64'(payload);
                    n_buffer      <= {packet_epoch, packet_window};
                end
                state <= VERDICT;
            end
            ASK_KERNEL: begin
                state <= VERDICT;
                if (put_wanted <= put_free && !(put_busy && p_mode == NOTHING_LEFT)) begin
                    rx_verdict    <= p_mode != NOTHING_LEFT ? ALL : PAYLOAD;
                    rx_take_bytes <= push_bytes + LENGTH'(push_level);
                    push_valid    <= 1'b1;
                    if (p_mode != NOTHING_LEFT) begin
                        rx_before <= push_level;
                        put_ends  <= p_last;
                    end else begin
                        n_mode     <= TO_KERNEL;
                        put_begins <= !fits;
                    end
                end else if (droppable && p_mode == NOTHING_LEFT) event_ <= engine_pkg::EVENT_NO_BUFFER;
                else begin
                    rx_verdict <= HOLD;
                    n_write    <= 1'b0;
                end
            end
            VERDICT: state <= SETTLE;
            CLOSE_LOOK: state <= CLOSE_READ;
            CLOSE_READ: state <= CLOSE;
            CLOSE: if (closed_take) state <= IDLE;
            DRAIN: if (payload_idle) begin
                sweep     <= '0;
                give_back <= !reset_messages;
                forgets   <= reset_network || !engine_pkg::STREAMS;
                state     <= dirty ? SWEEP_LOOK : STOPPED;
            end
            SWEEP_LOOK: state <= SWEEP;
            SWEEP: if (partial_write) begin
                sweep <= sweep + 1'b1;
                state <= sweep == '1 ? STOPPED : SWEEP_LOOK;
                if (sweep == '1) dirty <= dirty && !forgets;
            end
            STOPPED: if (reset_network && dirty) state <= DRAIN;
                     else if (!stop) state <= IDLE;
            default: state <= IDLE;
        endcase
        if (valid_verdict && n_write && (n_mode != NOTHING_LEFT || n_known != '0)) dirty <= 1'b1;
        if (rst) begin
            sweep     <= '0;
            dirty     <= 1'b0;
            give_back <= 1'b0;
            forgets   <= 1'b1;
            state     <= SWEEP_LOOK;
        end
    end

    // A put that goes on has the kernel stream until its end.
    always_ff @(posedge clk) begin
        put_promised <= put_promised
            + (valid_verdict && push_valid && push_kind == PUT ? put_wanted : '0) - 9'(put_moved);
        put_wanted   <= put_beats;
        if (valid_verdict && push_valid && push_kind == PUT) put_level <= put_next;
        if (valid_verdict && put_begins) begin
            put_busy <= 1'b1;
            put_to   <= push_tdest;
        end
        if (valid_verdict && put_ends || state == CLOSE && p_mode == TO_KERNEL || state == STOPPED) put_busy <= 1'b0;
        if (rst) begin
            put_promised <= '0;
            put_busy     <= 1'b0;
        end
    end

    // Held packets are offered again when there may be room.
    logic [8:0] put_needed;
    always_ff @(posedge clk) begin
        rx_retry <= enabled || state == STOPPED || messages_retry || notice_waits && notice_room
            || put_waits_room && put_free >= put_needed || put_waits_end && !put_busy;
        if (notice_room) notice_waits <= 1'b0;
        if (put_free >= put_needed) put_waits_room <= 1'b0;
        if (!put_busy) put_waits_end <= 1'b0;
        if (valid_verdict && notice_held) notice_waits <= 1'b1;
        if (valid_verdict && rx_verdict == HOLD && push_kind == PUT && !notice_held) begin
            if (put_busy && p_mode == NOTHING_LEFT) put_waits_end <= 1'b1;
            else begin
                put_waits_room <= 1'b1;
                if (!put_waits_room || put_wanted < put_needed) put_needed <= put_wanted;
            end
        end
        if (rst) begin
            rx_retry       <= 1'b0;
            notice_waits   <= 1'b0;
            put_waits_room <= 1'b0;
            put_waits_end  <= 1'b0;
        end
    end

    always_ff @(posedge clk) begin
        quiet        <= state == STOPPED && payload_idle && reset_messages && !rst;
        network_idle <= state == STOPPED && payload_idle && reset_network && !dirty && !rst;
    end

endmodule

`default_nettype wire
