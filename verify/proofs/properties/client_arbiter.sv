`default_nettype none

module proof (
    input wire        clk,
    input wire        rst,
    input wire [1:0]  call_valid,
    input wire [4:0]  call_bits_0,
    input wire [4:0]  call_bits_1,
    input wire [1:0]  answer_ready,
    input wire        cmd_ready,
    input wire        ack_valid,
    input wire [4:0]  ack_bits
);

    localparam LIMIT  = 2;
    localparam WORDS  = cclo_pkg::CALL_WORDS;
    localparam NUMBER = cclo_pkg::CALL_HEAD_CLIENT_LOW;
    localparam BITS   = cclo_pkg::CALL_HEAD_CLIENT_WIDTH;
    localparam ANSWER = cclo_pkg::CALL_ANSWER_CLIENT_LOW;

    // The number of a client, and one bit that stands for all the others.
    wire [31:0] call_data_0 = 32'(call_bits_0[0]) | 32'(call_bits_0[4:1]) << NUMBER;
    wire [31:0] call_data_1 = 32'(call_bits_1[0]) | 32'(call_bits_1[4:1]) << NUMBER;
    wire [31:0] ack_data    = 32'(ack_bits[0]) | 32'(ack_bits[4:1]) << ANSWER;
    wire [1:0]  call_ready, answer_valid;
    wire [31:0] answer_data_0, answer_data_1, cmd_data;
    wire        cmd_valid, ack_ready;

    // The block registers its reset.
    reg        reset;
    reg  [1:0] since = 0;
    initial    reset = 1'b1;
    always @(posedge clk) begin
        reset <= rst;
        since <= since == 2 ? 2 : since + 1'b1;
    end
    wire started = since == 2;
    always @* if (since == 0) assume (rst);

    client_arbiter #(.LIMIT(LIMIT)) dut (
        .ap_clk(clk), .ap_rst_n(!rst),
        .cmd_clients_0_tvalid(call_valid[0]), .cmd_clients_0_tready(call_ready[0]), .cmd_clients_0_tdata(call_data_0),
        .ack_clients_0_tvalid(answer_valid[0]), .ack_clients_0_tready(answer_ready[0]),
        .ack_clients_0_tdata(answer_data_0),
        .cmd_clients_1_tvalid(call_valid[1]), .cmd_clients_1_tready(call_ready[1]), .cmd_clients_1_tdata(call_data_1),
        .ack_clients_1_tvalid(answer_valid[1]), .ack_clients_1_tready(answer_ready[1]),
        .ack_clients_1_tdata(answer_data_1),
        .cmd_cclo_tvalid(cmd_valid), .cmd_cclo_tready(cmd_ready), .cmd_cclo_tdata(cmd_data),
        .ack_cclo_tvalid(ack_valid), .ack_cclo_tready(ack_ready), .ack_cclo_tdata(ack_data)
    );

    stays_outside #(.WIDTH(32)) calls_0 (
        .clk, .rst(reset), .valid(call_valid[0]), .ready(call_ready[0]), .data(call_data_0)
    );
    stays_outside #(.WIDTH(32)) calls_1 (
        .clk, .rst(reset), .valid(call_valid[1]), .ready(call_ready[1]), .data(call_data_1)
    );
    stays #(.WIDTH(32)) cmd (.clk, .rst(reset), .valid(cmd_valid), .ready(cmd_ready), .data(cmd_data));
    stays #(.WIDTH(32)) answers_0 (
        .clk, .rst(reset), .valid(answer_valid[0]), .ready(answer_ready[0]), .data(answer_data_0)
    );
    stays #(.WIDTH(32)) answers_1 (
        .clk, .rst(reset), .valid(answer_valid[1]), .ready(answer_ready[1]), .data(answer_data_1)
    );

    // Calls: who is inside one, and what goes on of each word.
    wire [1:0]  takes = call_valid & call_ready;
    wire        whose = takes[1];
    reg  [3:0]  word;
    reg         caller;
    reg  [31:0] passed_on;
    wire        ends = takes != 0 && word == WORDS - 1;

    always @* begin
        passed_on = whose ? call_data_1 : call_data_0;
        if (word == cclo_pkg::CALL_SCENARIO_WORD) passed_on[NUMBER +: BITS] = {passed_on[NUMBER +: BITS-1], whose};
    end

    wire [2:0]  inside, ahead;
    wire        watched;
    wire [31:0] data;
    in_order #(.WIDTH(32), .CAPACITY(2), .COUNT(3)) words (
        .clk, .rst(reset || !started), .push(takes != 0), .in_data(passed_on),
        .pop(cmd_valid && cmd_ready), .out_data(cmd_data),
        .inside, .watched, .ahead, .data
    );

    // The engine answers calls that it has: each once.
    reg  [3:0] open_0, open_1;   // calls without an answer of the engine
    reg  [3:0] held_0, held_1;   // answers that a client has not taken
    wire       to   = ack_data[ANSWER];
    wire       acks = ack_valid && ack_ready;
    wire [1:0] gone = answer_valid & answer_ready;
    always @* if (ack_valid) assume ((to ? open_1 : open_0) != 0);

    reg [31:0] routed;
    always @* begin
        routed                  = ack_data;
        routed[ANSWER +: BITS] = {1'b0, ack_data[ANSWER+1 +: BITS-1]};
    end

    // How many calls of the other one begin while one waits that may go.
    (* anyconst *) wire who;
    reg  [1:0] passed_over;
    wire [1:0] room = {open_1 + held_1 < LIMIT, open_0 + held_0 < LIMIT};
    wire       begins = takes != 0 && word == 0;

    always @(posedge clk) begin
        if (takes != 0) word <= ends ? 0 : word + 1'b1;
        if (takes != 0) caller <= whose;
        open_0 <= open_0 + (ends && !whose) - (acks && !to);
        open_1 <= open_1 + (ends && whose) - (acks && to);
        held_0 <= held_0 + (acks && !to) - gone[0];
        held_1 <= held_1 + (acks && to) - gone[1];
        if (!call_valid[who] || !room[who] || takes[who]) passed_over <= 0;
        else if (begins) passed_over <= passed_over + 1'b1;
        if (reset || !started) begin
            word        <= 0;
            passed_over <= 0;
            {open_0, open_1, held_0, held_1} <= 0;
        end
    end

    // Answers of one of the clients; the other's are the same.
    wire [2:0]  inside_a, ahead_a;
    wire        watched_a;
    wire [31:0] data_a;
    in_order #(.WIDTH(32), .CAPACITY(LIMIT), .COUNT(3)) answers (
        .clk, .rst(reset || !started), .push(acks && to == who), .in_data(routed), .pop(gone[who]),
        .out_data(who ? answer_data_1 : answer_data_0),
        .inside(inside_a), .watched(watched_a), .ahead(ahead_a), .data(data_a)
    );

    always @* if (started && !reset) begin
        one_at_a_time: assert (takes != 2'b11);
        if (takes != 0 && word != 0) whole_calls: assert (whose == caller);
        limit_0: assert (open_0 + held_0 <= LIMIT);
        limit_1: assert (open_1 + held_1 <= LIMIT);
        one_other_at_most: assert (passed_over <= 1);
        answers_never_wait: assert (ack_ready);
        has_answer_0: assert (answer_valid[0] == (held_0 != 0));
        has_answer_1: assert (answer_valid[1] == (held_1 != 0));
        takes_turns: cover (passed_over == 1 && takes[who]);
        gets_full: cover (open_0 == LIMIT && open_1 == 1);
    end

`ifdef INVARIANTS
    (* hierconn *) wire        \dut.owned ;
    (* hierconn *) wire        \dut.owner ;
    (* hierconn *) wire        \dut.last_owner ;
    (* hierconn *) wire [3:0]  \dut.passed ;
    (* hierconn *) wire [1:0]  \dut.open_0 ;
    (* hierconn *) wire [1:0]  \dut.open_1 ;
    (* hierconn *) wire        \dut.calls.spare_full ;
    (* hierconn *) wire [31:0] \dut.calls.narrow.spare ;
    (* hierconn *) wire [1:0]  \dut.answers_0.count ;
    (* hierconn *) wire [1:0]  \dut.answers_1.count ;
    (* hierconn *) wire        \dut.answers_0.head ;
    (* hierconn *) wire        \dut.answers_1.head ;
    (* hierconn *) wire        \dut.answers_0.tail ;
    (* hierconn *) wire        \dut.answers_1.tail ;
    (* hierconn *) wire [31:0] \dut.answers_0.memory[0] ;
    (* hierconn *) wire [31:0] \dut.answers_0.memory[1] ;
    (* hierconn *) wire [31:0] \dut.answers_1.memory[0] ;
    (* hierconn *) wire [31:0] \dut.answers_1.memory[1] ;
    wire [63:0] kept = who ? {\dut.answers_1.memory[1] , \dut.answers_1.memory[0] }
        : {\dut.answers_0.memory[1] , \dut.answers_0.memory[0] };
    (* hierconn *) wire \dut.rst ;
    always @* assert (since <= 2);
    always @* if (!started) assert (reset);
    always @* if (since != 0) assert (\dut.rst == reset);
    wire        at   = ahead_a[0] ^ (who ? \dut.answers_1.head : \dut.answers_0.head );
    always @* if (started && !reset) begin
        assert (word == \dut.passed && word < WORDS);
        if (word != 0) assert (\dut.owned && \dut.owner == caller);
        if (\dut.owned && word == 0) assert (call_valid[\dut.owner ] && room[\dut.owner ]);
        if (\dut.owned ) assert (room[\dut.owner ]);
        assert (\dut.open_0 == open_0 + held_0 && \dut.open_1 == open_1 + held_1);
        assert (\dut.answers_0.count == held_0 && \dut.answers_1.count == held_1);
        assert (\dut.answers_0.tail == \dut.answers_0.head ^ held_0[0]);
        assert (\dut.answers_1.tail == \dut.answers_1.head ^ held_1[0]);
        assert (inside_a == (who ? held_1 : held_0));
        if (watched_a) assert (kept[32*at +: 32] == data_a);
        assert (inside == cmd_valid + \dut.calls.spare_full );
        assert (cmd_valid || !\dut.calls.spare_full );
        if (watched && ahead == 0) assert (cmd_data == data);
        if (watched && ahead == 1) assert (\dut.calls.narrow.spare == data);
        if (passed_over == 1 && \dut.owned && \dut.owner != who) assert (word != 0);
        if (passed_over == 1 && !\dut.owned ) assert (\dut.last_owner != who);
    end
`endif

endmodule

`default_nettype wire
