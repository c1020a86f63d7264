`default_nettype none

module proof (
    input wire       clk,
    input wire       rst,
    input wire [1:0] key,
    input wire [1:0] dispatched,
    input wire       commits,
    input wire       ends,
    input wire [1:0] retired,
    input wire       retired_good,
    input wire [1:0] restart,
    input wire [1:0] abandon,
    input wire       packet_abandon_ready
);

    localparam QUEUES = 2;
    localparam MOST   = 3; // slices of a queue under way

    wire [QUEUES-1:0] taken, elsewhere, abandon_done;
    wire              packet_abandon_valid, packet_abandon_self, started;
    wire [15:0]       packet_abandon_session;
    wire [2*move_pkg::KEY_WIDTH-1:0] keys = {16'd0, key[1], 16'd0, key[0]};

    session_owners dut (.*);

    begins beginning (.*);

    // Slices of each queue, oldest first: whether one ends a message that was
    // begun before, and whether one has failed since the queue was restarted.
    reg  [1:0]        open, open_key;    // a message is begun and its end has not retired well
    reg  [MOST-1:0]   marks_0, marks_1;  // slices that end it
    reg  [1:0]        count_0, count_1, failed;
    wire [1:0]        commit = commits ? dispatched : 2'b00;
    wire [1:0]        left   = packet_abandon_valid && packet_abandon_ready ? (abandon[0] && open[0] ? 2'b01 : 2'b10) : 2'b00;
    wire [1:0]        begun  = ends ? 2'b00 : commit;
    wire [1:0]        ended  = ends ? commit & open & ~elsewhere : 2'b00;
    wire [1:0]        closed = {marks_1[0], marks_0[0]} & retired & ~failed & {2{retired_good}};

    // At place n of a queue that loses its first.
    function [MOST-1:0] moved(input [MOST-1:0] marks, input [1:0] count, input push, input pop, input mark);
        reg [MOST-1:0] rest;
        begin
            rest  = pop ? marks >> 1 : marks;
            moved = push ? rest | MOST'(mark) << (count - pop) : rest;
        end
    endfunction

    integer q;
    always @(posedge clk) begin
        count_0 <= count_0 + dispatched[0] - retired[0];
        count_1 <= count_1 + dispatched[1] - retired[1];
        // The latest end counts; none does when the message goes on or is given up.
        marks_0 <= moved(begun[0] || ended[0] || left[0] ? 0 : marks_0, count_0, dispatched[0], retired[0], ended[0]);
        marks_1 <= moved(begun[1] || ended[1] || left[1] ? 0 : marks_1, count_1, dispatched[1], retired[1], ended[1]);
        for (q = 0; q < QUEUES; q = q + 1) begin
            if (closed[q] || left[q]) open[q] <= 1'b0;
            if (begun[q] || ended[q]) open[q] <= 1'b1;
            if (begun[q]) open_key[q] <= key[q];
            if (retired[q] && !retired_good) failed[q] <= 1'b1;
            else if (restart[q]) failed[q] <= 1'b0;
        end
        if (rst) {open, marks_0, marks_1, count_0, count_1, failed} <= 0;
    end

    // What the dispatcher keeps to: one slice at a time, none that commits to a
    // session that is taken, none of a queue that gives up its message.
    always @* begin
        assume (dispatched != 2'b11 && retired != 2'b11);
        if (count_0 == MOST) assume (!dispatched[0]);
        if (count_1 == MOST) assume (!dispatched[1]);
        if (count_0 == 0) assume (!retired[0]);
        if (count_1 == 0) assume (!retired[1]);
        assume ((commit & taken) == 0);
        if (!ends) assume ((commit & elsewhere) == 0);
        assume ((dispatched & abandon) == 0);
        if (started && !rst) begin
            taken_by_the_other: assert (taken == {open[0] && open_key[0] == key[1], open[1] && open_key[1] == key[0]});
            has_another: assert (elsewhere == {open[1] && open_key[1] != key[1], open[0] && open_key[0] != key[0]});
            one_message_of_a_session: assert (open != 2'b11 || open_key[0] != open_key[1]);
            gives_up_what_is_open: assert (packet_abandon_valid == ((abandon & open) != 0));
            done_when_none_is_open: assert (abandon_done == (abandon & ~open));
            if (packet_abandon_valid) names_the_session: assert ({packet_abandon_self, packet_abandon_session} == open_key[abandon[0] && open[0] ? 0 : 1]);
            closes: cover (closed[0]);
            gives_up: cover (left[1]);
            goes_on: cover (begun[0] && open[0] && marks_0 != 0);
            one_after_the_other: cover (closed[0] && commit[1]);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire [1:0]  \dut.owns ;
    (* hierconn *) wire [1:0]  \dut.closing ;
    (* hierconn *) wire [1:0]  \dut.faulty ;
    (* hierconn *) wire [33:0] \dut.owned ;
    (* hierconn *) wire [15:0] \dut.slices ;
    (* hierconn *) wire [15:0] \dut.until_closed ;
    wire [7:0] until_0 = \dut.until_closed [7:0];
    wire [7:0] until_1 = \dut.until_closed [15:8];
    always @* if (started && !rst) begin
        assert (\dut.slices == {6'd0, count_1, 6'd0, count_0} && count_0 <= MOST && count_1 <= MOST);
        assert (open == \dut.owns && failed == \dut.faulty );
        if (open[0]) assert (\dut.owned [16:0] == open_key[0]);
        if (open[1]) assert (\dut.owned [33:17] == open_key[1]);
        assert (\dut.closing [0] == (marks_0 != 0) && \dut.closing [1] == (marks_1 != 0));
        if (marks_0 != 0) assert (until_0 != 0 && until_0 <= count_0 && marks_0 == 1 << (until_0 - 1));
        if (marks_1 != 0) assert (until_1 != 0 && until_1 <= count_1 && marks_1 == 1 << (until_1 - 1));
        if (!open[0]) assert (marks_0 == 0);
        if (!open[1]) assert (marks_1 == 0);
    end
`endif

endmodule

`default_nettype wire
