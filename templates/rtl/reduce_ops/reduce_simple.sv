// All reductions of 64 bits that take two stages: sums of integers, maxima and minima.
// Without a function it passes operand a on. The maximum and the minimum of floating-point
// numbers are those of IEEE 754-2019: NaN if one of them is, and -0 below +0.
`default_nettype none

module reduce_simple (
    input  wire         clk,
    input  wire [1:0]   enable, // of each stage, the first one lowest
    input  wire [reduce_ops_pkg::FUNCTIONS-1:0] operation,
    input  wire         floating,
    input  wire [1:0]   size,   // log2 of the bytes of an element
    input  wire [63:0]  a,
    input  wire [63:0]  b,
    output logic [63:0] result
);

    localparam logic [14:0] NAN_16 = {5'h1F, 1'b1, 9'd0};
    localparam logic [30:0] NAN_32 = {8'hFF, 1'b1, 22'd0};
    localparam logic [62:0] NAN_64 = {11'h7FF, 1'b1, 51'd0};

    // Whether a magnitude is that of a NaN: above infinity.
    function nan_16(input [14:0] magnitude);
        nan_16 = magnitude > {5'h1F, 10'd0};
    endfunction
    function nan_32(input [30:0] magnitude);
        nan_32 = magnitude > {8'hFF, 23'd0};
    endfunction
    function nan_64(input [62:0] magnitude);
        nan_64 = magnitude > {11'h7FF, 52'd0};
    endfunction

    // The larger of two numbers is the first one, by their signs and whether the
    // bits of the first one are above as if unsigned. Negative floating-point
    // numbers order the other way round.
    function first(input sign_a, input sign_b, input above, input reverse);
        first = sign_a == sign_b ? above != (reverse && sign_a) : sign_b;
    endfunction

    logic        sum_1, order_1, minimum_1, floating_1;
    logic [1:0]  size_1;
    logic [63:0] a_1, b_1;
    logic [32:0] low_1;           // sum of the low halves
    logic [3:0]  above_1;         // 16 bits of a and b compared
    logic [3:1]  same_1;
    logic [3:0]  nan_16_1;        // an operand is NaN
    logic [1:0]  nan_32_1;
    logic        nan_64_1;

    always_ff @(posedge clk)
        if (enable[0]) begin : compare
            sum_1      <= operation[reduce_ops_pkg::SUM];
            order_1    <= operation[reduce_ops_pkg::MAX] || operation[reduce_ops_pkg::MIN];
            minimum_1  <= operation[reduce_ops_pkg::MIN];
            floating_1 <= floating;
            size_1     <= size;
            a_1        <= a;
            b_1        <= b;
            low_1      <= {1'b0, a[31:0]} + {1'b0, b[31:0]};
            for (int i = 0; i < 4; i = i + 1) begin
                above_1[i]  <= a[16*i +: 16] > b[16*i +: 16];
                if (i != 0) same_1[i] <= a[16*i +: 16] == b[16*i +: 16];
                nan_16_1[i] <= floating && (nan_16(a[16*i +: 15]) || nan_16(b[16*i +: 15]));
            end
            for (int i = 0; i < 2; i = i + 1)
                nan_32_1[i] <= floating && (nan_32(a[32*i +: 31]) || nan_32(b[32*i +: 31]));
            nan_64_1 <= floating && (nan_64(a[62:0]) || nan_64(b[62:0]));
        end

    always_ff @(posedge clk)
        if (enable[1]) begin : choose
            logic [1:0] above_32;
            logic       above_64;
            above_32 = {above_1[3] || same_1[3] && above_1[2], above_1[1] || same_1[1] && above_1[0]};
            above_64 = above_32[1] || same_1[3] && same_1[2] && above_32[0];

            result <= a_1;
            if (sum_1) begin
                result[31:0]  <= low_1[31:0];
                result[63:32] <= a_1[63:32] + b_1[63:32] + 32'(low_1[32] && size_1 == 2'd3);
            end else if (order_1)
                case (size_1)
                    2'd1:
                        for (int i = 0; i < 4; i = i + 1)
                            if (nan_16_1[i]) result[16*i +: 16] <= {1'b0, NAN_16};
                            else if (first(a_1[16*i+15], b_1[16*i+15], above_1[i], floating_1) == minimum_1)
                                result[16*i +: 16] <= b_1[16*i +: 16];
                    2'd2:
                        for (int i = 0; i < 2; i = i + 1)
                            if (nan_32_1[i]) result[32*i +: 32] <= {1'b0, NAN_32};
                            else if (first(a_1[32*i+31], b_1[32*i+31], above_32[i], floating_1) == minimum_1)
                                result[32*i +: 32] <= b_1[32*i +: 32];
                    default:
                        if (nan_64_1) result <= {1'b0, NAN_64};
                        else if (first(a_1[63], b_1[63], above_64, floating_1) == minimum_1) result <= b_1;
                endcase
        end

    // Products are not made here.
    wire _unused = &{1'b0, operation};

endmodule

`default_nettype wire
