`default_nettype none

module proof (
    input wire       clk,
    input wire       rst,
    input wire [3:0] request,
    input wire       advance
);

    localparam N = 4;

    wire         started;
    wire [N-1:0] grant;
    wire [1:0]   index;
    (* anyconst *) wire [1:0] who;

    round_robin #(.N(N)) dut (.*);

    begins beginning (.*);

    // How often others were granted while somebody went on asking.
    reg [2:0] passed_over;
    always @(posedge clk)
        if (rst || !request[who] || advance && grant[who]) passed_over <= 0;
        else if (advance) passed_over <= passed_over + 1'b1;

    always @* if (started) begin
        one_at_most: assert ((grant & (grant - 1'b1)) == 0);
        only_who_asks: assert ((grant & ~request) == 0);
        one_if_any_asks: assert ((grant != 0) == (request != 0));
        if (grant != 0) index_says_who: assert (grant[index]);
        bounded_wait: assert (passed_over < N);
        waits_longest: cover (passed_over == N - 1 && advance && grant[who]);
    end

`ifdef INVARIANTS
    (* hierconn *) wire [N-1:0] \dut.behind ;
    wire [N-1:0] others = ~\dut.behind ;
    wire [N-1:0] next   = others + 1'b1;
    reg  [1:0] last;
    wire [1:0] before = who - last - 2'd1; // those who come before
    integer i;
    always @* begin
        last = N - 1;
        for (i = N - 1; i > 0; i = i - 1) if (\dut.behind [i]) last = i - 1;
    end
    always @* if (started) begin
        assert (others[0] && (others & next) == 0);
        assert (passed_over + before < N);
    end
`endif

endmodule

`default_nettype wire
