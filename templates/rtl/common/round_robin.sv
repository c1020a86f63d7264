// Grants one of several requests. After an advance the one behind the granted
// one has the first claim.
`default_nettype none

module round_robin #(
    parameter int unsigned N = 2 // requests
) (
    input  wire                              clk,
    input  wire                              rst,

    input  wire [N-1:0]                      request,
    input  wire                              advance,
    output logic [N-1:0]                     grant,
    output logic [(N > 1 ? $clog2(N) : 1)-1:0] index
);

    localparam int unsigned INDEX = N > 1 ? $clog2(N) : 1;

    logic [N-1:0] behind;    // all that come after who was granted before
    logic [N-1:0] later;     // the first request of those, and all after it
    logic [N-1:0] reached;   // the granted one, and all after it

    // A request, and all after it.
    function automatic logic [N-1:0] after(input logic [N-1:0] of);
        after = of;
        for (int unsigned by = 1; by < N; by = 2 * by) after = after | (after << by);
    endfunction

    assign later   = after(request & behind);
    assign reached = later[N-1] ? later : after(request);
    assign grant   = reached & ~(reached << 1);

    always_comb begin
        index = '0;
        for (int unsigned i = 0; i < N; i++) if (grant[i]) index = index | INDEX'(i); // of one at most
    end

    always_ff @(posedge clk) begin
        if (rst) behind <= '0;
        else if (advance && |request) behind <= reached << 1;
    end

endmodule

`default_nettype wire
