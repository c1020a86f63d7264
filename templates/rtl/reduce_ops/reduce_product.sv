// Products of 64 bits in six stages: one element of 64 bits, two of 32 or four of
// 16, of which there is only floating point. Integers wrap around.
`default_nettype none

module reduce_product (
    input  wire         clk,
    input  wire [5:0]   enable_float16, // of the stages for each type, the first one lowest
    input  wire [5:0]   enable_float32,
    input  wire [5:0]   enable_float64,
    input  wire [5:0]   enable_integer,
    input  wire         wide,           // integers of 64 bits
    input  wire [63:0]  a,
    input  wire [63:0]  b,
    input  wire         out_float16,    // which of them has the result; none for integers
    input  wire         out_float32,
    input  wire         out_float64,
    output logic [63:0] result
);

    logic [63:0] float16, float32, float64, integers;

    for (genvar i = 0; i < 4; i++) begin : float16_multipliers
        float_multiplier #(.EXPONENT(5), .FRACTION(10)) multiplier (
            .clk, .enable(enable_float16), .a(a[16*i +: 16]), .b(b[16*i +: 16]), .product(float16[16*i +: 16])
        );
    end

    for (genvar i = 0; i < 2; i++) begin : float32_multipliers
        float_multiplier #(.EXPONENT(8), .FRACTION(23)) multiplier (
            .clk, .enable(enable_float32), .a(a[32*i +: 32]), .b(b[32*i +: 32]), .product(float32[32*i +: 32])
        );
    end

    float_multiplier #(.EXPONENT(11), .FRACTION(52)) float64_multiplier (
        .clk, .enable(enable_float64), .a, .b, .product(float64)
    );

    // Products of the halves; what crosses them counts for elements of 64 bits.
    logic        wide_1, wide_2;
    logic [63:0] a_1, b_1, low_2, product_3, product_4, product_5;
    logic [31:0] high_2, cross_2, other_2;

    always_ff @(posedge clk)
        if (enable_integer != 0) begin : integer_stages
            if (enable_integer[0]) begin
                wide_1 <= wide;
                a_1    <= a;
                b_1    <= b;
            end
            if (enable_integer[1]) begin
                wide_2  <= wide_1;
                low_2   <= {32'd0, a_1[31:0]} * {32'd0, b_1[31:0]};
                high_2  <= a_1[63:32] * b_1[63:32];
                cross_2 <= a_1[63:32] * b_1[31:0];
                other_2 <= a_1[31:0] * b_1[63:32];
            end
            if (enable_integer[2])
                product_3 <= {wide_2 ? low_2[63:32] + cross_2 + other_2 : high_2, low_2[31:0]};
            if (enable_integer[3]) product_4 <= product_3;
            if (enable_integer[4]) product_5 <= product_4;
            if (enable_integer[5]) integers <= product_5;
        end

    always_comb
        if (out_float64) result = float64;
        else if (out_float32) result = float32;
        else if (out_float16) result = float16;
        else result = integers;

endmodule

`default_nettype wire
