// Queue of words. The first word falls through: it stands at the output before
// it is taken. Clear empties the queue at once.
`default_nettype none

module fifo #(
    parameter int unsigned WIDTH = 8, // bits of a word
    parameter int unsigned DEPTH = 16 // words
) (
    input  wire                        clk,
    input  wire                        rst,
    input  wire                        clear,

    input  wire                        in_valid,
    output logic                       in_ready,
    input  wire [WIDTH-1:0]            in_data,

    output logic                       out_valid,
    input  wire                        out_ready,
    output logic [WIDTH-1:0]           out_data,

    output logic [$clog2(DEPTH+1)-1:0] count
);

    localparam int unsigned POINTER = DEPTH > 1 ? $clog2(DEPTH) : 1;
    localparam int unsigned COUNT   = $clog2(DEPTH + 1);

    logic [WIDTH-1:0]   memory [DEPTH];
    logic [POINTER-1:0] head, tail;
    logic               push, pop;

    assign in_ready  = count != COUNT'(DEPTH);
    assign out_valid = count != 0;
    assign out_data  = memory[head];
    assign push      = in_valid && in_ready;
    assign pop       = out_valid && out_ready;

    always_ff @(posedge clk) begin
        if (push) memory[tail] <= in_data;
        if (rst || clear) begin
            head  <= '0;
            tail  <= '0;
            count <= '0;
        end else begin
            if (push) tail <= tail == POINTER'(DEPTH - 1) ? '0 : tail + 1'b1;
            if (pop) head <= head == POINTER'(DEPTH - 1) ? '0 : head + 1'b1;
            count <= count + COUNT'(push) - COUNT'(pop);
        end
    end

endmodule

`default_nettype wire
