`default_nettype none

module proof (
    input wire       clk,
    input wire       rst,
    input wire       ar_valid,
    input wire       ar_memory,
    input wire [1:0] ar_taken,
    input wire       r_ready,
    input wire [1:0] back_valid,
    input wire [1:0] back_last,
    input wire [1:0] back_word
);

    localparam OUTSTANDING = 3;

    wire         ar_ready, r_valid, started;
    wire [511:0] r_data;
    wire [1:0]   r_response, asks, back_ready;

    dma_read_switch #(.OUTSTANDING(OUTSTANDING)) dut (
        .clk, .rst, .ar_valid, .ar_ready, .ar_memory, .r_valid, .r_ready, .r_data, .r_response,
        .ar0_valid(asks[0]), .ar0_ready(ar_taken[0]),
        .r0_valid(back_valid[0]), .r0_ready(back_ready[0]), .r0_data({511'd0, back_word[0]}),
        .r0_response({1'b0, back_word[0]}), .r0_last(back_last[0]),
        .ar1_valid(asks[1]), .ar1_ready(ar_taken[1]),
        .r1_valid(back_valid[1]), .r1_ready(back_ready[1]), .r1_data({511'd0, back_word[1]}),
        .r1_response({1'b1, back_word[1]}), .r1_last(back_last[1])
    );

    begins beginning (.*);
    stays_outside ar (.clk, .rst, .valid(ar_valid), .ready(ar_ready), .data(ar_memory));
    stays_outside #(.WIDTH(2)) back_0 (
        .clk, .rst, .valid(back_valid[0]), .ready(back_ready[0]), .data({back_last[0], back_word[0]})
    );
    stays_outside #(.WIDTH(2)) back_1 (
        .clk, .rst, .valid(back_valid[1]), .ready(back_ready[1]), .data({back_last[1], back_word[1]})
    );
    stays asks_0 (.clk, .rst, .valid(asks[0]), .ready(ar_taken[0]), .data(1'b0));
    stays asks_1 (.clk, .rst, .valid(asks[1]), .ready(ar_taken[1]), .data(1'b0));
    stays #(.WIDTH(3)) r (.clk, .rst, .valid(r_valid), .ready(r_ready), .data({r_response, r_data[0]}));

    // Bursts that memories owe, in the order of their addresses.
    wire       takes = ar_valid && ar_ready;
    wire [1:0] gives = back_valid & back_ready;
    wire       from  = r_response[1];
    wire       ends  = r_valid && r_ready && back_last[from];
    wire [2:0] inside, ahead;
    wire       watched, data;
    in_order #(.WIDTH(1), .CAPACITY(OUTSTANDING), .COUNT(3)) bursts (
        .clk, .rst, .push(takes), .in_data(ar_memory), .pop(ends), .out_data(from), .inside, .watched, .ahead, .data
    );
    wire [1:0] asked = asks & ar_taken;

    always @* if (started && !rst) begin
        asks_one: assert (asked == (takes ? 2'b01 << ar_memory : 2'b00));
        gives_one: assert (gives == (r_valid && r_ready ? 2'b01 << from : 2'b00));
        if (r_valid) of_a_burst: assert (inside != 0);
        if (r_valid && watched && ahead == 0) in_the_order_of_addresses: assert (from == data);
        if (r_valid)
            unchanged:
                assert (back_valid[from] && r_response[0] == back_word[from] && r_data == {511'd0, back_word[from]});
        if (ar_valid && ar_taken[ar_memory] && inside < OUTSTANDING) room_is_used: assert (ar_ready);
        if (inside == OUTSTANDING) room_is_kept: assert (asks == 0 && !ar_ready);
        gets_full: cover (inside == OUTSTANDING);
        other_memory_waits: cover (r_valid && back_valid == 2'b11);
    end

`ifdef INVARIANTS
    (* hierconn *) wire [1:0] \dut.order.count ;
    (* hierconn *) wire [1:0] \dut.order.head ;
    (* hierconn *) wire [1:0] \dut.order.tail ;
    (* hierconn *) wire       \dut.order.memory[0] ;
    (* hierconn *) wire       \dut.order.memory[1] ;
    (* hierconn *) wire       \dut.order.memory[2] ;
    wire [3:0] behind = \dut.order.head + inside;
    wire [3:0] at     = \dut.order.head + ahead;
    wire [1:0] place  = at >= OUTSTANDING ? at - OUTSTANDING : at;
    wire       there  = place == 0 ? \dut.order.memory[0] : place == 1 ? \dut.order.memory[1] : \dut.order.memory[2] ;
    always @* if (started && !rst) begin
        assert (inside == \dut.order.count );
        assert (\dut.order.head < OUTSTANDING && \dut.order.tail < OUTSTANDING);
        assert (\dut.order.tail == (behind >= OUTSTANDING ? behind - OUTSTANDING : behind));
        if (watched) assert (there == data);
    end
`endif

endmodule

`default_nettype wire
