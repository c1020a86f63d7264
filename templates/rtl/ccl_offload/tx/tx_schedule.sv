// Chooses which packet goes next: of each session the first, sessions in turn.
// The back end is asked for each, and says when it may go. A session that it
// refuses waits a while, the others do not. What a message still owes to its
// session is kept: should the rest never come, it is filled up before anything
// else of the session goes.
//
// A TCP stack writes what it sends to memory, much slower where a request does not begin
// at a multiple of a beat in the session's stream. A filler, a message that the receiver
// drops, goes before a large one where need be, if the peer is an engine of this make.
`default_nettype none

module tx_schedule #(
    parameter int unsigned TAG = 11 // bits
) (
    input  wire                                 clk,
    input  wire                                 rst,
    input  wire                                 go,        // packets may be sent
    input  wire                                 loop_room, // there is room for a packet to the engine itself
    output logic                                idle,

    // The slots.
    input  wire  [engine_pkg::SLOTS-1:0]        queued,
    input  wire  [engine_pkg::SLOTS-1:0]        front,
    input  wire  [engine_pkg::SLOTS-1:0]        to_self,
    input  wire  [engine_pkg::SLOTS-1:0]        marks,     // that stand for the rest of a message
    input  wire  [engine_pkg::SLOTS-1:0]        doomed,    // not to be asked for again
    // whose session was closed since: they leave no debt to the next one
    input  wire  [engine_pkg::SLOTS-1:0]        closed,
    output logic [engine_pkg::SLOTS-1:0]        asked,     // the back end knows of it
    output logic                                leave,
    output logic [engine_pkg::SLOT_WIDTH-1:0]   leave_slot,
    output logic                                give_back, // what leaves is not sent
    output logic                                send,      // what leaves is sent

    output logic [engine_pkg::SLOT_WIDTH-1:0]   packet_slot,
    input  wire engine_pkg::packet_t            packet,

    // The back end. Answers come in any order but one for each.
    output logic                                ask_valid,
    input  wire                                 ask_ready,
    output logic [engine_pkg::SLOT_WIDTH-1:0]   ask_slot,
    output logic [15:0]                         ask_session,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] ask_bytes,
    output logic                                ask_written, // to where the header says
    output logic [63:0]                         ask_vaddr,
    output logic [7:0]                          ask_host,
    input  wire                                 answer_valid,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]   answer_slot,
    input  wire                                 answer_good,

    // What goes, in the order of good answers.
    output logic                                job_valid,
    output logic [engine_pkg::SLOT_WIDTH-1:0]   job_slot,
    output logic                                job_row,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] job_bytes,
    output logic                                job_fill,
    output logic                                job_filler, // a header and 1 to 63 bytes
    output logic                                job_self,
    output logic [15:0]                         job_session,
    input  wire                                 job_done,    // it is with the reader

    // The session leads to an engine of this make. Lost while a session is cleared: the
    // next message of the peer tells it again.
    input  wire                                 own_valid,
    input  wire  [TAG-2:0]                      own_session,

    // A session that was closed owes nothing.
    input  wire                                 clear_valid,
    output logic                                clear_ready,
    input  wire  [TAG-1:0]                      clear_tag
);

    typedef enum logic [1:0] {PICK, LOOK, DECIDE, ASK} state_t;

    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned PLAN   = 6 + 1 + TAG + 32 + LENGTH + 3 + 16;

    localparam logic [LENGTH-1:0] HEADER = LENGTH'(cclo_pkg::HEADER_BYTES);
    localparam logic [LENGTH-1:0] WHOLE  = LENGTH'(engine_pkg::SLOT_BYTES);

    state_t                            state;
    logic [engine_pkg::SLOTS-1:0]      eligible, granted;
    logic [engine_pkg::SLOT_WIDTH-1:0] pick, slot;
    logic [engine_pkg::SLOTS-1:0]      refused;
    logic [7:0]                        patience; // until refused ones are asked for again
    logic [engine_pkg::SLOT_WIDTH:0]   around;   // asked for or not yet with the reader
    logic                              ask;

    // The packet that is looked at.
    logic              self, headed, whole, row, fill, filler, drop, nothing;
    logic [LENGTH-1:0] payload, bytes;
    logic [31:0]       rest, next, after;        // that the message owes behind the packet
    logic [15:0]       session;
    logic [TAG-1:0]    tag;

    // What each session owes, and what will be when a packet goes.
    logic [31:0]       owed [1 << TAG];
    logic [31:0]       debt;
    logic [TAG-1:0]    sweep;
    logic              swept;
    logic [PLAN-1:0]   plans [engine_pkg::SLOTS];
    logic [TAG-1:0]    plan_tag;
    logic [31:0]       plan_next;

    // Bytes in the last beat of each session's stream, and whether its peer is of this make.
    logic [5:0]        levels [1 << (TAG - 1)];
    logic              owns   [1 << (TAG - 1)];
    logic [5:0]        level, plan_level;
    logic              own, is_large; // is_large: begins a large message to another engine

    // Packets to the engine itself are answered for at once.
    logic                              self_valid, reply;
    logic [engine_pkg::SLOT_WIDTH-1:0] self_slot, reply_slot;
    logic                              reply_good;

    assign eligible = front & ~asked & ~refused & ~(loop_room && !self_valid ? '0 : to_self);

    round_robin #(.N(engine_pkg::SLOTS)) turn (
        .clk, .rst, .request(eligible), .advance(state == PICK && go), .grant(granted), .index(pick)
    );

    // What becomes of the packet.
    assign self        = packet.self;
    assign headed      = packet.headed;
    assign session     = packet.session;
    assign payload     = packet.bytes;
    assign tag         = self ? {1'b1, (TAG - 1)'(0)} : {1'b0, session[TAG-2:0]};
    assign whole       = headed && !(packet.written && !self);
    assign row         = headed && !whole;
    assign nothing     = payload == 0 && !whole;
    assign filler      = engine_pkg::STREAMS && own && is_large && level != '0 && debt == '0;
    assign packet_slot = slot;

    always_comb begin
        rest = '0;
        if (packet.header.kind == engine_pkg::TYPE_EAGER && packet.header.count > 32'(payload))
            rest = packet.header.count - 32'(payload);
        fill  = 1'b0;
        drop  = 1'b0;
        bytes = payload + (whole ? HEADER : '0);
        next  = headed ? rest : debt - 32'(payload);
        if (debt != 0 && (headed || marks[slot])) begin
            fill  = 1'b1;
            bytes = debt > 32'(WHOLE) ? WHOLE : LENGTH'(debt);
            next  = debt - 32'(bytes);
        end else begin
            drop = marks[slot] || nothing || !headed && debt < 32'(payload);
        end
        if (filler) begin
            fill  = 1'b1;
            bytes = HEADER + LENGTH'(6'(-level));
            next  = '0;
        end
    end

    // Asking.
    logic [LENGTH-1:0] asked_bytes;
    logic              asked_row, asked_fill, asked_filler;

    assign ask         = state == ASK && go && queued[slot] && (self ? !self_valid : ask_ready);
    assign ask_valid   = state == ASK && go && queued[slot] && !self;
    assign ask_slot    = slot;
    assign ask_session = session;
    assign ask_bytes   = asked_bytes;
    assign ask_written = asked_row && !asked_fill;
    assign ask_vaddr   = packet.header.vaddr;
    assign ask_host    = packet.header.host;

    // Answers.
    assign reply      = answer_valid || self_valid;
    assign reply_slot = answer_valid ? answer_slot : self_slot;
    assign reply_good = answer_valid ? answer_good : 1'b1;
    assign job_valid  = reply && reply_good;
    assign job_slot   = reply_slot;
    assign {
        plan_level, job_filler, plan_tag, plan_next, job_bytes, job_row, job_fill, job_self, job_session
    } = plans[reply_slot];

    logic sends, drops;
    assign sends      = job_valid && !job_fill;
    assign drops      = state == DECIDE && queued[slot] && drop && !reply;
    assign leave      = sends || drops || reply && doomed[reply_slot];
    assign leave_slot = reply ? reply_slot : slot;
    assign give_back  = leave && !sends;
    assign send       = sends;
    assign idle       = state == PICK;

    // What is asked for meanwhile would be forgotten.
    assign clear_ready = swept && !reply && !(state == ASK && ask_ready);

    always_ff @(posedge clk) begin
        if (rst) begin
            state      <= PICK;
            asked      <= '0;
            refused    <= '0;
            patience   <= '0;
            around     <= '0;
            self_valid <= 1'b0;
            sweep      <= '0;
            swept      <= 1'b0;
        end else begin
            case (state)
                PICK:
                    if (go && swept && eligible != 0 && around < (engine_pkg::SLOT_WIDTH + 1)'(engine_pkg::SLOTS - 1))
                        state <= LOOK;
                LOOK:    state <= DECIDE;
                DECIDE:  if (!queued[slot] || drops) state <= PICK;
                         else if (!drop) state <= ASK;
                default: if (ask || !go || !queued[slot]) state <= PICK;
            endcase
            if (ask && self) self_valid <= 1'b1;
            else if (!answer_valid) self_valid <= 1'b0;
            if (ask) asked[slot] <= 1'b1;
            if (reply) asked[reply_slot] <= 1'b0;
            patience <= patience + 8'd1;
            if (patience == '1) refused <= '0;
            if (reply) refused[reply_slot] <= !reply_good;
            around <= around + (engine_pkg::SLOT_WIDTH + 1)'(ask) - (engine_pkg::SLOT_WIDTH + 1)'(reply && !reply_good)
                             - (engine_pkg::SLOT_WIDTH + 1)'(job_done);
            if (!swept) {swept, sweep} <= {1'b0, sweep} + 1'b1;
        end
        if (state == PICK) slot <= pick;
        if (state == LOOK) begin
            debt  <= owed[tag];
            level <= levels[session[TAG-2:0]];
            own   <= owns[session[TAG-2:0]];
            is_large <= whole && payload != 0 && !self && packet.header.count >= 32'(cclo_pkg::LARGE_MESSAGE_BYTES);
        end
        if (state == DECIDE) begin
            asked_bytes  <= bytes;
            asked_row    <= row;
            asked_fill   <= fill;
            asked_filler <= filler;
            after        <= next;
        end
        if (ask)
            plans[slot] <= {
                level + asked_bytes[5:0], asked_filler, tag, after, asked_bytes, asked_row, asked_fill, self, session
            };
        if (ask && self) self_slot <= slot; // it may wait for answers of the back end
        if (!swept) owed[sweep] <= '0;
        else if (reply && reply_good && !closed[reply_slot]) owed[plan_tag] <= plan_next;
        else if (clear_valid && clear_ready) owed[clear_tag] <= '0;
        if (!swept) levels[sweep[TAG-2:0]] <= '0;
        else if (reply && reply_good && !closed[reply_slot] && !job_self) levels[plan_tag[TAG-2:0]] <= plan_level;
        else if (clear_valid && clear_ready) levels[clear_tag[TAG-2:0]] <= '0;
        if (!swept) owns[sweep[TAG-2:0]] <= 1'b0;
        else if (clear_valid && clear_ready) owns[clear_tag[TAG-2:0]] <= 1'b0;
        else if (own_valid) owns[own_session] <= 1'b1;
    end

    wire unused = &{1'b0, granted, packet};

endmodule

`default_nettype wire
