`default_nettype none

module proof (
    input wire       clk,
    input wire       rst,
    input wire       ask,
    input wire       word,
    input wire       mark,
    input wire       out_ready,
    input wire       answer
);

    localparam MOST = 3; // taken and not answered

    wire       started, out_valid, counts;
    wire [1:0] out_data;

    // One request at most is watched: bit 1 of its data says which.
    reg        marked, taken, latest, value;
    reg  [3:0] unanswered, ahead;
    wire       marks = ask && mark && !marked;
    wire       takes = out_valid && out_ready;

    latest_request #(.WIDTH(2)) dut (
        .clk, .rst, .ask, .ask_data({marks, word}), .out_valid, .out_ready, .out_data, .answer, .counts
    );

    begins beginning (.*);
    stays #(.WIDTH(2)) out (.clk, .rst, .valid(out_valid), .ready(out_ready), .data(out_data));

    // Answers come in the order of requests. What comes before a request was taken
    // is no answer to it.
    reg answered;
    always @(posedge clk) begin
        unanswered <= unanswered + takes - (answer && unanswered != 0);
        if (marks) begin
            marked <= 1'b1;
            value  <= word;
        end
        if (ask) latest <= marks;
        if (takes && out_data[1]) begin
            taken <= 1'b1;
            ahead <= unanswered - (answer && unanswered != 0);
        end else if (taken && answer) begin
            ahead    <= ahead - 1'b1;
            if (ahead == 0) answered <= 1'b1;
        end
        if (rst) begin
            {marked, taken, latest, answered} <= 0;
            unanswered                        <= 0;
        end
    end

    // The latest request comes to the output when that is free.
    reg due;
    always @(posedge clk) due <= latest && !taken && !out_valid && unanswered < MOST && !ask && !rst;

    wire counting = marked && latest && !ask && !answered;
    always @* if (started) begin
        if (out_valid && out_data[1]) unchanged: assert (marked && !taken && out_data[0] == value);
        no_more_than_it_counts: assert (unanswered <= MOST);
        if (counting) counts_if_latest: assert (counts == (answer && taken && ahead == 0));
        if (counts)
            only_once_and_only_latest:
                assert (answer && unanswered == 1 && !ask && !(latest && answered)
                    && !(marked && !latest && taken && !answered));
        if (due) is_passed_on: assert (out_valid && out_data[1]);
        comes_through: cover (counts && latest);
        gets_full: cover (unanswered == MOST);
        is_replaced: cover (marked && !latest && !taken && takes && !out_data[1]);
    end

`ifdef INVARIANTS
    (* hierconn *) wire       \dut.waiting ;
    (* hierconn *) wire [1:0] \dut.waiting_data ;
    (* hierconn *) wire [1:0] \dut.taken ;
    wire at_output = out_valid && out_data[1];
    wire waits     = \dut.waiting && \dut.waiting_data [1];
    always @* if (started) begin
        assert (unanswered == \dut.taken );
        assert (!out_valid || unanswered < MOST);
        if (!marked) assert (!taken && !latest && !at_output && !waits && !answered);
        if (waits) assert (marked && !taken && !at_output && \dut.waiting_data [0] == value && latest);
        if (latest && !taken && !at_output) assert (waits);
        if (latest && (taken || at_output)) assert (!\dut.waiting );
        if (latest && taken) assert (!out_valid);
        if (latest && taken && !answered) assert (ahead + 1'b1 == unanswered);
        if (taken && !answered) assert (ahead < unanswered);
        if (latest && answered) assert (unanswered == 0);
        if (answered) assert (taken);
        if (marked && !latest && at_output) assert (\dut.waiting );
        if (marked && !latest && taken && !answered) assert (\dut.waiting || out_valid || ahead + 1'b1 < unanswered);
    end
`endif

endmodule

`default_nettype wire
