`default_nettype none

// Any two slots are looked at.
module proof (
    input wire       clk,
    input wire       rst,
    input wire       reset,
    input wire       close,
    input wire       close_tag,
    input wire [3:0] known,
    input wire       query,
    input wire       query_tag,
    input wire       open,
    input wire       open_tag,
    input wire       commit,
    input wire [1:0] commit_slot,
    input wire       leave,
    input wire [1:0] leave_slot,
    input wire [3:0] release_
);

    localparam SLOTS = 4;
    localparam LIMIT = 3;

    wire [SLOTS-1:0] forget, cut;
    wire             query_room, query_none, free_valid, few, started;
    wire [SLOTS-1:0] same, used, queued, front;
    wire [1:0]       free_slot;

    packet_table #(.SLOTS(SLOTS), .TAG(1), .LIMIT(LIMIT)) dut (.*);

    begins beginning (.*);

    // What the slots were told: taken by a tag, complete, out of its order.
    reg  [SLOTS-1:0] taken, tags, complete, out;
    wire [SLOTS-1:0] opens   = open ? 4'd1 << free_slot : 4'd0;
    wire [SLOTS-1:0] commits = commit ? 4'd1 << commit_slot : 4'd0;
    wire [SLOTS-1:0] leaves  = leave ? 4'd1 << leave_slot : 4'd0;
    always @(posedge clk) begin
        taken    <= (taken | opens) & ~forget & ~release_;
        tags     <= tags & ~opens | opens & {SLOTS{open_tag}};
        complete <= (complete | commits) & ~opens & ~forget;
        out      <= (out | leaves) & ~opens;
        if (rst) {taken, complete, out} <= 0;
    end

    // On a reset all are forgotten but those that somebody was asked to send, on
    // the end of a session those of these that are in its order.
    wire [SLOTS-1:0] its = taken & (close_tag ? tags : ~tags);
    assign forget = reset ? taken & ~known & ~out : close ? its & queued & ~known : 4'd0;
    assign cut    = reset ? 4'hF : close ? its : 4'd0;

    // Whether was asked in the last two cycles, and what the tags had then; whether there
    // was a slot.
    reg [1:0]       asked;
    reg [SLOTS-1:0] had_1, had_2;
    reg             some;
    wire [2:0]      all = taken[0] + taken[1] + taken[2] + taken[3];
    wire [2:0]      had = had_2[0] + had_2[1] + had_2[2] + had_2[3];
    always @(posedge clk) begin
        asked <= rst ? 0 : {asked[0], query};
        had_1 <= taken & (query_tag ? tags : ~tags);
        had_2 <= had_1;
        some  <= !rst && !open && taken != 4'hF;
    end

    // Who of two came first.
    (* anyconst *) wire [1:0] one, other;
    reg one_first;
    always @(posedge clk) begin
        if (commit && commit_slot == one) one_first <= !complete[other] || out[other] || forget[other] || leaves[other];
        if (commit && commit_slot == other) one_first <= 1'b1;
    end

    // What users of the table keep to.
    wire [SLOTS-1:0] waits = complete & ~out;
    reg              committed;
    always @(posedge clk) committed <= commit;
    always @* begin
        assume (one != other);
        if (open) assume (free_valid);
        if (commit) assume (taken[commit_slot] && !complete[commit_slot]);
        if (leave) assume (front[leave_slot] && queued[leave_slot] && !out[leave_slot]);
        assume ((release_ & ~taken) == 0 && (release_ & complete & ~out) == 0 && (release_ & commits) == 0);
        // Asked for are those at the front.
        assume ((known & ~front) == 0);
        if (leave) assume (known[leave_slot]);
        if (reset || close) assume (!open);
        if (committed) assume (!close); // it is not in its order yet
        if (!started) assume (!reset && !close);
    end

    // A slot that is the only one of its tag to wait is at the front soon.
    reg [1:0] alone;
    wire only = waits[one] && (waits & (tags[one] ? tags : ~tags)) == 4'd1 << one;
    always @(posedge clk) alone <= rst || !only ? 0 : alone == 3 ? 3 : alone + 1'b1;

    always @* if (started && !rst) begin
        knows_who_is_taken: assert (used == taken);
        if (free_valid) gives_free_ones: assert (!taken[free_slot]);
        if (free_valid && few) room_for_all: assert (all < LIMIT);
        if (some) gives_one_if_there_is: assert (free_valid);
        if (asked[0]) knows_whose: assert (same == had_1);
        if (asked[1]) counts: assert (query_room == (had < LIMIT) && query_none == (had == 0));
        only_complete_ones: assert ((front & ~waits) == 0 && (queued & ~waits) == 0);
        if (front[one] && front[other]) one_front_of_a_tag: assert (tags[one] != tags[other]);
        if (waits[one] && waits[other] && tags[one] == tags[other] && one_first) in_order: assert (!front[other]);
        if (alone == 3 && only) comes_to_the_front: assert (front[one]);
        second_leaves: cover (leave && leave_slot == other && out[one] && taken[one] && tags[one] == tags[other]);
    end

`ifdef INVARIANTS
    (* hierconn *) wire [SLOTS-1:0]   \dut.tags ;
    (* hierconn *) wire [SLOTS-1:0]   \dut.ends ;
    (* hierconn *) wire [1:0]         \dut.next[0] ;
    (* hierconn *) wire [1:0]         \dut.next[1] ;
    (* hierconn *) wire [1:0]         \dut.next[2] ;
    (* hierconn *) wire [1:0]         \dut.next[3] ;
    (* hierconn *) wire               \dut.tag_of[0] ;
    (* hierconn *) wire               \dut.tag_of[1] ;
    (* hierconn *) wire               \dut.tag_of[2] ;
    (* hierconn *) wire               \dut.tag_of[3] ;
    (* hierconn *) wire               \dut.counting ;
    (* hierconn *) wire               \dut.entering ;
    (* hierconn *) wire               \dut.leaving ;
    (* hierconn *) wire [1:0]         \dut.entering_slot ;
    (* hierconn *) wire [1:0]         \dut.leaving_slot ;
    (* hierconn *) wire               \dut.entering_tag ;

    // Of any two that wait, which one was complete first: earlier[4*i + j], i was.
    // Those that leave count until the others are told.
    reg  [SLOTS*SLOTS-1:0] earlier;
    wire [SLOTS-1:0]       stay   = waits & ~forget & ~leaves;
    wire [SLOTS-1:0]       going  = \dut.leaving ? 4'd1 << \dut.leaving_slot : 4'd0;
    wire [SLOTS-1:0]       coming = \dut.entering ? 4'd1 << \dut.entering_slot : 4'd0;
    wire [2*SLOTS-1:0]     next   = {\dut.next[3] , \dut.next[2] , \dut.next[1] , \dut.next[0] };
    wire [SLOTS-1:0]       tag_of = {\dut.tag_of[3] , \dut.tag_of[2] , \dut.tag_of[1] , \dut.tag_of[0] };
    genvar i, j, k;
    generate for (i = 0; i < SLOTS; i = i + 1) begin : orders
        wire [SLOTS-1:0] before_it, behind_it;
        wire [1:0]       next_ = next[2*i +: 2];
        for (j = 0; j < SLOTS; j = j + 1) begin : others
            assign before_it[j] = i != j && (queued[j] || going[j]) && tags[j] == tags[i] && earlier[4*j + i];
            assign behind_it[j] = i != j && queued[j] && tags[j] == tags[i] && earlier[4*i + j];
            for (k = 0; k < SLOTS; k = k + 1) begin : chains
                if (i != j && j != k && k != i) begin : of_three
                    always @* if (started && !rst && waits[i] && waits[j] && waits[k] && earlier[4*i + j]
                        && earlier[4*j + k]) assert (earlier[4*i + k]);
                    // Nothing comes between one and the next.
                    always @* if (started && !rst && (queued[i] || going[i]) && !\dut.ends [i] && next_ == k
                        && behind_it[j]) assert (!earlier[4*j + k]);
                end
            end
            always @(posedge clk) begin
                if (commit && commit_slot == i) earlier[4*j + i] <= i != j && stay[j];
                else if (commit && commit_slot == j) earlier[4*j + i] <= 1'b0;
            end
            if (i < j) begin : pairs
                always @* if (started && !rst && waits[i] && waits[j]) assert (earlier[4*i + j] != earlier[4*j + i]);
            end
        end
        always @* if (started && !rst) begin
            assert (front[i] == (queued[i] && before_it == 0));
            if (queued[i] || going[i])
                assert (\dut.ends [i] == (behind_it == 0) && (\dut.ends [i] || behind_it[next_]));
            if (taken[i]) assert (tag_of[i] == tags[i]);
            if (coming[i]) assert (\dut.entering_tag == tags[i] && (waits & earlier[4*i +: 4]) == 0);
            if (going[i])
                assert (taken[i] && (queued & (tags[i] ? tags : ~tags) & ~earlier[4*i +: 4]) == 0);
        end
    end endgenerate
    always @* if (started && !rst) begin
        assert (queued == (waits & ~coming) && (coming & ~waits) == 0);
        assert ((going & ~out) == 0 && (waits & ~taken) == 0 && (out & taken & ~complete) == 0);
        assert (\dut.tags == tags || ((\dut.tags ^ tags) & taken) == 0);
        if (\dut.entering ) assert (committed);
        if (waits[one] && waits[other]) assert (one_first == earlier[4*one + other]);
        if (alone != 0 && waits[one])
            assert (!(\dut.leaving && tags[\dut.leaving_slot ] == tags[one]) && !coming[one]);
        if (asked[0]) assert (\dut.counting );
    end
`endif

endmodule

`default_nettype wire
