// Which slots are in use, by what sessions, and in what order the complete ones
// of a session go on. A tag stands for the session. Free slots are given in any
// order. What leaves the order no longer holds up those behind it, but its slot
// stays in use until it is released. A complete packet knows the next one of its
// tag: the last one is looked for when another enters, and nothing when one leaves.
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
    // Those behind which nothing is left by that: all that stay of the same tags.
    input  wire [SLOTS-1:0]          cut,

    // What a tag has that is asked about: its slots a cycle later, whether it may
    // have another one two cycles later. A slot that is opened meanwhile may be missing.
    input  wire                      query,
    input  wire [TAG-1:0]            query_tag,
    output logic [SLOTS-1:0]         same,
    output logic                     query_room, // less than the limit
    output logic                     query_none, // none

    // A free slot, chosen a cycle ahead: there is none in the cycle after another was taken.
    // Few: while it is there, no tag can be at its limit.
    output logic                     free_valid,
    output logic                     few,
    output logic [$clog2(SLOTS)-1:0] free_slot,
    input  wire                      open,       // the free slot is taken by a tag
    input  wire [TAG-1:0]            open_tag,

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

    localparam int unsigned SLOT = $clog2(SLOTS);

    logic [SLOTS*TAG-1:0] tags;
    logic [TAG-1:0]       tag_of [SLOTS]; // the same, of one at a time
    logic [SLOTS-1:0]     ends;           // no complete one is behind it
    logic [SLOT-1:0]      next [SLOTS];   // of those that are no end

    // Orders change a cycle after commit and leave.
    logic                 entering, leaving, follows, counting;
    logic [SLOT-1:0]      entering_slot, leaving_slot, former, free;
    logic [TAG-1:0]       entering_tag;
    logic [SLOTS-1:0]     last; // of the tag that enters: one at most
    logic [SLOT:0]        count;

    // Simulation skips what nobody asks for.
    always_comb begin
        last   = '0;
        former = '0;
        if (entering)
            for (int unsigned i = 0; i < SLOTS; i++) begin
                last[i] = queued[i] && ends[i] && tags[i*TAG +: TAG] == entering_tag;
                former  = former | (last[i] ? SLOT'(i) : '0);
            end
    end

    always_comb begin
        count = 'x;
        if (counting) begin
            count = '0;
            for (int unsigned i = 0; i < SLOTS; i++) count = count + (SLOT + 1)'(same[i]);
        end
    end

    first_set #(.N(SLOTS)) first_free (.marked(~used), .place(free));

    // What changes of all slots.
    logic [SLOTS-1:0] opened, entered, left, behind;
    function automatic logic [SLOTS-1:0] one(input logic [SLOT-1:0] slot);
        for (int unsigned i = 0; i < SLOTS; i++) one[i] = slot == SLOT'(i);
    endfunction

    assign follows = last != '0;
    assign opened  = open ? one(free_slot) : '0;
    assign entered = entering ? one(entering_slot) : '0;
    assign left    = leave ? one(leave_slot) : '0;
    assign behind  = leaving && !ends[leaving_slot] ? one(next[leaving_slot]) : '0;

    always_ff @(posedge clk) begin
        if (rst) begin
            used       <= '0;
            queued     <= '0;
            entering   <= 1'b0;
            leaving    <= 1'b0;
            free_valid <= 1'b0;
        end else begin
            used       <= (used | opened) & ~forget & ~release_;
            queued     <= (queued | entered) & ~forget & ~left;
            entering   <= commit && !forget[commit_slot];
            leaving    <= leave;
            free_valid <= !open && !(&used);
        end
        front         <= (front | behind | (follows ? '0 : entered)) & ~forget & ~left & {SLOTS{!rst}};
        ends          <= ends & ~last | entered | cut;
        free_slot     <= free;
        few           <= used >> (LIMIT - 1) == '0; // lower slots are taken first
        entering_slot <= commit_slot;
        entering_tag  <= tag_of[commit_slot];
        leaving_slot  <= leave_slot;
        counting      <= query;
        if (follows) next[former] <= entering_slot;
        if (open) begin
            tag_of[free_slot] <= open_tag;
            for (int unsigned i = 0; i < SLOTS; i++) if (opened[i]) tags[i*TAG +: TAG] <= open_tag;
        end
        if (query) for (int unsigned i = 0; i < SLOTS; i++) same[i] <= used[i] && tags[i*TAG +: TAG] == query_tag;
        if (counting) begin
            query_room <= 32'(count) < LIMIT;
            query_none <= count == 0;
        end
    end

endmodule

`default_nettype wire
