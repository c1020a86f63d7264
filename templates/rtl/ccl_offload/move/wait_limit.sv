// Limits how long a move waits: for remote ranks in milliseconds, for the
// kernel stream in cycles. Each wait is limited anew.
`default_nettype none

module wait_limit (
    input  wire         clk,
    input  wire         rst,
    input  wire         tick_millisecond,
    input  wire [31:0]  limit_cycles,
    input  wire [31:0]  remote_milliseconds,

    input  wire         waits,
    input  wire [1:0]   what,     // it waits for
    input  wire         for_kernel,
    output logic        expired
);

    logic [31:0] count;
    logic [1:0]  waited; // for, in the cycle before

    always_ff @(posedge clk) begin
        waited  <= what;
        expired <= 1'b0;
        if (rst || !waits || waited != what) begin
            count <= '0;
        end else begin
            if (for_kernel || tick_millisecond) count <= count + 32'(count != '1);
            // A millisecond has begun when it is counted.
            expired <= for_kernel ? count >= limit_cycles : count > remote_milliseconds;
        end
    end

endmodule

`default_nettype wire
