`default_nettype none

// Any two slots are looked at.
module proof (
    input wire       clk,
    input wire       rst,
    input wire       reset,
    input wire       close,
    input wire [3:0] known,
    input wire       query_tag,
    input wire       open,
    input wire       commit,
    input wire [1:0] commit_slot,
    input wire       leave,
    input wire [1:0] leave_slot,
    input wire [3:0] release_
);

    localparam SLOTS = 4;
    localparam LIMIT = 3;

    wire [SLOTS-1:0] forget;
    wire             query_room, query_none, free_valid, started;
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
        tags     <= tags & ~opens | opens & {SLOTS{query_tag}};
        complete <= (complete | commits) & ~opens & ~forget;
        out      <= (out | leaves) & ~opens;
        if (rst) {taken, complete, out} <= 0;
    end

    // On a reset all are forgotten but those that somebody was asked to send, on
    // the end of a session those of these that are in its order.
    assign forget = reset ? taken & ~known & ~out : close ? same & queued & ~known : 4'd0;

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
        if (open) assume (free_valid && query_room);
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

    wire [2:0] of_tag = (taken[0] && tags[0] == query_tag) + (taken[1] && tags[1] == query_tag) + (taken[2] && tags[2] == query_tag) + (taken[3] && tags[3] == query_tag);

    always @* if (started && !rst) begin
        knows_who_is_taken: assert (used == taken);
        gives_free_ones: assert (free_valid == (taken != 4'hF) && (!free_valid || !taken[free_slot]));
        knows_whose: assert (same == (taken & (query_tag ? tags : ~tags)));
        counts: assert (query_room == (of_tag < LIMIT) && query_none == (of_tag == 0));
        only_complete_ones: assert ((front & ~waits) == 0 && (queued & ~waits) == 0);
        if (front[one] && front[other]) one_front_of_a_tag: assert (tags[one] != tags[other]);
        if (waits[one] && waits[other] && tags[one] == tags[other] && one_first) in_order: assert (!front[other]);
        if (alone == 3 && only) comes_to_the_front: assert (front[one]);
        second_leaves: cover (leave && leave_slot == other && out[one] && taken[one] && tags[one] == tags[other]);
    end

endmodule

`default_nettype wire
