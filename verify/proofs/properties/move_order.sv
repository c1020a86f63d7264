`default_nettype none

// Any move is looked at.
module proof (
    input wire       clk,
    input wire       rst,
    input wire       clear,
    input wire       freeze,
    input wire       push,
    input wire       without_slices,
    input wire       dispatched,
    input wire       retired
);

    localparam DEPTH = cclo_pkg::MOVE_QUEUE_DEPTH;
    localparam MOST  = 3; // slices under way

    wire completed, drained, empty, started, retired_last;

    move_order dut (.*);

    begins beginning (.*);

    // Slices under way, oldest first: whether one is the last of its move. A move
    // that was cut has had all its slices dispatched.
    reg  [1:0]      count;
    reg  [MOST-1:0] lasts;
    wire            last = dispatched && push;
    assign retired_last  = lasts[0];
    always @(posedge clk) begin
        count <= count + dispatched - retired;
        lasts <= (retired ? lasts >> 1 : lasts) | (dispatched && last ? MOST'(1) << (count - retired) : MOST'(0));
        if (rst) {count, lasts} <= 0;
    end

    // Moves that have not completed, oldest first.
    reg  [3:0]        moves;
    reg  [DEPTH-1:0]  bare;
    reg  [DEPTH-1:0]  done;    // its last slice has retired
    reg  [3:0]        first_open;
    integer i;
    always @* begin
        first_open = DEPTH;
        for (i = DEPTH - 1; i >= 0; i = i - 1)
            if (i < moves && !bare[i] && !done[i]) first_open = i;
    end
    wire [DEPTH-1:0] done_now = done
        | (retired && retired_last && first_open < DEPTH ? DEPTH'(1) << first_open : DEPTH'(0));
    wire [3:0]       behind   = moves - completed;
    always @(posedge clk) begin
        moves <= behind + push;
        bare  <= (completed ? bare >> 1 : bare) & ~({DEPTH{1'b1}} << behind)
            | (push && without_slices ? DEPTH'(1) << behind : DEPTH'(0));
        done  <= (completed ? done_now >> 1 : done_now) & ~({DEPTH{1'b1}} << behind);
        if (rst || clear) {moves, bare, done} <= 0;
    end

    reg cleared;
    always @(posedge clk) cleared <= clear && !rst;

    always @* begin
        if (count == MOST) assume (!dispatched);
        if (count == 0) assume (!retired);
        if (moves == DEPTH) assume (!push);
        if (push) assume (without_slices == !dispatched);   // the last slice goes with the end of the move
        // A queue that has failed starts nothing until its slices are gone.
        if (clear || cleared && count != 0) assume (clear && !push && !dispatched);
        if (started && !rst) begin
            completes_the_oldest: assert (completed == (moves != 0 && (bare[0] || done[0]) && !freeze));
            says_drained: assert (drained == (count == 0));
            says_empty: assert (empty == (moves == 0 && count == 0));
            waits_its_turn: cover (moves == 2 && bare[1] && !done[0] && !bare[0]);
            goes_on_after: cover (completed && done[0] && bare[1]);
            held_back: cover (moves == 3 && freeze && done[0] && done[1]);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire [DEPTH-1:0] \dut.bare ;
    (* hierconn *) wire [1:0]       \dut.moves ;
    (* hierconn *) wire [1:0]       \dut.ended ;
    (* hierconn *) wire [7:0]       \dut.slices ;
    // Moves whose last slice is under way, and those whose has retired.
    wire [DEPTH-1:0] some   = ~({DEPTH{1'b1}} << moves);
    wire [DEPTH-1:0] open   = some & ~bare & ~done;
    wire [3:0]       opened = open[0] + open[1] + open[2];
    wire [3:0]       ends   = lasts[0] + lasts[1] + lasts[2];
    wire [3:0]       over   = done[0] + done[1] + done[2];
    always @* if (started && !rst) begin
        assert (count <= MOST && \dut.slices == count && (lasts & ~({MOST{1'b1}} << count)) == lasts);
        assert (moves <= DEPTH && \dut.moves == moves && \dut.bare == bare && \dut.ended == over);
        assert (((bare | done) & ~some) == 0 && (bare & done) == 0);
        if (done[1]) assert (!open[0]);
        if (done[2]) assert (!open[0] && !open[1]);
        if (!cleared) assert (opened == ends);
        if (cleared) assert (moves == 0);
    end
`endif

endmodule

`default_nettype wire
