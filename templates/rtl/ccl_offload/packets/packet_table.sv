// Which slots are in use, by what sessions, and in what order the complete ones
// of a session go on. A tag stands for the session. Free slots are given in any
// order. What leaves the order no longer holds up those behind it, but its slot
// stays in use until it is released.
`default_nettype none

module packet_table #(
    parameter int unsigned SLOTS = 32, // packets at a time
    parameter int unsigned TAG   = 11, // bits
    parameter int unsigned LIMIT = 4   // slots of a tag
) (
    input  wire                      clk,
    input  wire                      rst,
    // Slots that become free, with all behind them in their orders; also the one
    // that was completed a cycle ago, if it is behind one of them.
    input  wire [SLOTS-1:0]          forget,

    // A slot for the tag that is asked about.
    input  wire [TAG-1:0]            query_tag,
    output logic                     query_room, // the tag has less than the limit
    output logic                     query_none, // the tag has no slot
    output logic [SLOTS-1:0]         same,    // its slots
    output logic                     free_valid,
    output logic [$clog2(SLOTS)-1:0] free_slot,
    input  wire                      open,       // the free slot is taken by the tag

    // Complete: it goes behind those of its tag.
    input  wire                      commit,
    input  wire [$clog2(SLOTS)-1:0]  commit_slot,
    // The front of its tag leaves the order.
    input  wire                      leave,
    input  wire [$clog2(SLOTS)-1:0]  leave_slot,
    // No longer in use.
    input  wire [SLOTS-1:0]          release_,

    output logic [SLOTS-1:0]         used,
    output logic [SLOTS-1:0]         queued,     // complete, in an order
    output logic [SLOTS-1:0]         front       // complete and not behind others of the tag
);

    localparam int unsigned SLOT  = $clog2(SLOTS);
    localparam int unsigned AHEAD = $clog2(SLOTS);

    logic [SLOTS*TAG-1:0]   tags;
    logic [SLOTS*AHEAD-1:0] ahead;  // complete ones of the same tag before it

    // Orders change a cycle after commit and leave, both alike.
    logic                   entering, leaving;
    logic [SLOT-1:0]        entering_slot, leaving_slot;
    logic [TAG-1:0]         entering_tag, leaving_tag, commit_tag, leave_tag;
    logic [AHEAD-1:0]       earlier;

    always_comb begin : query
        logic [SLOT:0] count;
        count = '0;
        for (int unsigned i = 0; i < SLOTS; i++) begin
            same[i] = used[i] && tags[i*TAG +: TAG] == query_tag;
            count      = count + (SLOT + 1)'(same[i]);
            front[i]   = queued[i] && ahead[i*AHEAD +: AHEAD] == 0;
        end
        query_room = 32'(count) < LIMIT;
        query_none = count == 0;
    end

    first_set #(.N(SLOTS)) first_free (.marked(~used), .place(free_slot));
    assign free_valid = !(&used);

    // Simulation skips what nobody asks for.
    always_comb begin
        commit_tag = 'x;
        if (commit) begin
            commit_tag = '0;
            for (int unsigned i = 0; i < SLOTS; i++)
                commit_tag = commit_tag | (commit_slot == SLOT'(i) ? tags[i*TAG +: TAG] : '0);
        end
    end

    always_comb begin
        leave_tag = 'x;
        if (leave) begin
            leave_tag = '0;
            for (int unsigned i = 0; i < SLOTS; i++)
                leave_tag = leave_tag | (leave_slot == SLOT'(i) ? tags[i*TAG +: TAG] : '0);
        end
    end

    always_comb begin
        earlier = 'x;
        if (entering) begin
            earlier = '0;
            for (int unsigned i = 0; i < SLOTS; i++)
                earlier = earlier + AHEAD'(queued[i] && tags[i*TAG +: TAG] == entering_tag);
        end
    end

    // What changes of all slots.
    logic [SLOTS-1:0] opened, entered, left;
    assign opened  = open ? SLOTS'(1) << free_slot : '0;
    assign entered = entering ? SLOTS'(1) << entering_slot : '0;
    assign left    = leave ? SLOTS'(1) << leave_slot : '0;

    always_ff @(posedge clk) begin
        if (rst) begin
            used     <= '0;
            queued   <= '0;
            entering <= 1'b0;
            leaving  <= 1'b0;
        end else begin
            used     <= (used | opened) & ~forget & ~release_;
            queued   <= (queued | entered) & ~forget & ~left;
            entering <= commit && !forget[commit_slot];
            leaving  <= leave;
        end
        if (open) for (int unsigned i = 0; i < SLOTS; i++) if (free_slot == SLOT'(i)) tags[i*TAG +: TAG] <= query_tag;
        if (commit) begin
            entering_slot <= commit_slot;
            entering_tag  <= commit_tag;
        end
        if (leave) begin
            leaving_slot <= leave_slot;
            leaving_tag  <= leave_tag;
        end
        if (entering || leaving)
            for (int unsigned i = 0; i < SLOTS; i++)
                if (entering && entering_slot == SLOT'(i)) ahead[i*AHEAD +: AHEAD] <= earlier;
                else if (leaving && queued[i] && leaving_slot != SLOT'(i) && tags[i*TAG +: TAG] == leaving_tag)
                    ahead[i*AHEAD +: AHEAD] <= ahead[i*AHEAD +: AHEAD] - 1'b1;
    end

endmodule

`default_nettype wire
