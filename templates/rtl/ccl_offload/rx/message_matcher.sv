// Decides which messages may come in, and finds those that are asked for. One
// thing at a time: what a decision looks at does not change under it.
`default_nettype none

module message_matcher (
    input  wire          clk,
    input  wire          rst,
    input  wire          stop,   // begin nothing but removals
    input  wire          clear,
    output logic         idle,

    // A message wants to come in. Held until done.
    input  wire          accept_valid,
    input  wire  [15:0]  accept_session,
    input  wire engine_pkg::header_t accept_header,
    output logic         accept_done,
    output logic [2:0]   accept_verdict,
    output logic [engine_pkg::BUFFER_WIDTH-1:0] accept_buffer,
    output logic [63:0]  accept_address,
    output logic         accept_posted,  // it is the receive's that waits for it

    // A message is gone before it was complete. Held until done.
    input  wire          remove_valid,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] remove_number, // also of what has been completed
    input  wire  [15:0]  remove_session,
    input  wire  [31:0]  remove_src,
    input  wire  [31:0]  remove_seq,
    output logic         remove_done,

    // Moves take messages, firmware looks for one or drops it. Held until done. A
    // move that was told of none and still waits gets the message that was on its way
    // with its completion, if nothing has happened in between. Only what is not on its
    // way is noted as wanted.
    input  wire  [engine_pkg::QUEUES-1:0]      match_valid,
    input  wire engine_pkg::match_request_t    match_request,  // of the granted one
    output logic [engine_pkg::QUEUE_WIDTH-1:0] match_turn,
    input  wire  [engine_pkg::QUEUES-1:0]      match_waits,    // those that were told of none
    output logic [engine_pkg::QUEUES-1:0]      match_owner,    // whose request is worked on
    output engine_pkg::match_response_t        match_response, // to it
    input  wire          seek_valid,
    input  wire engine_pkg::match_request_t    seek_request,
    output logic         seek_done,
    output logic         sought,        // the last one has found a message
    output logic [31:0]  sought_bytes,
    output logic [15:0]  sought_record, // of its buffer, 0 without one
    output logic [31:0]  other_source,  // the message of another collective that ended a move last
    output engine_pkg::collective_t other_collective,
    input  wire          discard_valid,
    output logic         discard_done,

    input  wire          completed,     // a message has become one that can be found
    input  wire          returned,      // a buffer waits again
    output logic         changed,       // others may be found
    output logic         welcome,       // others may come in
    output logic         arrived,       // one without payload has come
    output logic         given,         // what is completed goes to a move at once

    // posted_receive
    output logic         post_ask,
    output logic         post_add,
    input  wire          post_suits,
    output logic         post_take,
    output logic         post_other,
    output logic         post_counts,   // a message of record that it did not take
    input  wire  [63:0]  post_address,
    input  wire          count_valid,   // a message that it took is to be counted
    output logic         count_begun,   // nobody can look at the number before it is counted
    input  wire  [15:0]  count_record,
    input  wire  [15:0]  count_session,
    input  wire  [31:0]  count_src,
    input  wire  [31:0]  count_context,
    input  wire  [31:0]  count_tag,

    // message_table
    output logic         table_start,
    output logic         table_step,
    output logic [15:0]  session,
    output logic [31:0]  src,
    output logic [31:0]  seq,
    input  wire          table_done,
    input  wire          table_found,
    input  wire  [engine_pkg::BUFFER_WIDTH:0] table_number,
    input  wire  [31:0]  table_context,
    input  wire engine_pkg::collective_t table_collective,
    input  wire  [31:0]  table_tag,
    input  wire  [31:0]  table_bytes,
    input  wire          table_complete,
    output logic         table_remove,
    output logic         table_insert,
    output logic [engine_pkg::BUFFER_WIDTH:0] number,
    output logic [31:0]  count,
    output engine_pkg::collective_t collective,

    // sender_table
    output logic         senders_start,
    output logic         senders_step,
    output logic         senders_know,
    output logic [31:0]  context_,
    output logic [15:0]  record,
    input  wire          senders_done,
    input  wire          senders_found,
    input  wire  [15:0]  senders_record,

    // message_wants
    output logic         wants_add,
    output logic         wants_answer,
    output logic         wants_start,
    output logic         wants_step,
    output logic [31:0]  tag,
    input  wire          wants_done,
    input  wire          wants_found,
    input  wire  [15:0]  wants_record,

    // rx_buffers and message_recorder
    output logic         take,
    input  wire  [engine_pkg::BUFFER_WIDTH:0]   free_count,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] head_number,
    input  wire  [63:0]  head_address,
    input  wire  [31:0]  head_bytes,
    input  wire          head_settled,
    input  wire  [15:0]  look_record,   // of number
    input  wire  [63:0]  look_address,
    output logic         lend,
    output logic         release_valid, // of number
    input  wire          release_ready,

    output engine_pkg::exchange_request_t       exchange_request,
    input  wire engine_pkg::exchange_response_t exchange_response
);

    localparam int unsigned NUMBER = engine_pkg::BUFFER_WIDTH + 1;
    localparam int unsigned ALONE  = NUMBER - 3; // width of the numbers of messages without payload

    // accept_verdict.
    localparam logic [2:0] STORED    = 3'd0; // goes into the buffer
    localparam logic [2:0] TAKEN     = 3'd1; // had no payload
    localparam logic [2:0] STALE     = 3'd2;
    localparam logic [2:0] TOO_LARGE = 3'd3;
    localparam logic [2:0] NO_BUFFER = 3'd4;

    localparam logic [2:0] ACCEPT  = 3'd0;
    localparam logic [2:0] REMOVE  = 3'd1;
    localparam logic [2:0] MATCH   = 3'd2;
    localparam logic [2:0] SEEK    = 3'd3;
    localparam logic [2:0] DISCARD = 3'd4;
    localparam logic [2:0] POSTED  = 3'd5;

    typedef enum logic [4:0] {
        IDLE,
        TWICE,        // accept: is it there already?
        KNOWN,        // is it known who counts the sender's messages?
        PASSED,       // has its number passed?
        ROOM,
        WANTED,       // is it wanted by someone
        WANTED_NEXT,  // as the next one?
        LEARN,        // seek
        EXPECTED,     // match, seek: the number of the next one
        FIND,
        MISS,
        LOOKED,       // at the buffer that was found
        FIND_AGAIN,   // remove, discard
        COUNT,        // it is taken: count it,
        LEARN_SENDER, // note who counts,
        SATISFY,      // and that nobody wants it any more
        TOOK,
        GIVE_BACK,
        ANSWER
    } state_t;

    state_t            state;
    logic [2:0]        operation;
    logic              any;              // a record was found that counts the sender
    logic              there;            // accept: the message is
    logic              senders_known;    // accept: they were searched
    logic              hit, took;        // took: in this cycle
    logic              parked, parked_hit; // there is a message for the owner that is not complete
    logic [NUMBER-1:0] parked_number;
    logic [31:0]       parked_count;
    logic              meet, foreign, change, welcome_soon, ask, add;
    logic              of_collective;    // the request is
    logic              missing;          // no such message is here or on its way
    logic              same_number, same_collective, older; // the message found, a cycle later
    logic [15:0]       newer_by;         // agreements
    logic              mismatch;
    logic              drops;            // a message of an older collective: then who asked is served anew
    logic [15:0]       ask_record;
    logic              sought_valid;
    logic [NUMBER-1:0] sought_number;
    logic [15:0]       sought_session, sought_by;
    logic [31:0]       sought_src, sought_seq;
    logic [31:0]       distance;         // from the number expected next
    logic              passed, begin_match, known;
    logic [engine_pkg::QUEUES-1:0] match_grant;
    logic [NUMBER-1:0] fresh;            // numbers that messages without payload have never had
    logic              used_valid, used_ready, unused_used_in;
    logic [ALONE-1:0]  used_number;
    logic [ALONE:0]    unused_used_count;
    logic              alone_room, alone_take, alone_put;
    logic [NUMBER-1:0] alone_number;
    logic              unused_ok;
    logic              unused_bits;

    assign unused_ok   = exchange_response.ok;
    assign unused_bits = ^{
        accept_header, match_request, seek_request, distance, newer_by
    };

    assign parked_hit  = state == IDLE && !stop && parked && !change && completed
        && {1'b0, remove_number} == number && (match_owner & match_waits) != '0;
    assign given       = parked_hit;
    assign begin_match = state == IDLE && !stop && !parked_hit && !count_valid && !accept_valid
        && !remove_valid && !discard_valid && !seek_valid && match_valid != '0;
    round_robin #(.N(engine_pkg::QUEUES)) turns (
        .clk, .rst, .request(match_valid), .advance(begin_match), .grant(match_grant), .index(match_turn)
    );

    // Numbers of messages without payload: 64 of them.
    fifo #(.WIDTH(ALONE), .DEPTH(2**ALONE)) used (
        .clk, .rst, .clear,
        .in_valid(alone_put), .in_ready(unused_used_in), .in_data(number[ALONE-1:0]),
        .out_valid(used_valid), .out_ready(used_ready), .out_data(used_number), .count(unused_used_count)
    );
    assign alone_room   = used_valid || !fresh[ALONE];
    assign alone_number = {1'b1, 2'b00, used_valid ? used_number : fresh[ALONE-1:0]};
    assign alone_take   = state == ROOM && count == '0 && alone_room;
    assign used_ready   = alone_take;
    assign alone_put    = state == TOOK && number[NUMBER-1] && operation != POSTED;

    assign meet          = table_tag == tag || table_tag == cclo_pkg::TAG_ANY || tag == cclo_pkg::TAG_ANY;
    assign foreign       = table_context != context_ && (table_context != '0 || context_[0]);
    assign newer_by      = table_collective.number[31:16] - collective.number[31:16];
    assign distance      = seq - exchange_response.rdata;
    assign passed        = distance[31];
    assign known         = senders_done || senders_known;
    assign of_collective = context_[0];
    assign idle          = state == IDLE;

    assign accept_done   = state == ANSWER && operation == ACCEPT;
    assign remove_done   = state == ANSWER && operation == REMOVE;
    assign seek_done     = state == ANSWER && operation == SEEK;
    assign discard_done  = state == ANSWER && operation == DISCARD;
    assign sought        = sought_valid;
    assign accept_buffer = number[NUMBER-2:0];
    assign lend          = took && !number[NUMBER-1];
    assign missing       = state == FIND && table_done && !table_found && !parked;
    assign post_ask      = begin_match;
    assign post_add      = operation == MATCH && (engine_pkg::LOSSY ? missing : state == MISS && wants_done);
    assign post_take     = state == ROOM && post_suits;
    assign post_other    = state == ROOM && !post_suits;
    assign post_counts   = add && exchange_response.done && operation != POSTED;
    assign count_begun   = state == IDLE && !parked_hit && count_valid && !stop;
    assign release_valid = state == GIVE_BACK;

    always_comb begin
        match_response = '0;
        match_response.done     = parked_hit
            || operation == MATCH && (took && state == COUNT || state == ANSWER && !hit);
        match_response.found    = parked_hit || hit;
        match_response.mismatch = mismatch;
        match_response.bytes    = count;
        match_response.address  = look_address;
        match_response.stored   = !number[NUMBER-1];
        match_response.buffer_  = number[NUMBER-2:0];
    end

    assign ask = state == PASSED || state == WANTED_NEXT || state == EXPECTED
        || state == KNOWN && known && senders_found && !there && !post_suits;
    assign add = state == COUNT;
    always_comb begin
        case (state)
            KNOWN, PASSED: ask_record = senders_record;
            WANTED_NEXT: ask_record = wants_record;
            default:     ask_record = record;
        endcase
        exchange_request = '0;
        exchange_request.valid     = ask || add;
        exchange_request.operation = add ? engine_pkg::EXCHANGE_ADD : engine_pkg::EXCHANGE_READ;
        exchange_request.address   = 32'(ask_record) + 32'(4 * cclo_pkg::COMMUNICATORS_INBOUND_SEQ_WORD);
        exchange_request.wdata     = 32'd1;
    end

    // Those who were answered at this moment shall see that something has
    // changed since they asked.
    always_ff @(posedge clk) begin
        changed <= state == IDLE && (change || completed && !parked_hit);
        welcome <= state == IDLE && welcome_soon;
        if (state == IDLE) begin
            change       <= 1'b0;
            welcome_soon <= 1'b0;
        end
        if (state == TOOK || take || state == ANSWER && arrived || remove_done || completed && state != IDLE)
            change <= 1'b1;
        // What was taken makes another one the next, which may be wanted.
        if (state == TOOK || state == MISS && wants_done && wants_found || returned) welcome_soon <= 1'b1;
        if (rst) begin
            change       <= 1'b0;
            welcome_soon <= 1'b0;
        end
    end

    // What the table has found stands there a cycle before it is done.
    always_ff @(posedge clk) begin
        same_number     <= table_collective.number == collective.number;
        same_collective <= table_collective == collective;
        older           <= newer_by[15];
    end

    always_ff @(posedge clk) begin
        table_start   <= 1'b0;
        table_step    <= 1'b0;
        table_remove  <= 1'b0;
        table_insert  <= 1'b0;
        senders_start <= 1'b0;
        senders_step  <= 1'b0;
        senders_know  <= 1'b0;
        wants_add     <= 1'b0;
        wants_answer  <= 1'b0;
        wants_start   <= 1'b0;
        wants_step    <= 1'b0;
        take          <= 1'b0;
        took          <= 1'b0;
        arrived       <= 1'b0;
        if (senders_done) senders_known <= 1'b1;
        if (alone_take && !used_valid) fresh <= fresh + 1'b1;
        case (state)
            IDLE: begin
                any           <= 1'b0;
                hit           <= parked_hit;
                mismatch      <= 1'b0;
                drops         <= 1'b0;
                there         <= 1'b0;
                senders_known <= 1'b0;
                if (change || completed) parked <= 1'b0; // another one may answer the request, too
                if (parked_hit) begin
                    took        <= 1'b1;
                    table_start <= 1'b1;
                    state       <= FIND_AGAIN;
                end else if (count_begun) begin
                    operation <= POSTED;
                    parked    <= 1'b0;
                    session   <= count_session;
                    src       <= count_src;
                    context_  <= count_context;
                    tag       <= count_tag;
                    record    <= count_record;
                    state     <= COUNT;
                end else if (accept_valid && !stop) begin
                    operation     <= ACCEPT;
                    parked        <= 1'b0;
                    session       <= accept_session;
                    src           <= accept_header.src;
                    seq           <= accept_header.seq;
                    context_      <= accept_header.context_;
                    collective    <= accept_header.collective;
                    tag           <= accept_header.tag;
                    count         <= accept_header.count;
                    table_start   <= 1'b1;
                    senders_start <= 1'b1;
                    state         <= TWICE;
                end else if (remove_valid) begin
                    operation   <= REMOVE;
                    parked      <= 1'b0;
                    session     <= remove_session;
                    src         <= remove_src;
                    seq         <= remove_seq;
                    number      <= {1'b0, remove_number};
                    table_start <= 1'b1;
                    state       <= FIND_AGAIN;
                end else if (discard_valid && !stop) begin
                    operation   <= DISCARD;
                    parked      <= 1'b0;
                    session     <= sought_session;
                    src         <= sought_src;
                    seq         <= sought_seq;
                    record      <= sought_by;
                    number      <= sought_number;
                    table_start <= sought_valid;
                    state       <= sought_valid ? FIND_AGAIN : ANSWER;
                end else if (seek_valid && !stop) begin
                    operation    <= SEEK;
                    parked       <= 1'b0;
                    session      <= seek_request.session;
                    src          <= seek_request.rank;
                    context_     <= seek_request.context_;
                    collective   <= seek_request.collective;
                    tag          <= seek_request.tag;
                    record       <= seek_request.record[15:0];
                    sought_valid <= 1'b0;
                    senders_know <= seek_request.valid;
                    state        <= seek_request.valid ? LEARN : ANSWER;
                end else if (begin_match) begin
                    operation   <= MATCH;
                    parked      <= 1'b0;
                    match_owner <= match_grant;
                    session     <= match_request.session;
                    src         <= match_request.rank;
                    context_    <= match_request.context_;
                    collective  <= match_request.collective;
                    tag         <= match_request.tag;
                    record      <= match_request.record[15:0];
                    state       <= EXPECTED;
                end
            end
            TWICE: if (table_done) begin
                accept_verdict <= STALE;
                there          <= table_found;
                if (!table_found || table_context == context_ && same_number) state <= KNOWN;
                else table_step <= 1'b1;
            end
            KNOWN: if (known) begin
                if (there) state <= ANSWER;
                else if (senders_found) state <= post_suits ? ROOM : PASSED;
                else state <= any ? ANSWER : ROOM;
            end
            PASSED: if (exchange_response.done) begin
                any           <= 1'b1;
                senders_known <= 1'b0;
                senders_step  <= passed;
                state         <= passed ? KNOWN : ROOM;
            end
            ROOM: begin
                accept_address <= post_suits ? post_address : head_address;
                accept_posted  <= post_suits;
                number         <= count == '0 ? alone_number : {1'b0, head_number};
                if (post_suits) begin
                    accept_verdict <= STORED;
                    state          <= ANSWER;
                end else if (count == '0) begin
                    accept_verdict <= alone_room ? TAKEN : NO_BUFFER;
                    table_insert   <= alone_room;
                    arrived        <= alone_room;
                    state          <= ANSWER;
                end else if (head_settled) begin
                    accept_verdict <= free_count == '0 ? NO_BUFFER : count > head_bytes ? TOO_LARGE : STORED;
                    if (free_count == '0 || count > head_bytes) state <= ANSWER;
                    else if (free_count == 1 && !engine_pkg::LOSSY) begin
                        wants_start <= 1'b1;
                        state       <= WANTED;
                    end else begin
                        table_insert <= 1'b1;
                        take         <= 1'b1;
                        state        <= ANSWER;
                    end
                end
            end
            WANTED: if (wants_done) begin
                accept_verdict <= NO_BUFFER;
                state          <= wants_found ? WANTED_NEXT : ANSWER;
            end
            WANTED_NEXT: if (exchange_response.done) begin
                if (exchange_response.rdata == seq) begin
                    accept_verdict <= STORED;
                    table_insert   <= 1'b1;
                    take           <= 1'b1;
                    state          <= ANSWER;
                end else begin
                    wants_step <= 1'b1;
                    state      <= WANTED;
                end
            end

            LEARN: if (senders_done) state <= EXPECTED;
            EXPECTED: if (exchange_response.done) begin
                seq         <= exchange_response.rdata;
                table_start <= 1'b1;
                state       <= FIND;
            end
            FIND: begin
                number <= table_number; // the buffer is looked up while its message is compared
                count  <= table_bytes;
                if (table_done && !table_found) begin
                    wants_add <= !engine_pkg::LOSSY && missing;
                    state     <= engine_pkg::LOSSY || parked ? ANSWER : MISS;
                    if (parked) begin
                        number <= parked_number;
                        count  <= parked_count;
                    end
                end else if (table_done && table_complete && !foreign && of_collective && older) begin
                    table_remove <= 1'b1;
                    took         <= 1'b1;
                    drops        <= 1'b1;
                    parked       <= 1'b0;
                    state        <= TOOK;
                end else if (table_done && table_complete && !foreign && of_collective && !same_collective) begin
                    parked   <= 1'b0;
                    mismatch <= 1'b1;
                    state    <= ANSWER;
                    if (operation == MATCH) begin
                        other_source     <= src;
                        other_collective <= table_collective;
                    end
                end else if (table_done && (!table_complete || foreign || !meet)) begin
                    table_step <= 1'b1;
                    if (!parked && !foreign && meet && (!of_collective || same_collective)) begin
                        parked        <= operation == MATCH;
                        parked_number <= table_number;
                        parked_count  <= table_bytes;
                    end
                end else if (table_done) begin
                    hit          <= 1'b1;
                    parked       <= 1'b0;
                    took         <= operation == MATCH;
                    table_remove <= operation == MATCH;
                    state        <= operation == MATCH ? COUNT : LOOKED;
                end
            end
            MISS: if (wants_done) state <= ANSWER;

            LOOKED: begin
                sought_valid   <= 1'b1;
                sought_number  <= number;
                sought_bytes   <= count;
                sought_record  <= number[NUMBER-1] ? '0 : look_record;
                sought_session <= session;
                sought_src     <= src;
                sought_seq     <= seq;
                sought_by      <= record;
                state          <= ANSWER;
            end

            FIND_AGAIN: if (table_done) begin
                context_ <= table_context;
                tag      <= table_tag;
                if (!table_found) state <= ANSWER;
                else if (table_number != number) table_step <= 1'b1;
                else begin
                    table_remove <= 1'b1;
                    took         <= operation == DISCARD;
                    state        <= operation == REMOVE ? ANSWER : COUNT;
                end
            end
            COUNT: begin
                if (took) begin // it stands there for a cycle more
                    context_ <= table_context;
                    tag      <= table_tag;
                end
                if (exchange_response.done) begin
                    senders_know <= 1'b1;
                    state        <= LEARN_SENDER;
                end
            end
            LEARN_SENDER: if (senders_done) begin
                wants_answer <= !engine_pkg::LOSSY;
                state        <= engine_pkg::LOSSY ? TOOK : SATISFY;
            end
            SATISFY: if (wants_done) state <= TOOK;
            TOOK: begin
                if (sought_number == number && operation != POSTED) sought_valid <= 1'b0;
                state <= (drops || operation == DISCARD) && !number[NUMBER-1] ? GIVE_BACK : drops ? IDLE : ANSWER;
            end
            GIVE_BACK: if (release_ready) state <= drops ? IDLE : ANSWER;
            default: state <= IDLE;
        endcase
        if (rst || clear) begin
            parked       <= 1'b0;
            sought_valid <= 1'b0;
            fresh        <= '0;
        end
        if (rst) begin
            state            <= IDLE;
            other_source     <= '0;
            other_collective <= '0;
        end
    end

endmodule

`default_nettype wire
