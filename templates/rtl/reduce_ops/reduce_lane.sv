// Reduces 64 bits: one element of 64 bits, two of 32 or four of 16. Products and
// sums of floating point take six stages, and everything else is delayed to as many.
`default_nettype none

module reduce_lane (
    input  wire         clk,
    input  wire         advance,        // of the delay
    input  wire [5:0]   enable_float16, // of the stages of each sum of floating point, the first one lowest
    input  wire [5:0]   enable_float32,
    input  wire [5:0]   enable_float64,
    input  wire [5:0]   enable_product16, // of those of each product
    input  wire [5:0]   enable_product32,
    input  wire [5:0]   enable_product64,
    input  wire [5:0]   enable_products,  // of integers
    input  wire [1:0]   enable_simple,
    input  wire [reduce_ops_pkg::FUNCTIONS-1:0] operation,
    input  wire         floating,
    input  wire [1:0]   size,           // log2 of the bytes of an element
    input  wire [63:0]  a,
    input  wire [63:0]  b,
    input  wire         out_float16,    // which of them has the result
    input  wire         out_float32,
    input  wire         out_float64,
    input  wire         out_product16,
    input  wire         out_product32,
    input  wire         out_product64,
    input  wire         out_products,
    output logic [63:0] result
);

    logic [63:0]  float16, float32, float64, simple, product;
    logic [255:0] delayed;

    for (genvar i = 0; i < 4; i++) begin : float16_adders
        float_adder #(.EXPONENT(5), .FRACTION(10)) adder (
            .clk, .enable(enable_float16), .a(a[16*i +: 16]), .b(b[16*i +: 16]), .sum(float16[16*i +: 16])
        );
    end

    for (genvar i = 0; i < 2; i++) begin : float32_adders
        float_adder #(.EXPONENT(8), .FRACTION(23)) adder (
            .clk, .enable(enable_float32), .a(a[32*i +: 32]), .b(b[32*i +: 32]), .sum(float32[32*i +: 32])
        );
    end

    float_adder #(.EXPONENT(11), .FRACTION(52)) float64_adder (
        .clk, .enable(enable_float64), .a, .b, .sum(float64)
    );

    reduce_simple others (
        .clk, .enable(enable_simple), .operation, .floating, .size, .a, .b, .result(simple)
    );

    reduce_product multipliers (
        .clk, .enable_float16(enable_product16), .enable_float32(enable_product32), .enable_float64(enable_product64),
        .enable_integer(enable_products), .wide(size == 2'd3), .a, .b,
        .out_float16(out_product16), .out_float32(out_product32), .out_float64(out_product64), .result(product)
    );

    always_ff @(posedge clk) if (advance) delayed <= {delayed[191:0], simple};

    always_comb
        if (out_float64) result = float64;
        else if (out_float32) result = float32;
        else if (out_float16) result = float16;
        else if (out_product16 || out_product32 || out_product64 || out_products) result = product;
        else result = delayed[255:192];

endmodule

`default_nettype wire
