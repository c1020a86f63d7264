`default_nettype none

module proof (
    input wire       clk,
    input wire       rst,
    input wire       aw_valid,
    input wire       aw_memory,
    input wire [1:0] aw_taken,
    input wire       w_valid,
    input wire       w_last,
    input wire [1:0] w_taken,
    input wire       b_ready,
    input wire [1:0] back_valid,
    input wire [1:0] back_word
);

    localparam OUTSTANDING = 3;

    wire       aw_ready, w_ready, b_valid, started;
    wire [1:0] b_response, asks, gives, back_ready;

    dma_write_switch #(.OUTSTANDING(OUTSTANDING)) dut (
        .clk, .rst, .aw_valid, .aw_ready, .aw_memory, .w_valid, .w_ready, .w_last, .b_valid, .b_ready, .b_response,
        .aw0_valid(asks[0]), .aw0_ready(aw_taken[0]), .w0_valid(gives[0]), .w0_ready(w_taken[0]),
        .b0_valid(back_valid[0]), .b0_ready(back_ready[0]), .b0_response({1'b0, back_word[0]}),
        .aw1_valid(asks[1]), .aw1_ready(aw_taken[1]), .w1_valid(gives[1]), .w1_ready(w_taken[1]),
        .b1_valid(back_valid[1]), .b1_ready(back_ready[1]), .b1_response({1'b1, back_word[1]})
    );

    begins beginning (.*);
    stays_outside aw (.clk, .rst, .valid(aw_valid), .ready(aw_ready), .data(aw_memory));
    stays_outside w (.clk, .rst, .valid(w_valid), .ready(w_ready), .data(w_last));
    stays_outside back_0 (.clk, .rst, .valid(back_valid[0]), .ready(back_ready[0]), .data(back_word[0]));
    stays_outside back_1 (.clk, .rst, .valid(back_valid[1]), .ready(back_ready[1]), .data(back_word[1]));
    stays asks_0 (.clk, .rst, .valid(asks[0]), .ready(aw_taken[0]), .data(1'b0));
    stays asks_1 (.clk, .rst, .valid(asks[1]), .ready(aw_taken[1]), .data(1'b0));
    stays gives_0 (.clk, .rst, .valid(gives[0]), .ready(w_taken[0]), .data(1'b0));
    stays gives_1 (.clk, .rst, .valid(gives[1]), .ready(w_taken[1]), .data(1'b0));
    stays #(.WIDTH(2)) b (.clk, .rst, .valid(b_valid), .ready(b_ready), .data(b_response));

    wire       takes     = aw_valid && aw_ready;
    wire [1:0] asked     = asks & aw_taken;
    wire [1:0] given     = gives & w_taken;
    wire [1:0] answered  = back_valid & back_ready;
    wire       data_ends = w_valid && w_ready && w_last;
    wire       settled   = b_valid && b_ready;

    // Bursts whose data were not taken, and those without a response.
    wire [2:0] owed, owed_ahead, open, open_ahead;
    wire       owed_watched, owed_to, open_watched, open_from;
    in_order #(.WIDTH(1), .CAPACITY(OUTSTANDING), .COUNT(3)) bursts (
        .clk, .rst, .push(takes), .in_data(aw_memory), .pop(data_ends), .out_data(gives[1]),
        .inside(owed), .watched(owed_watched), .ahead(owed_ahead), .data(owed_to)
    );
    in_order #(.WIDTH(1), .CAPACITY(OUTSTANDING), .COUNT(3)) responses (
        .clk, .rst, .push(takes), .in_data(aw_memory), .pop(settled), .out_data(b_response[1]),
        .inside(open), .watched(open_watched), .ahead(open_ahead), .data(open_from)
    );

    always @* if (started && !rst) begin
        asks_one: assert (asked == (takes ? 2'b01 << aw_memory : 2'b00));
        gives_one_at_most: assert (gives != 2'b11 && (given != 0) == (w_valid && w_ready));
        if (gives != 0) after_its_address: assert (owed != 0);
        if (gives != 0 && owed_watched && owed_ahead == 0) data_in_order: assert (gives[1] == owed_to);
        if (b_valid)
            of_a_burst: assert (open != 0 && back_valid[b_response[1]] && b_response[0] == back_word[b_response[1]]);
        if (b_valid && open_watched && open_ahead == 0) responses_in_order: assert (b_response[1] == open_from);
        answers_one: assert (answered == (settled ? 2'b01 << b_response[1] : 2'b00));
        if (w_valid && owed != 0) data_go_on: assert (gives != 0);
        if (aw_valid && aw_taken[aw_memory] && owed < OUTSTANDING && open < OUTSTANDING)
            room_is_used: assert (aw_ready);
        gets_full: cover (open == OUTSTANDING);
        other_memory_waits: cover (settled && back_valid == 2'b11 && b_response[1]);
    end

`ifdef INVARIANTS
    (* hierconn *) wire [1:0] \dut.data_order.count ;
    (* hierconn *) wire [1:0] \dut.data_order.head ;
    (* hierconn *) wire [1:0] \dut.data_order.tail ;
    (* hierconn *) wire       \dut.data_order.memory[0] ;
    (* hierconn *) wire       \dut.data_order.memory[1] ;
    (* hierconn *) wire       \dut.data_order.memory[2] ;
    (* hierconn *) wire [1:0] \dut.answer_order.count ;
    (* hierconn *) wire [1:0] \dut.answer_order.head ;
    (* hierconn *) wire [1:0] \dut.answer_order.tail ;
    (* hierconn *) wire       \dut.answer_order.memory[0] ;
    (* hierconn *) wire       \dut.answer_order.memory[1] ;
    (* hierconn *) wire       \dut.answer_order.memory[2] ;
    wire [3:0] behind_1 = \dut.data_order.head + owed;
    wire [3:0] at_1     = \dut.data_order.head + owed_ahead;
    wire [1:0] place_1  = at_1 >= OUTSTANDING ? at_1 - OUTSTANDING : at_1;
    wire       there_1  = place_1 == 0 ? \dut.data_order.memory[0]
        : place_1 == 1 ? \dut.data_order.memory[1] : \dut.data_order.memory[2] ;
    wire [3:0] behind_2 = \dut.answer_order.head + open;
    wire [3:0] at_2     = \dut.answer_order.head + open_ahead;
    wire [1:0] place_2  = at_2 >= OUTSTANDING ? at_2 - OUTSTANDING : at_2;
    wire       there_2  = place_2 == 0 ? \dut.answer_order.memory[0]
        : place_2 == 1 ? \dut.answer_order.memory[1] : \dut.answer_order.memory[2] ;
    always @* if (started && !rst) begin
        assert (owed == \dut.data_order.count && open == \dut.answer_order.count );
        assert (\dut.data_order.head < OUTSTANDING && \dut.data_order.tail < OUTSTANDING);
        assert (\dut.answer_order.head < OUTSTANDING && \dut.answer_order.tail < OUTSTANDING);
        assert (\dut.data_order.tail == (behind_1 >= OUTSTANDING ? behind_1 - OUTSTANDING : behind_1));
        assert (\dut.answer_order.tail == (behind_2 >= OUTSTANDING ? behind_2 - OUTSTANDING : behind_2));
        if (owed_watched) assert (there_1 == owed_to);
        if (open_watched) assert (there_2 == open_from);
    end
`endif

endmodule

`default_nettype wire
