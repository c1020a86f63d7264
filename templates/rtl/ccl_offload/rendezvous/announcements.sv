// Announcements of remote ranks' buffers, until they are taken. Where messages
// can be lost each session numbers its own: one that has overtaken others waits
// for them.
`default_nettype none

module announcements (
    input  wire          clk,
    input  wire          rst,
    input  wire          stop,        // begin nothing
    input  wire          clear,       // a pulse
    output logic         idle,

    // One has arrived. Held until done.
    input  wire          announce_valid,
    input  wire  [15:0]  announce_session,
    input  wire engine_pkg::header_t announce_header,
    output logic         announce_done,
    output logic [6:0]   announce_event, // why it was dropped, or 0
    output logic         kept,           // a pulse: one more can be found

    // Finding the oldest one of a rank, and removing it. Held until done.
    input  wire          seek_valid,
    input  wire          seek_known,     // there is such a rank
    input  wire  [15:0]  seek_session,
    input  wire  [31:0]  seek_rank,
    input  wire  [31:0]  seek_context,
    input  wire  [31:0]  seek_tag,
    input  wire engine_pkg::collective_t seek_collective,
    output logic         seek_done,
    input  wire          take_valid,
    output logic         take_done,

    // What was found, and not taken yet, or is of another collective.
    output logic         sought,
    output logic         sought_other,
    output logic [31:0]  sought_count,
    output logic [63:0]  sought_address,
    output logic         sought_host,
    output logic [31:0]  sought_transfer,
    output engine_pkg::collective_t sought_collective
);

    localparam int unsigned SLOTS = 64;
    localparam int unsigned WIDTH = 16 + 8 * 32 + 64 + 1;

    typedef enum logic [3:0] {
        IDLE,
        NUMBER,      // which number is expected
        NUMBERED,
        TWICE,       // is it there already?
        TWICE_READ,
        KEEP,
        FOLLOW,      // which have waited for it?
        FOLLOW_READ,
        ANNOUNCED,
        SEEK,
        SEEK_READ,
        SOUGHT,
        TAKEN,
        COLLECTIVE,  // seek: of an older one, or of another one?
        OLD
    } state_t;

    logic [WIDTH-1:0]   entries [SLOTS];
    logic [SLOTS-1:0]   used, early;     // slots: taken; by those that have overtaken others
    logic [6*SLOTS-1:0] order;           // slots of those that can be found, oldest first
    logic [6:0]         waiting, total, position, sought_position;
    logic [5:0]         sought_slot;
    state_t             state;

    logic [15:0]        session;
    engine_pkg::header_t header;
    logic [WIDTH-1:0]   entry;
    logic [15:0]        entry_session;
    logic [31:0]        entry_src, entry_context, entry_tag, entry_count, entry_transfer;
    logic [63:0]        entry_address;
    logic               entry_host;
    logic [31:0]        expected, next_expected, distance;
    engine_pkg::collective_t entry_collective;
    logic [15:0]        newer_by;        // agreements
    logic               counters_busy, by_seeker, meet, of_session, keep, remove, older, other, met;
    logic [SLOTS-1:0]   left;            // early ones to look at
    logic [5:0]         found_free, free_slot, left_slot, looked_at, at, keep_slot;
    logic               unused_bits;

    assign unused_bits = ^{header, distance, newer_by};
    assign {
        entry_session, entry_src, entry_context, entry_tag, entry_count,
        entry_transfer, entry_address, entry_host, entry_collective
    } = entry;

    session_counters numbers (
        .clk, .rst, .clear, .busy(counters_busy), .session, .value(expected), .increment(keep && engine_pkg::LOSSY)
    );

    first_set #(.N(SLOTS)) first_free (.marked(~used), .place(found_free));
    first_set #(.N(SLOTS)) first_left (.marked(left), .place(left_slot));

    assign idle          = state == IDLE && !counters_busy;
    assign announce_done = state == ANNOUNCED;
    assign seek_done     = state == SOUGHT;
    assign take_done     = state == TAKEN;
    assign distance      = header.seq - expected;
    assign looked_at     = state == SEEK ? order[9'd6 * 9'(position) +: 6] : left_slot;
    assign by_seeker     = entry_session == seek_session && entry_src == seek_rank
        && (entry_context == seek_context || entry_context == '0 && !seek_context[0]);
    assign meet          = entry_tag == seek_tag || entry_tag == cclo_pkg::TAG_ANY || seek_tag == cclo_pkg::TAG_ANY;
    assign newer_by      = entry_collective.number[31:16] - seek_collective.number[31:16];
    assign of_session    = entry_session == session;

    // One can no longer be found: what was sought is taken, or is of an older collective.
    assign remove = state == IDLE && !stop && !announce_valid && take_valid && sought || state == OLD;

    // One becomes the last that can be found: the new one, or one that has waited.
    assign keep      = state == KEEP && (!engine_pkg::LOSSY || header.seq == next_expected) ||
                       state == FOLLOW_READ && of_session && entry_transfer == next_expected;
    assign keep_slot = state == KEEP ? free_slot : at;

    always_ff @(posedge clk) begin
        entry <= entries[looked_at];
        if (state == KEEP)
            entries[free_slot] <= {
                session, header.src, header.context_, header.tag, header.count, engine_pkg::LOSSY ? header.seq : 32'd0,
                header.vaddr, header.host != '0, header.collective
            };
    end

    always_ff @(posedge clk) begin
        for (int unsigned i = 0; i < SLOTS; i++) begin
            if (keep && waiting == 7'(i)) order[6*i +: 6] <= keep_slot;
            else if (remove && 7'(i) >= sought_position) order[6*i +: 6] <= order[6*((i+1)%SLOTS) +: 6];
        end
    end

    always_ff @(posedge clk) begin
        kept      <= keep;
        at        <= looked_at;
        free_slot <= found_free; // slots are taken and given back three cycles apart, or more
        if (keep) begin
            waiting       <= waiting + 1'b1;
            next_expected <= next_expected + 1'b1;
        end
        if (remove) begin
            used[sought_slot] <= 1'b0;
            waiting           <= waiting - 1'b1;
            total             <= total - 1'b1;
        end
        case (state)
            IDLE: begin
                announce_event <= '0;
                position       <= '0;
                if (stop) begin end
                else if (announce_valid) begin
                    session <= announce_session;
                    header  <= announce_header;
                    if (total == 7'(engine_pkg::ANNOUNCEMENTS)) announce_event <= engine_pkg::EVENT_NO_ANNOUNCEMENT;
                    state   <= total == 7'(engine_pkg::ANNOUNCEMENTS) ? ANNOUNCED : engine_pkg::LOSSY ? NUMBER : KEEP;
                end else if (take_valid) begin
                    sought       <= 1'b0;
                    sought_other <= 1'b0;
                    state        <= TAKEN;
                end else if (seek_valid) begin
                    sought       <= 1'b0;
                    sought_other <= 1'b0;
                    state        <= seek_known ? SEEK : SOUGHT;
                end
            end
            NUMBER: state <= NUMBERED;
            NUMBERED: begin
                next_expected <= expected;
                left          <= early;
                if (distance[31]) announce_event <= engine_pkg::EVENT_STALE;
                state         <= distance[31] ? ANNOUNCED : TWICE;
            end
            TWICE: state <= left == '0 ? KEEP : TWICE_READ;
            TWICE_READ: begin
                left[at] <= 1'b0;
                if (of_session && entry_transfer == header.seq) announce_event <= engine_pkg::EVENT_STALE;
                state <= of_session && entry_transfer == header.seq ? ANNOUNCED : TWICE;
            end
            KEEP: begin
                used[free_slot]  <= 1'b1;
                early[free_slot] <= !keep;
                total            <= total + 1'b1;
                left             <= early;
                state            <= keep && engine_pkg::LOSSY ? FOLLOW : ANNOUNCED;
            end
            FOLLOW: state <= left == '0 ? ANNOUNCED : FOLLOW_READ;
            FOLLOW_READ: begin
                if (keep) early[at] <= 1'b0;
                left     <= keep ? early : left;
                left[at] <= 1'b0;
                state    <= FOLLOW;
            end
            SEEK: state <= position == waiting ? SOUGHT : SEEK_READ;
            SEEK_READ: begin
                position          <= position + 1'b1;
                sought_position   <= position;
                sought_slot       <= at;
                sought_count      <= entry_count;
                sought_address    <= entry_address;
                sought_host       <= entry_host;
                sought_transfer   <= entry_transfer;
                sought_collective <= entry_collective;
                met               <= meet;
                older             <= newer_by[15];
                other             <= entry_collective != seek_collective;
                if (!by_seeker) state <= SEEK;
                else if (seek_context[0]) state <= COLLECTIVE;
                else begin
                    sought <= meet;
                    state  <= meet ? SOUGHT : SEEK;
                end
            end
            COLLECTIVE: if (older) state <= OLD;
                else begin
                    sought       <= !other && met;
                    sought_other <= other;
                    state        <= other || met ? SOUGHT : SEEK;
                end
            OLD: begin
                position <= sought_position;
                state    <= SEEK;
            end
            default: state <= IDLE;
        endcase
        if (rst || clear) begin
            used         <= '0;
            early        <= '0;
            waiting      <= '0;
            total        <= '0;
            sought       <= 1'b0;
            sought_other <= 1'b0;
        end
        if (rst) state <= IDLE;
    end

endmodule

`default_nettype wire
