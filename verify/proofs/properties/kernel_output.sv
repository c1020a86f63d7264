`default_nettype none

// Moves and messages to the stream are told by their data; any one of both is
// looked at.
module proof (
    input wire       clk,
    input wire       rst,
    input wire       move_valid,
    input wire       move_last,
    input wire       move_mark,
    input wire [1:0] move_dest,
    input wire       put_valid,
    input wire       put_last,
    input wire       put_mark,
    input wire [1:0] put_dest,
    input wire       out_ready
);

    localparam ROOM = 2;

    wire       move_ready, put_ready, busy, out_valid, out_last, started;
    wire [1:0] out_data, out_keep;
    wire [7:0] out_dest;
    wire [8:0] put_room;
    (* anyconst *) wire from;  // the messages

    kernel_output #(.PUT_BEATS(ROOM)) dut (
        .clk, .rst,
        .move_tvalid(move_valid), .move_tready(move_ready), .move_tdata({1'b0, move_mark}),
        .move_tkeep({1'b1, move_mark}), .move_tlast(move_last), .move_tdest({6'd0, move_dest}),
        .put_valid, .put_ready, .put_data({1'b1, put_mark}),
        .put_keep({1'b1, put_mark}), .put_last, .put_tdest({6'd0, put_dest}),
        .put_room, .busy,
        .out_tvalid(out_valid), .out_tready(out_ready), .out_tdata(out_data),
        .out_tkeep(out_keep), .out_tlast(out_last), .out_tdest(out_dest)
    );

    begins beginning (.*);
    stays_outside #(.WIDTH(4)) moves (
        .clk, .rst, .valid(move_valid), .ready(move_ready), .data({move_last, move_mark, move_dest})
    );
    stays #(.WIDTH(13)) out (
        .clk, .rst, .valid(out_valid), .ready(out_ready), .data({out_last, out_data, out_keep, out_dest})
    );

    wire       puts  = put_valid && put_ready;
    wire       takes = move_valid && move_ready;
    wire       pop   = out_valid && out_ready && out_data[1] == from;
    wire [2:0] inside, ahead;
    wire       watched;
    wire [3:0] data;
    in_order #(.WIDTH(4), .CAPACITY(ROOM + 2), .COUNT(3)) beats (
        .clk, .rst, .push(from ? puts : takes),
        .in_data(from ? {put_last, put_mark, put_dest} : {move_last, move_mark, move_dest}),
        .pop, .out_data({out_last, out_data[0], out_dest[1:0]}), .inside, .watched, .ahead, .data
    );

    // Beats of messages that wait, and whose turn it is: theirs behind one of them
    // that was not the last of its packet, and behind the last one of a move's.
    (* hierconn *) wire \dut.queued_valid ;
    (* hierconn *) wire \dut.queued_ready ;
    wire       joins = \dut.queued_valid && \dut.queued_ready ;
    reg  [1:0] waits;
    reg        lasts_0, lasts_1, turn;
    reg  [2:0] total;
    always @(posedge clk) begin
        waits <= waits + puts - joins;
        total <= total + puts + takes - (out_valid && out_ready);
        if (joins) lasts_0 <= lasts_1;
        if (puts && waits == joins) lasts_0 <= put_last;
        else if (puts) lasts_1 <= put_last;
        if (joins) turn <= !lasts_0;
        else if (takes) turn <= move_last;
        if (rst) {waits, total, turn} <= 0;
    end
    reg left;
    always @(posedge clk) left <= out_ready || rst;

    always @* if (started && !rst) begin
        one_of_both: assert (!takes || !joins);
        if (joins) only_what_waits: assert (waits != 0);
        if (takes && turn) divides_no_message: assert (waits == 0);
        if (joins && !turn) divides_no_move: assert (!move_valid);
        if (left && waits != 0) goes_on: assert (takes || joins);
        if (left && move_valid) takes_a_turn: assert (takes || joins);
        tells_its_room: assert (put_room == ROOM - waits && put_ready == (waits != ROOM));
        tells_that_it_is_busy: assert (busy == (waits != 0 || out_valid));
        shows_what_it_has: assert (out_valid == (total != waits));
        if (out_valid) keep_and_dest: assert (out_keep == {1'b1, out_data[0]} && out_dest[7:2] == 0);
        divides: cover (takes && turn && !move_last);
        comes_in_turn:
            cover (pop && out_last && watched && ahead == 0 && data[2:0] == 5 && waits == ROOM && !out_data[1]);
    end

`ifdef INVARIANTS
    localparam BEAT = 13;
    (* hierconn *) wire            \dut.put_turn ;
    (* hierconn *) wire [1:0]      \dut.puts.count ;
    (* hierconn *) wire            \dut.puts.head ;
    (* hierconn *) wire            \dut.puts.tail ;
    (* hierconn *) wire [BEAT-1:0] \dut.puts.memory[0] ;
    (* hierconn *) wire [BEAT-1:0] \dut.puts.memory[1] ;
    (* hierconn *) wire            \dut.register.spare_full ;
    (* hierconn *) wire [BEAT-1:0] \dut.register.narrow.spare ;

    // Where beats are, from the output on: destination, last, keep, data.
    wire [BEAT-1:0] beat_0 = {out_dest, out_last, out_keep, out_data};
    wire [BEAT-1:0] beat_1 = \dut.register.narrow.spare ;
    wire [BEAT-1:0] beat_2 = \dut.puts.head ? \dut.puts.memory[1] : \dut.puts.memory[0] ;
    wire [BEAT-1:0] beat_3 = \dut.puts.head ? \dut.puts.memory[0] : \dut.puts.memory[1] ;
    wire [3:0]      there  = {waits == 2, waits != 0, \dut.register.spare_full , out_valid};
    wire [3:0]      mine   = there & {from, from, beat_1[1] == from, beat_0[1] == from};
    wire [2:0]      upto_0 = mine[0];
    wire [2:0]      upto_1 = upto_0 + mine[1];
    wire [2:0]      upto_2 = upto_1 + mine[2];
    wire [51:0]     all    = {beat_3, beat_2, beat_1, beat_0};
    integer k;
    always @* if (started && !rst) begin
        for (k = 0; k < 4; k = k + 1)
            if (there[k])
                assert (all[BEAT*k + 3] && all[BEAT*k + 2] == all[BEAT*k]
                    && all[BEAT*k + 7 +: 6] == 0 && (k < 2 || all[BEAT*k + 1]));
        assert (turn == \dut.put_turn && waits == \dut.puts.count
            && waits <= ROOM && \dut.puts.tail == \dut.puts.head ^ waits[0]);
        if (there[2]) assert (lasts_0 == beat_2[4]);
        if (there[3]) assert (lasts_1 == beat_3[4]);
        assert (total == there[0] + there[1] + waits && (there[0] || !there[1]));
        assert (inside == upto_2 + mine[3]);
        if (left) assert (!there[1]);
        if (watched && mine[0] && ahead == 0) assert ({beat_0[4], beat_0[0], beat_0[6:5]} == data);
        if (watched && mine[1] && ahead == upto_0) assert ({beat_1[4], beat_1[0], beat_1[6:5]} == data);
        if (watched && mine[2] && ahead == upto_1) assert ({beat_2[4], beat_2[0], beat_2[6:5]} == data);
        if (watched && mine[3] && ahead == upto_2) assert ({beat_3[4], beat_3[0], beat_3[6:5]} == data);
    end
`endif

endmodule

`default_nettype wire
