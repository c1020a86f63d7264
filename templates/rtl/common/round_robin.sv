// Grants one of several requests. After an advance the one behind the granted
// one has the first claim.
`default_nettype none

module round_robin #(
    parameter int unsigned N = 2
) (
    input  wire                              clk,
    input  wire                              rst,

    input  wire [N-1:0]                      request,
    input  wire                              advance,
    output logic [N-1:0]                     grant,
    output logic [(N > 1 ? $clog2(N) : 1)-1:0] index
);

    localparam int unsigned INDEX = N > 1 ? $clog2(N) : 1;

    logic [N-1:0] last;     // one-hot: who was granted before
    logic [N-1:0] behind;   // all that come after it
    logic [N-1:0] preferred;

    assign behind    = ~((last - 1'b1) | last);
    assign preferred = |(request & behind) ? request & behind : request;
    assign grant     = preferred & (~preferred + 1'b1);

    always_comb begin
        index = '0;
        for (int unsigned i = 0; i < N; i++) if (grant[i]) index = INDEX'(i);
    end

    always_ff @(posedge clk) begin
        if (rst) last <= N'(1) << (N - 1);
        else if (advance && |request) last <= grant;
    end

endmodule

`default_nettype wire
