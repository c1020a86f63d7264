`default_nettype none

module proof (
    input wire       clk,
    input wire       rst,
    input wire [3:0] key,
    input wire [1:0] dispatched,
    input wire       commits,
    input wire       ends,
    input wire [1:0] retired,
    input wire       retired_good,
    input wire [1:0] restart,
    input wire [1:0] abandon,
    input wire       packet_abandon_ready
);

    localparam QUEUES   = 2;
    localparam SESSIONS = 4;
    localparam PLACES   = 2; // sessions that a queue may have
    localparam MOST     = 3; // slices of a queue under way
    localparam PAIRS    = QUEUES * SESSIONS;

    wire [QUEUES-1:0] taken, elsewhere, abandon_done;
    wire              packet_abandon_valid, packet_abandon_self, started;
    wire [15:0]       packet_abandon_session;
    wire [2*move_pkg::KEY_WIDTH-1:0] keys = {key[3], 15'd0, key[2], key[1], 15'd0, key[0]};

    session_owners dut (.*);

    begins beginning (.*);

    // Slices of each queue: how many there are, and whether one has failed since
    // the queue was restarted.
    reg  [1:0]            count_0, count_1, failed;

    // By queue and session.
    reg  [PAIRS-1:0]      open;  // a message is begun and its end has not retired well
    reg  [PAIRS*MOST-1:0] marks; // slices that end it, oldest first
    wire [PAIRS-1:0]      sends  = {4'd1 << key[3:2], 4'd1 << key[1:0]};
    wire [1:0]            commit = commits ? dispatched : 2'b00;
    wire [PAIRS-1:0]      going  = sends & {{SESSIONS{commit[1]}}, {SESSIONS{commit[0]}}};
    wire [PAIRS-1:0]      begun  = ends ? 0 : going;
    wire [PAIRS-1:0]      ended  = ends ? going & open : 0;
    wire [PAIRS-1:0]      giving = open & {{SESSIONS{abandon[1]}}, {SESSIONS{abandon[0]}}};
    wire [PAIRS-1:0]      named  = PAIRS'(1) << {giving[3:0] == 0, packet_abandon_self, packet_abandon_session[0]};
    wire [PAIRS-1:0]      left   = packet_abandon_valid && packet_abandon_ready ? named : 0;
    reg  [PAIRS-1:0]      closed;

    // At place n of a queue that loses its first.
    function [MOST-1:0] moved(input [MOST-1:0] marks, input [1:0] count, input push, input pop, input mark);
        reg [MOST-1:0] rest;
        begin
            rest  = pop ? marks >> 1 : marks;
            moved = push ? rest | MOST'(mark) << (count - pop) : rest;
        end
    endfunction

    integer i;
    always @* for (i = 0; i < PAIRS; i = i + 1)
        closed[i] = marks[MOST*i] && retired[i/SESSIONS] && retired_good && !failed[i/SESSIONS];

    always @(posedge clk) begin
        count_0 <= count_0 + dispatched[0] - retired[0];
        count_1 <= count_1 + dispatched[1] - retired[1];
        failed  <= failed & ~restart | (retired_good ? 2'b00 : retired);
        open    <= open & ~closed & ~left | begun | ended;
        // The latest end counts; none does when the message goes on or is given up.
        for (i = 0; i < PAIRS; i = i + 1)
            marks[MOST*i +: MOST] <= moved(begun[i] || ended[i] || left[i] ? 0 : marks[MOST*i +: MOST],
                i < SESSIONS ? count_0 : count_1, dispatched[i/SESSIONS], retired[i/SESSIONS], ended[i]);
        if (rst) {open, marks, count_0, count_1, failed} <= 0;
    end

    function [2:0] number(input [SESSIONS-1:0] sessions);
        number = 3'd0 + sessions[0] + sessions[1] + sessions[2] + sessions[3];
    endfunction

    // Three sessions are enough. What the dispatcher keeps to: one slice at a time, none that commits to a
    // session that is taken, none of a queue that gives up its messages.
    always @* begin
        assume (key[1:0] != 2'd3 && key[3:2] != 2'd3);
        assume (dispatched != 2'b11 && retired != 2'b11);
        if (count_0 == MOST) assume (!dispatched[0]);
        if (count_1 == MOST) assume (!dispatched[1]);
        if (count_0 == 0) assume (!retired[0]);
        if (count_1 == 0) assume (!retired[1]);
        assume ((commit & taken) == 0);
        if (!ends) assume ((commit & elsewhere) == 0);
        assume ((dispatched & abandon) == 0);
        if (started && !rst) begin
            taken_by_the_other: assert (taken == {(open[3:0] & sends[7:4]) != 0, (open[7:4] & sends[3:0]) != 0});
            has_enough_others:
                assert (elsewhere
                    == {
                        number(open[7:4]) == PLACES && (open[7:4] & sends[7:4]) == 0,
                        number(open[3:0]) == PLACES && (open[3:0] & sends[3:0]) == 0
                    });
            one_message_of_a_session: assert ((open[7:4] & open[3:0]) == 0);
            gives_up_what_is_open: assert (packet_abandon_valid == (giving != 0));
            done_when_none_is_open: assert (abandon_done == (abandon & ~{open[7:4] != 0, open[3:0] != 0}));
            if (packet_abandon_valid)
                names_the_session: assert ((named & giving) != 0 && packet_abandon_session[15:1] == 0);
            closes: cover (closed[0]);
            gives_up: cover (left[5]);
            gives_up_two: cover (giving == 8'b11);
            goes_on: cover (begun[0] && open[0] && marks[0 +: MOST] != 0);
            one_after_the_other: cover (closed[0] && commit[1]);
            begins_while_another_ends: cover (begun[1] && marks[0 +: MOST] != 0);
            two_end: cover (marks[0 +: MOST] != 0 && marks[MOST +: MOST] != 0 && elsewhere[0]);
        end
    end

`ifdef INVARIANTS
    localparam KEY = move_pkg::KEY_WIDTH;

    (* hierconn *) wire [QUEUES*PLACES-1:0]     \dut.owns ;
    (* hierconn *) wire [QUEUES*PLACES-1:0]     \dut.closing ;
    (* hierconn *) wire [1:0]                   \dut.faulty ;
    (* hierconn *) wire [QUEUES*PLACES*KEY-1:0] \dut.owned ;
    (* hierconn *) wire [15:0]                  \dut.slices ;
    (* hierconn *) wire [QUEUES*PLACES*8-1:0]   \dut.until_closed ;
    wire [QUEUES*PLACES-1:0]     owns    = \dut.owns ;
    wire [QUEUES*PLACES-1:0]     closing = \dut.closing ;
    wire [QUEUES*PLACES*KEY-1:0] owned   = \dut.owned ;
    wire [QUEUES*PLACES*8-1:0]   until   = \dut.until_closed ;

    integer    n;
    reg  [2:0] pair;
    reg  [MOST-1:0] mark;
    always @* if (started && !rst) begin
        assert (\dut.slices == {6'd0, count_1, 6'd0, count_0} && count_0 <= MOST && count_1 <= MOST);
        assert (failed == \dut.faulty && !open[3] && !open[7]);
        assert (number(open[3:0]) == number({2'b00, owns[1:0]}));
        assert (number(open[7:4]) == number({2'b00, owns[3:2]}));
        if (owns[0] && owns[1]) assert (owned[0 +: KEY] != owned[KEY +: KEY]);
        if (owns[2] && owns[3]) assert (owned[2*KEY +: KEY] != owned[3*KEY +: KEY]);
        for (n = 0; n < QUEUES * PLACES; n = n + 1) begin
            pair = {n >= PLACES, owned[KEY*n+KEY-1], owned[KEY*n]};
            mark = marks[MOST*pair +: MOST];
            if (owns[n]) assert (owned[KEY*n+1 +: KEY-2] == 0 && open[pair] && closing[n] == (mark != 0));
            else assert (!closing[n]);
            if (closing[n])
                assert (until[8*n +: 8] != 0 && until[8*n +: 8] <= (n < PLACES ? count_0 : count_1)
                    && mark == 1 << (until[8*n +: 8] - 1));
        end
        for (n = 0; n < PAIRS; n = n + 1) if (!open[n]) assert (marks[MOST*n +: MOST] == 0);
    end
`endif

endmodule

`default_nettype wire
