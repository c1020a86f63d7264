// Queue of lines in block RAM, with a registered read: a word appears at
// the output two cycles after it was written, then one a cycle.
`default_nettype none

module line_fifo #(
    parameter int unsigned WIDTH = 512, // bits of a line
    parameter int unsigned DEPTH = 512  // a power of two
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              in_valid,
    output logic             in_ready,
    input  wire [WIDTH-1:0]  in_data,

    output logic             out_valid,
    input  wire              out_ready,
    output logic [WIDTH-1:0] out_data
);

    localparam int unsigned POINTER = $clog2(DEPTH);
    localparam int unsigned COUNT   = POINTER + 1;

    logic [WIDTH-1:0]   memory [DEPTH];
    logic [POINTER-1:0] head, tail, next_head;
    logic [COUNT-1:0]   count; // words written, the one at the output included
    logic               push, pop;

    assign in_ready  = count != COUNT'(DEPTH);
    assign push      = in_valid && in_ready;
    assign pop       = out_valid && out_ready;
    assign next_head = head + POINTER'(pop);

    always_ff @(posedge clk) begin
        if (push) memory[tail] <= in_data;
        if ((pop || !out_valid) && count != '0) out_data <= memory[next_head];
        if (rst) begin
            head      <= '0;
            tail      <= '0;
            count     <= '0;
            out_valid <= 1'b0;
        end else begin
            head      <= next_head;
            tail      <= tail + POINTER'(push);
            count     <= count + COUNT'(push) - COUNT'(pop);
            out_valid <= count != COUNT'(pop);
        end
    end

endmodule

`default_nettype wire
