`default_nettype none

module proof (
    input wire       clk,
    input wire       rst,
    input wire [1:0] wants,
    input wire [31:0] address_0,
    input wire [31:0] address_1,
    input wire       done
);

    engine_pkg::exchange_request_t  first_request, second_request, exchange_request;
    engine_pkg::exchange_response_t first_response, second_response, exchange_response;
    wire                            started;
    (* anyconst *) wire             who;

    // The address stands for all of a request: the block does not look at them.
    always @* begin
        first_request           = 0;
        second_request          = 0;
        exchange_response       = 0;
        first_request.valid     = wants[0];
        first_request.address   = address_0;
        second_request.valid    = wants[1];
        second_request.address  = address_1;
        exchange_response.done  = done;
        exchange_response.rdata = address_0 ^ address_1;
    end

    exchange_share dut (.*);

    wire [1:0] answered = {second_response.done, first_response.done};

    begins beginning (.*);
    stays_outside #(.WIDTH(32)) first (.clk, .rst, .valid(wants[0]), .ready(answered[0]), .data(address_0));
    stays_outside #(.WIDTH(32)) second (.clk, .rst, .valid(wants[1]), .ready(answered[1]), .data(address_1));
    stays #(.WIDTH(32)) out (.clk, .rst, .valid(exchange_request.valid), .ready(done), .data(exchange_request.address));

    // Answers for others while somebody waits.
    reg passed_over;
    always @(posedge clk)
        if (rst || !wants[who] || answered[who]) passed_over <= 1'b0;
        else if (answered[!who]) passed_over <= 1'b1;

    always @* begin
        if (done && !exchange_request.valid) assume (0);
        if (started) begin
            asks_if_any_asks: assert (exchange_request.valid == (wants != 0));
            answers_one: assert (answered != 2'b11 && (answered != 0) == done);
            answers_who_asked: assert ((answered & ~wants) == 0);
            if (answered[0]) first_was_asked: assert (exchange_request.address == address_0);
            if (answered[1]) second_was_asked: assert (exchange_request.address == address_1);
            if (answered[0]) first_gets_the_data: assert (first_response.rdata == exchange_response.rdata);
            if (answered[1]) second_gets_the_data: assert (second_response.rdata == exchange_response.rdata);
            if (passed_over) one_other_at_most: assert (!answered[!who]);
            both_go: cover (passed_over && answered[who]);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire \dut.holding ;
    (* hierconn *) wire \dut.owner ;
    always @* if (started) begin
        if (\dut.holding ) assert (wants[\dut.owner ]);
        if (passed_over && !\dut.holding ) assert (\dut.owner == !who);
        if (passed_over && \dut.holding ) assert (\dut.owner == who);
    end
`endif

endmodule

`default_nettype wire
