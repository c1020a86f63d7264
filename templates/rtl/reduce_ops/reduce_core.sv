// Reduces two streams of operands beat by beat, a beat in every cycle and
// twelve cycles later (ten without products). The TDEST of operand 0 selects the function; without one operand 0
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

    localparam int unsigned STAGES = reduce_ops_pkg::STAGES;

    // A bit for each stage, the first one lowest: whether a beat is there, for elements of what size there is floating
    // point in it, and whether it is a product.
    logic                advance, start, busy, float, order, product, integer_1;
    logic [STAGES-1:0]   valid, float_64;
    logic [STAGES-2:0]   float_32, float_16;
    logic [STAGES-1:0]   enable_64, enable_32, enable_16;
    logic [3:0]          products;
    logic [2*STAGES-1:0] sizes;
    logic [65*STAGES-1:0] beside; // TKEEP and TLAST
    logic [511:0]        result;

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
    assign order   = operation[reduce_ops_pkg::MAX] || operation[reduce_ops_pkg::MIN];
    assign float   = floating && operation != 0;
    assign product = reduce_ops_pkg::PRODUCTS && operation[reduce_ops_pkg::PROD];
    assign busy    = advance && (start || valid != 0);

    // Units for floating point compare integers, too.
    assign enable_64 = {STAGES{advance}} & {float_64[STAGES-2:0], start && (float || order)};
    assign enable_32 = {STAGES{advance}} & {float_32[STAGES-2:0], start && (float || order) && size != 2'd3};
    assign enable_16 = {STAGES{advance}} & {float_16[STAGES-2:0], start && float && size == 2'd1};

    always_ff @(posedge clk) begin
        if (rst) begin
            valid     <= '0;
            float_64  <= '0;
            float_32  <= '0;
            float_16  <= '0;
            products  <= '0;
            integer_1 <= 1'b0;
        end else if (busy) begin
            valid     <= {valid[STAGES-2:0], start};
            float_64  <= {float_64[STAGES-2:0], start && float};
            float_32  <= {float_32[STAGES-3:0], start && float && size != 2'd3};
            float_16  <= {float_16[STAGES-3:0], start && float && size == 2'd1};
            products  <= {products[2:0], start && product};
            integer_1 <= start && !float;
        end
        if (busy) begin
            sizes  <= {sizes[2*STAGES-3:0], size};
            beside <= {beside[65*STAGES-66:0], a_last, a_keep};
        end
    end

    for (genvar i = 0; i < 8; i++) begin : lanes
        reduce_lane lane (
            .clk,
            .advance(busy),
            .enable_64, .enable_32, .enable_16,
            .enable_product({4{advance}} & {products[2] || float_64[2], products[1:0], start && product}),
            .enable_integer({2{advance}} & {integer_1, start && !float}),
            .operation, .floating, .size,
            .a(a[64*i +: 64]), .b(b[64*i +: 64]),
            .is_product_4(products[2]), .integer_product_5(products[3] && !float_64[3]), .size_5(sizes[7:6]),
            .out_floating(float_64[STAGES-1]), .out_size(sizes[2*STAGES-1 -: 2]),
            .result(result[64*i +: 64])
        );
    end

    skid_buffer #(.WIDTH(1 + 64 + 512)) results (
        .clk, .rst,
        .in_valid(valid[STAGES-1]), .in_ready(advance), .in_data({beside[65*STAGES-1 -: 65], result}),
        .out_valid(result_valid), .out_ready(result_ready), .out_data({result_last, result_keep, result_data})
    );

endmodule

`default_nettype wire
