// Product of two 32-bit values, each with or without sign: four products of
// halves that fit into DSP slices, then their sum. Two cycles after operands
// that stay, the result is there and stays.
`default_nettype none

module rv32_multiplier (
    input  wire         clk,
    input  wire  [31:0] a,
    input  wire  [31:0] b,
    input  wire  [2:0]  funct3, // 0 mul, 1 mulh, 2 mulhsu, 3 mulhu
    output logic [31:0] result
);

    // As 33-bit numbers with a sign: 16 bits with it above 17 bits without.
    logic signed [15:0] a_high, b_high;
    logic signed [17:0] a_low, b_low;

    assign a_high = {funct3[1:0] != 2'd3 && a[31], a[31:17]};
    assign b_high = {!funct3[1] && b[31], b[31:17]};
    assign a_low  = {1'b0, a[16:0]};
    assign b_low  = {1'b0, b[16:0]};

    logic signed [29:0] high; // what is above is beyond the product
    logic signed [32:0] middle_a, middle_b;
    logic signed [33:0] low;
    logic        [63:0] product;

    always_ff @(posedge clk) begin
        high     <= a_high * b_high;
        middle_a <= a_high * b_low;
        middle_b <= a_low * b_high;
        low      <= a_low * b_low;
        product  <= {high, low} + {{14{middle_a[32]}}, middle_a, 17'd0} + {{14{middle_b[32]}}, middle_b, 17'd0};
    end

    assign result = funct3 == 3'd0 ? product[31:0] : product[63:32];

endmodule

`default_nettype wire
