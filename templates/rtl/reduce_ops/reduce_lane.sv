// Reduces 64 bits: one element of 64 bits, two of 32 or four of 16. Floating point takes all stages of its units;
// integers take fewer, and are delayed to as many.
`default_nettype none

module reduce_lane (
    input  wire         clk,
    input  wire         advance,           // of the delay
    input  wire [reduce_ops_pkg::STAGES-1:0] enable_64, // of each stage, the first one lowest, of the unit for elements
    input  wire [reduce_ops_pkg::STAGES-1:0] enable_32, // of up to 64 bits, of that for up to 32
    input  wire [reduce_ops_pkg::STAGES-1:0] enable_16, // and of those for 16 bits
    input  wire [3:0]   enable_product,    // of significands and integers
    input  wire [1:0]   enable_integer,
    input  wire [reduce_ops_pkg::FUNCTIONS-1:0] operation,
    input  wire         floating,
    input  wire [1:0]   size,              // log2 of the bytes of an element
    input  wire [63:0]  a,
    input  wire [63:0]  b,
    input  wire         is_product_4,      // what enters the fourth stage is a product
    input  wire         integer_product_5, // what enters the fifth stage is one of integers
    input  wire [1:0]   size_5,
    input  wire         out_floating,      // of what leaves
    input  wire [1:0]   out_size,
    output logic [63:0] result
);

    localparam int unsigned DELAY = reduce_ops_pkg::STAGES - 2;

    logic         maximum, minimum, product;
    logic [127:0] products;
    logic [105:0] significands_64; // from the top, those of units by what an element has
    logic [47:0]  significands_32;
    logic [1:0]   below, below_16;
    logic [63:0]  result_64, integers;
    logic [31:0]  result_32;
    logic [15:0]  result_16_0, result_16_2;

    assign maximum = operation[reduce_ops_pkg::MAX];
    assign minimum = operation[reduce_ops_pkg::MIN];

    if (reduce_ops_pkg::PRODUCTS) begin : with_products
        assign product = operation[reduce_ops_pkg::PROD];
        reduce_product multiplier (
            .clk, .enable(enable_product), .floating, .size, .a, .b, .is_product_4, .product(products)
        );
    end else begin : without_products
        assign product  = 1'b0;
        assign products = '0;
        wire _unused = &{1'b0, operation[reduce_ops_pkg::PROD], enable_product, floating, is_product_4};
    end

    always_comb
        case (size_5)
            2'd3: begin
                significands_64 = products[105:0];
                significands_32 = products[47:0];
            end
            2'd2: begin
                significands_64 = {products[111:64], 58'd0};
                significands_32 = products[47:0];
            end
            default: begin
                significands_64 = {products[117:96], 84'd0};
                significands_32 = {products[53:32], 26'd0};
            end
        endcase

    float_unit #(.EXPONENT(11), .FRACTION(52), .PRODUCTS(reduce_ops_pkg::PRODUCTS)) unit_64 (
        .clk, .enable(enable_64), .size, .maximum, .minimum, .product, .a, .b,
        .significands(significands_64), .below(below[1]), .result(result_64)
    );

    float_unit #(.EXPONENT(8), .FRACTION(23), .PRODUCTS(reduce_ops_pkg::PRODUCTS)) unit_32 (
        .clk, .enable(enable_32), .size, .maximum, .minimum, .product, .a(a[31:0]), .b(b[31:0]),
        .significands(significands_32), .below(below[0]), .result(result_32)
    );

    float_unit #(.EXPONENT(5), .FRACTION(10), .PRODUCTS(reduce_ops_pkg::PRODUCTS)) unit_16_0 (
        .clk, .enable(enable_16), .size, .maximum, .minimum, .product, .a(a[15:0]), .b(b[15:0]),
        .significands(products[21:0]), .below(below_16[0]), .result(result_16_0)
    );

    float_unit #(.EXPONENT(5), .FRACTION(10), .PRODUCTS(reduce_ops_pkg::PRODUCTS)) unit_16_2 (
        .clk, .enable(enable_16), .size, .maximum, .minimum, .product, .a(a[47:32]), .b(b[47:32]),
        .significands(products[85:64]), .below(below_16[1]), .result(result_16_2)
    );

    reduce_integer integer_unit (
        .clk, .enable(enable_integer), .sum(operation[reduce_ops_pkg::SUM]), .maximum, .minimum, .wide(size == 2'd3),
        .a, .b, .below, .result(integers)
    );

    // From the third stage on. Products of integers wrap around; they join at the fifth.
    logic [64*DELAY-1:0] delayed;
    logic [63:0]         joined;
    assign joined = !integer_product_5 ? delayed[127:64]
                  : {size_5 == 2'd3 ? products[63:32] : products[95:64], products[31:0]};

    always_ff @(posedge clk)
        if (advance) delayed <= {delayed[64*DELAY-65:128], joined, delayed[63:0], integers};

    always_comb begin
        result = delayed[64*DELAY-1 -: 64];
        if (out_floating)
            case (out_size)
                2'd3:    result = result_64;
                2'd2:    result = {result_64[63:32], result_32};
                default: result = {result_64[63:48], result_16_2, result_32[31:16], result_16_0};
            endcase
    end

    // There are no integers of 16 bits.
    wire _unused = &{1'b0, below_16, products};

endmodule

`default_nettype wire
