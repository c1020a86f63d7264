// Rendezvous: windows that remote ranks write to, and announcements of theirs.
`default_nettype none

module rendezvous (
    input  wire          clk,
    input  wire          rst,
    input  wire          reset_messages,
    input  wire          quiet,             // inbound has stopped for it
    output logic         messages_idle,
    output logic         event_rendezvous,

    input  wire engine_pkg::reg_request_t     reg_request,
    output engine_pkg::reg_response_t         reg_response,
    input  wire engine_pkg::selection_t       selection,
    output engine_pkg::peer_request_t         peer_request,
    input  wire engine_pkg::peer_response_t   peer_response,

    // Channels.
    input  wire engine_pkg::window_request_t  window_request_0,
    output engine_pkg::window_response_t      window_response_0,
    input  wire engine_pkg::window_request_t  window_request_1,
    output engine_pkg::window_response_t      window_response_1,
    input  wire engine_pkg::window_request_t  window_request_2,
    output engine_pkg::window_response_t      window_response_2,
    input  wire engine_pkg::window_request_t  window_request_3,
    output engine_pkg::window_response_t      window_response_3,
    output logic         windows_changed,

    // tx_packets: numbers of announcements. Held until done.
    input  wire          number_valid,
    input  wire  [15:0]  number_session,
    input  wire  [63:0]  number_vaddr,
    input  wire  [7:0]   number_host,
    output logic         number_done,
    output logic [31:0]  number_value,

    // inbound: data, an announcement, or that a sender is done (held until
    // done); what became of data that were to be written (held until ready);
    // a session that leads to an engine of another make.
    input  wire          packet_valid,
    input  wire          packet_loop,       // from the engine itself
    input  wire  [15:0]  packet_session,
    input  wire engine_pkg::header_t          packet_header,
    output logic         packet_done,
    output logic         packet_wanted,     // data are to be written
    output logic [6:0]   packet_event,      // why it was dropped, or 0
    output logic [4:0]   packet_window,
    output logic [2:0]   packet_epoch,
    output logic [31:0]  windows_open,      // now
    output logic [95:0]  windows_epoch,
    input  wire          written_valid,
    output logic         written_ready,
    input  wire  [4:0]   written_window,
    input  wire  [2:0]   written_epoch,
    input  wire  [5:0]   written_index,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] written_bytes,
    input  wire          written_good,
    input  wire          foreign_valid,
    input  wire  [15:0]  foreign_session
);

    localparam logic [2:0] NOBODY   = 3'd0;
    localparam logic [2:0] WRITTEN  = 3'd1;
    localparam logic [2:0] PACKET   = 3'd2;
    localparam logic [2:0] NUMBER   = 3'd3;
    localparam logic [2:0] REGISTER = 3'd4;
    localparam logic [2:0] CHANNEL  = 3'd5;

    // Operations of window_table.
    localparam logic [2:0] DO_OPEN     = 3'd0;
    localparam logic [2:0] DO_SHUT     = 3'd1;
    localparam logic [2:0] DO_READ     = 3'd2;
    localparam logic [2:0] DO_QUERY    = 3'd3;
    localparam logic [2:0] DO_DATA     = 3'd4;
    localparam logic [2:0] DO_WRITTEN  = 3'd5;
    localparam logic [2:0] DO_FINISHED = 3'd6;
    localparam logic [2:0] DO_NUMBER   = 3'd7;

    logic stop, cleared, clear, settled;

    // Who uses the window table.
    logic [2:0] user, next_user;
    logic       start, announces, data;
    logic [engine_pkg::QUEUES-1:0] query_valid, query_grant, query_owner;
    logic [engine_pkg::QUEUE_WIDTH-1:0] query_turn;
    engine_pkg::window_request_t query;
    logic       query_number; // there is a window with this number
    engine_pkg::window_response_t query_response;

    // The table.
    logic [2:0]  operation, epoch;
    logic [4:0]  at;
    logic [15:0] session;
    logic [31:0] src, context_, collective, tag, bytes, index;
    logic [63:0] address;
    logic        host, good;
    logic        table_idle, done, found, wanted, found_host, more, complete, changed, completed, change;
    logic [31:0] found_bytes;

    // Registers.
    logic        known, foreign, window_valid, window_open, window_shut, window_host, window_done;
    logic [15:0] known_session;
    logic [4:0]  window;
    logic [63:0] window_address;
    logic [31:0] window_bytes;

    // Announcements.
    logic        announcements_idle, announce_done, kept, seek_valid, seek_done, take_valid, take_done;
    logic        sought, sought_other, sought_host, numbers_busy, numbered;
    logic [6:0]  announce_event;
    logic [31:0] sought_count, sought_transfer;
    logic [63:0] sought_address;
    engine_pkg::collective_t sought_collective;

    logic [engine_pkg::SESSIONS-1:0] foreigners;
    logic        unused_bits;

    assign unused_bits = ^{packet_header, query.valid, number_host, foreign_session, known_session};

    // Reset.
    assign stop    = reset_messages && quiet;
    assign settled = user == NOBODY && table_idle && announcements_idle && !numbers_busy;
    assign clear   = stop && settled && !cleared;
    always_ff @(posedge clk) begin
        cleared          <= stop && (cleared || settled) && !rst;
        messages_idle    <= stop && cleared && !clear && settled && !rst;
        event_rendezvous <= (kept || completed) && !rst;
    end

    // Turns at the window table.
    assign announces   = packet_header.kind == engine_pkg::TYPE_ANNOUNCEMENT;
    assign data        = packet_header.kind == engine_pkg::TYPE_DATA;
    assign query_valid = {
        window_request_3.valid, window_request_2.valid, window_request_1.valid, window_request_0.valid
    };

    round_robin #(.N(engine_pkg::QUEUES)) turns (
        .clk, .rst, .request(query_valid), .advance(start && next_user == CHANNEL),
        .grant(query_grant), .index(query_turn)
    );

    always_comb begin
        if (written_valid) next_user = WRITTEN;
        else if (packet_valid && !announces) next_user = PACKET;
        else if (stop) next_user = NOBODY;
        else if (number_valid && numbered) next_user = NUMBER;
        else if (window_valid) next_user = REGISTER;
        else if (query_valid != '0) next_user = CHANNEL;
        else next_user = NOBODY;
    end

    assign start = user == NOBODY && next_user != NOBODY;

    always_comb begin
        case (query_turn)
            2'd1:    query = window_request_1;
            2'd2:    query = window_request_2;
            2'd3:    query = window_request_3;
            default: query = window_request_0;
        endcase
        operation  = DO_READ;
        at         = window;
        session    = packet_session;
        src        = packet_header.src;
        context_   = packet_header.context_;
        collective = packet_header.collective.number;
        tag        = packet_header.tag;
        address    = packet_header.vaddr;
        bytes      = packet_header.count;
        host       = packet_header.host != '0;
        index      = packet_header.seq;
        epoch      = written_epoch;
        good       = written_good;
        case (next_user)
            WRITTEN: begin
                operation  = DO_WRITTEN;
                at         = written_window;
                bytes      = 32'(written_bytes);
                index      = 32'(written_index);
            end
            PACKET: begin
                operation  = data ? DO_DATA : DO_FINISHED;
                good       = engine_pkg::STACK_RDMA && !packet_loop; // the stack has written before
            end
            NUMBER: begin
                operation  = DO_NUMBER;
                session    = number_session;
                address    = number_vaddr;
                host       = number_host != '0;
                tag        = number_value;
            end
            REGISTER: begin
                operation  = window_open ? DO_OPEN : window_shut ? DO_SHUT : DO_READ;
                session    = known_session;
                src        = selection.source;
                context_   = selection.context_;
                collective = selection.collective.number;
                address    = window_address;
                bytes      = window_bytes;
                host       = window_host;
                good       = known;
            end
            CHANNEL: begin
                operation  = DO_QUERY;
                at         = query.window[4:0];
                address    = query.address;
            end
            default: begin end
        endcase
        query_response = '0;
        query_response.ok    = found && query_number;
        query_response.bytes = found && query_number ? found_bytes : '0;
        query_response.more  = found && query_number && more;
        query_response.host  = found_host;
        window_response_0 = query_response;
        window_response_1 = query_response;
        window_response_2 = query_response;
        window_response_3 = query_response;
        window_response_0.done = done && user == CHANNEL && query_owner[0];
        window_response_1.done = done && user == CHANNEL && query_owner[1];
        window_response_2.done = done && user == CHANNEL && query_owner[2];
        window_response_3.done = done && user == CHANNEL && query_owner[3];
    end

    always_ff @(posedge clk) begin
        if (start) begin
            user         <= next_user;
            query_owner  <= query_grant;
            query_number <= query.window < 32'(engine_pkg::WINDOWS);
        end else if (done) user <= NOBODY;

        // Those who were answered at this moment shall see that something has
        // changed since they asked.
        windows_changed <= user == NOBODY && change;
        if (user == NOBODY) change <= 1'b0;
        if (changed) change <= 1'b1;

        if (rst) begin
            user   <= NOBODY;
            change <= 1'b0;
        end
    end

    assign packet_done   = announce_done || done && user == PACKET;
    assign packet_event  = announces ? announce_event : found ? '0 : engine_pkg::EVENT_NO_WINDOW;
    assign packet_wanted = wanted && data;
    assign written_ready = done && user == WRITTEN;
    assign number_done   = done && user == NUMBER;
    assign window_done   = done && user == REGISTER;

    // The number of an announcement is there a cycle after its session.
    always_ff @(posedge clk) numbered <= number_valid && !number_done && !numbers_busy && !rst;
    session_counters numbers (
        .clk, .rst, .clear, .busy(numbers_busy), .session(number_session), .value(number_value), .increment(number_done)
    );

    window_table windows (
        .clk, .rst, .clear, .idle(table_idle), .start, .operation,
        .window(at), .session, .src, .context_, .collective, .tag, .address,
        .bytes, .host, .index, .epoch, .good, .done, .found, .wanted, .found_window(packet_window),
        .found_epoch(packet_epoch), .found_bytes, .found_host, .more, .complete, .windows_open, .windows_epoch,
        .changed, .completed
    );

    announcements announced (
        .clk, .rst, .stop, .clear, .idle(announcements_idle),
        .announce_valid(packet_valid && announces), .announce_session(packet_session), .announce_header(packet_header),
        .announce_done, .announce_event, .kept,
        .seek_valid, .seek_known(known), .seek_session(known_session), .seek_rank(selection.destination),
        .seek_context(selection.context_), .seek_tag(selection.tag),
        .seek_collective(selection.collective), .seek_done, .take_valid, .take_done,
        .sought, .sought_other, .sought_count, .sought_address, .sought_host, .sought_transfer, .sought_collective
    );

    rendezvous_registers registers (
        .clk, .rst, .reg_request, .reg_response, .selection,
        .peer_request, .peer_response, .known, .session(known_session),
        .foreign, .window_valid, .window_open, .window_shut, .window, .window_address, .window_bytes, .window_host,
        .window_done, .window_arrived(found_bytes), .window_complete(complete), .seek_valid, .seek_done, .take_valid,
        .take_done, .sought, .sought_other, .sought_count, .sought_address,
        .sought_host, .sought_transfer, .sought_collective
    );

    assign foreign = foreigners[known_session[engine_pkg::SESSION_WIDTH-1:0]];
    always_ff @(posedge clk) begin
        if (rst) foreigners <= '0;
        else if (foreign_valid) foreigners[foreign_session[engine_pkg::SESSION_WIDTH-1:0]] <= 1'b1;
    end

endmodule

`default_nettype wire
