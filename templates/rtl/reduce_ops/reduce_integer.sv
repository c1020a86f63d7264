// Reduces integers of 64 bits or two of 32 in two stages: sum, maximum and minimum. Without a function it passes
// operand a on.
`default_nettype none

module reduce_integer (
    input  wire         clk,
    input  wire [1:0]   enable, // of each stage, the first one lowest
    input  wire         sum,
    input  wire         maximum,
    input  wire         minimum,
    input  wire         wide,   // one of 64 bits
    input  wire [63:0]  a,
    input  wire [63:0]  b,
    input  wire [1:0]   below,  // behind one stage: without its sign a is the smaller one; the upper one of 64 bits
    output logic [63:0] result
);

    logic        sum_1, maximum_1, minimum_1, wide_1;
    logic [63:0] a_1, b_1;
    logic [32:0] low_1; // sum of the low halves

    always_ff @(posedge clk)
        if (enable[0]) begin : add_low
            sum_1     <= sum;
            maximum_1 <= maximum;
            minimum_1 <= minimum;
            wide_1    <= wide;
            a_1       <= a;
            b_1       <= b;
            low_1     <= {1'b0, a[31:0]} + {1'b0, b[31:0]};
        end

    // Which halves are those of operand b. Among numbers of one sign those with fewer ones in front are smaller.
    logic [1:0]  b_is_smaller, take_b;
    logic [32:0] high; // the lowest bit is there for the carry

    always_comb begin
        for (int i = 0; i < 2; i++)
            b_is_smaller[i] = a_1[32*i+31] != b_1[32*i+31] ? b_1[32*i+31] : !below[i];
        if (wide_1) b_is_smaller[0] = b_is_smaller[1];
        take_b = maximum_1 ? ~b_is_smaller : minimum_1 ? b_is_smaller : '0;
        high   = {a_1[63:32], 1'b1} + {b_1[63:32], wide_1 && low_1[32]};
    end

    always_ff @(posedge clk)
        if (enable[1]) begin : choose
            result[63:32] <= sum_1 ? high[32:1] : take_b[1] ? b_1[63:32] : a_1[63:32];
            result[31:0]  <= sum_1 ? low_1[31:0] : take_b[0] ? b_1[31:0] : a_1[31:0];
        end

    wire _unused = &{1'b0, high[0]};

endmodule

`default_nettype wire
