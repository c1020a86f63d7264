// Reduces two streams of operands beat by beat, a beat in every cycle and eight
// cycles later. The TDEST of operand 0 selects the function; without one operand 0
// passes unchanged. TKEEP and TLAST of the result are those of operand 0. All
// stages wait together when the result is not taken.
`default_nettype none

module reduce_core (
    input  wire          clk,
    input  wire          rst,

    input  wire          op0_valid,
    output logic         op0_ready,
    input  wire [511:0]  op0_data,
    input  wire [63:0]   op0_keep,
    input  wire          op0_last,
    input  wire [7:0]    op0_tdest,

    input  wire          op1_valid,
    output logic         op1_ready,
    input  wire [511:0]  op1_data,

    output logic         result_valid,
    input  wire          result_ready,
    output logic [511:0] result_data,
    output logic [63:0]  result_keep,
    output logic         result_last
);

    // What is asked for is known before the operands are registered.
    localparam int unsigned FUNCTIONS = reduce_ops_pkg::FUNCTIONS;

    logic [FUNCTIONS-1:0] asked_operation;
    logic                 asked_floating;
    logic [1:0]           asked_size;

    reduce_ops_select select (
        .tdest(op0_tdest), .operation(asked_operation), .floating(asked_floating), .size(asked_size)
    );

    // A bit for each of the six stages, the first one lowest: which adders,
    // multipliers or other means a beat occupies.
    logic         advance, start, busy, simple, sum, product;
    logic [5:0]   valid, float16, float32, float64, product16, product32, product64, products;
    logic         starts16, starts32, starts64, starts_product16, starts_product32, starts_product64, starts_products;
    logic         simple_1;
    logic [389:0] beside;    // TKEEP and TLAST
    logic [511:0] result;

    logic                 a_valid, a_last, b_valid, floating;
    logic [FUNCTIONS-1:0] operation;
    logic [1:0]           size;
    logic [511:0]         a, b;
    logic [63:0]          a_keep;

    skid_buffer #(.WIDTH(FUNCTIONS + 3 + 1 + 64 + 512)) operand_0 (
        .clk, .rst,
        .in_valid(op0_valid), .in_ready(op0_ready),
        .in_data({asked_operation, asked_floating, asked_size, op0_last, op0_keep, op0_data}),
        .out_valid(a_valid), .out_ready(advance && b_valid),
        .out_data({operation, floating, size, a_last, a_keep, a})
    );

    skid_buffer #(.WIDTH(512)) operand_1 (
        .clk, .rst,
        .in_valid(op1_valid), .in_ready(op1_ready), .in_data(op1_data),
        .out_valid(b_valid), .out_ready(advance && a_valid), .out_data(b)
    );

    assign start   = a_valid && b_valid;
    assign sum     = start && operation[reduce_ops_pkg::SUM] && floating;
    assign product = start && operation[reduce_ops_pkg::PROD];
    assign simple  = start && !sum && !product;
    assign busy    = advance && (start || valid != 0);

    assign starts16         = sum && size == 2'd1;
    assign starts32         = sum && size == 2'd2;
    assign starts64         = sum && size == 2'd3;
    assign starts_product16 = product && floating && size == 2'd1;
    assign starts_product32 = product && floating && size == 2'd2;
    assign starts_product64 = product && floating && size == 2'd3;
    assign starts_products  = product && !floating;

    always_ff @(posedge clk) begin
        if (rst) begin
            valid     <= '0;
            float16   <= '0;
            float32   <= '0;
            float64   <= '0;
            product16 <= '0;
            product32 <= '0;
            product64 <= '0;
            products  <= '0;
            simple_1  <= 1'b0;
        end else if (busy) begin
            valid     <= {valid[4:0], start};
            float16   <= {float16[4:0], starts16};
            float32   <= {float32[4:0], starts32};
            float64   <= {float64[4:0], starts64};
            product16 <= {product16[4:0], starts_product16};
            product32 <= {product32[4:0], starts_product32};
            product64 <= {product64[4:0], starts_product64};
            products  <= {products[4:0], starts_products};
            simple_1  <= simple;
        end
        if (busy) beside <= {beside[324:0], a_last, a_keep};
    end

    for (genvar i = 0; i < 8; i++) begin : lanes
        reduce_lane lane (
            .clk,
            .advance(busy),
            .enable_float16({6{advance}} & {float16[4:0], starts16}),
            .enable_float32({6{advance}} & {float32[4:0], starts32}),
            .enable_float64({6{advance}} & {float64[4:0], starts64}),
            .enable_product16({6{advance}} & {product16[4:0], starts_product16}),
            .enable_product32({6{advance}} & {product32[4:0], starts_product32}),
            .enable_product64({6{advance}} & {product64[4:0], starts_product64}),
            .enable_products({6{advance}} & {products[4:0], starts_products}),
            .enable_simple({2{advance}} & {simple_1, simple}),
            .operation, .floating, .size,
            .a(a[64*i +: 64]), .b(b[64*i +: 64]),
            .out_float16(float16[5]), .out_float32(float32[5]), .out_float64(float64[5]),
            .out_product16(product16[5]), .out_product32(product32[5]), .out_product64(product64[5]),
            .out_products(products[5]),
            .result(result[64*i +: 64])
        );
    end

    skid_buffer #(.WIDTH(1 + 64 + 512)) results (
        .clk, .rst,
        .in_valid(valid[5]), .in_ready(advance), .in_data({beside[389:325], result}),
        .out_valid(result_valid), .out_ready(result_ready), .out_data({result_last, result_keep, result_data})
    );

endmodule

`default_nettype wire
