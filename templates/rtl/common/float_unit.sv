// Sum, maximum, minimum or product of two IEEE 754 numbers, in eight stages, ten with products: rounded to nearest,
// ties to even, with subnormals and infinities; NaN results are the canonical quiet one. The maximum and the minimum
// are those of IEEE 754-2019: NaN if an operand is, and -0 below +0. A number of the widest format or of a narrower
// one lies at the top of an operand; what is below it means nothing. A stage keeps what it has while its enable is low.
`default_nettype none

module float_unit #(
    parameter int unsigned EXPONENT = 8,  // bits of the exponent, in the widest format
    parameter int unsigned FRACTION = 23, // bits of the fraction: 10, 23 or 52
    parameter bit          PRODUCTS = 1'b0
) (
    input  wire                        clk,
    input  wire [(PRODUCTS ? 9 : 7):0] enable,       // of each stage, the first one lowest
    input  wire [1:0]                  size,         // log2 of the bytes of a number
    input  wire                        maximum,      // none of them: a sum
    input  wire                        minimum,
    input  wire                        product,
    input  wire [EXPONENT+FRACTION:0]  a,
    input  wire [EXPONENT+FRACTION:0]  b,
    input  wire [2*FRACTION+1:0]       significands, // their product, at the top; behind four stages, or 0
    output logic                       below,        // behind one: of a and b without signs, a is the smaller one
    output logic [EXPONENT+FRACTION:0] result
);

    localparam int unsigned WIDTH  = 1 + EXPONENT + FRACTION;
    localparam int unsigned KEPT   = FRACTION + 5; // carry, leading bit, fraction, three bits to round by
    localparam int unsigned TOTAL  = PRODUCTS ? 2 * FRACTION + 2 : KEPT;
    localparam int unsigned LOW    = TOTAL - KEPT; // bits of a product below those
    localparam int unsigned AMOUNT = $clog2(KEPT); // bits of a distance
    localparam int unsigned STAY_16 = LOW < 15 ? TOTAL : KEPT + 15;
    localparam int unsigned STAY_4  = LOW < 3 ? TOTAL : KEPT + 3;

    // Formats are told apart only where there are several.
    function is_64(input [1:0] of);
        is_64 = WIDTH == 64 && of == 2'd3;
    endfunction
    function is_32(input [1:0] of);
        is_32 = WIDTH == 32 && of != 2'd1 || WIDTH == 64 && of == 2'd2;
    endfunction

    // Exponent and fraction: the one at the bottom, the other at the top of what the widest format has.
    function [WIDTH-2:0] fields(input [WIDTH-2:0] magnitude, input [1:0] of);
        logic [30:0] top;
        begin
            top = 31'(63'(magnitude) << (64 - WIDTH) >> 32);
            if (is_64(of)) fields = magnitude;
            else if (is_32(of)) fields = {EXPONENT'(top[30:23]), FRACTION'({top[22:0], 29'd0} >> (52 - FRACTION))};
            else fields = {EXPONENT'(top[30:26]), FRACTION'({top[25:16], 42'd0} >> (52 - FRACTION))};
        end
    endfunction

    // Exponent of infinities and NaNs.
    function [EXPONENT-1:0] largest(input [1:0] of);
        largest = is_64(of) ? EXPONENT'(11'h7FF) : is_32(of) ? EXPONENT'(11'hFF) : EXPONENT'(11'h1F);
    endfunction

    function [AMOUNT-1:0] at_most(input [EXPONENT:0] distance);
        at_most = distance[EXPONENT:AMOUNT] != 0 ? '1 : distance[AMOUNT-1:0];
    endfunction

    // Shifts right. The lowest bit also tells whether ones were lost.
    function [KEPT-1:0] right(input [KEPT-1:0] value, input [AMOUNT-1:0] by);
        begin
            right    = value >> by;
            right[0] = right[0] || (value & ~({KEPT{1'b1}} << by)) != 0;
        end
    endfunction

    // Without products the third and fourth stage are none.
    wire [9:0] on = PRODUCTS ? 10'(enable) : {enable[7:2], 2'b0, enable[1:0]};

    logic [1:0]          size_1, size_2, size_3, size_4, size_5, size_6, size_7, size_8;
    logic                maximum_1, minimum_1, product_1, product_2, subtract_2, subtract_3, subtract_4, subtract_5;
    logic                a_sign_1, b_sign_1, sign_2, sign_3, sign_4, sign_5, sign_6, sign_7, sign_8;
    logic                infinity_2, infinity_3, infinity_4, infinity_5, infinity_6, infinity_7, infinity_8;
    logic                nan_2, nan_3, nan_4, nan_5, nan_6, nan_7, nan_8;
    logic [EXPONENT-1:0] a_exponent_1, b_exponent_1, exponent_2, exponent_3, exponent_4, exponent_5, exponent_6;
    logic [EXPONENT-1:0] exponent_7, exponent_8;
    logic [EXPONENT:0]   exponents_2; // their sum
    logic [FRACTION-1:0] a_fraction_1, b_fraction_1;
    logic [FRACTION:0]   larger_2, smaller_2, larger_3, smaller_3, larger_4; // significands; of an order, one is 0
    logic [AMOUNT-1:0]   by_2, by_3;
    logic [1:0]          by_4;
    logic [KEPT-1:0]     value_3, aligned_4;
    logic [TOTAL-1:0]    low_3, low_4, total_5;
    logic [5:0]          room_5, room_6, room_7;
    logic [1:0]          sixteens_5, sixteens_6, fours_6, fours_7, ones_7;
    logic                zero_5, zero_6, zero_7;
    logic [7:0]          unused;
    logic [STAY_16-1:0]  total_6;
    logic [STAY_4-1:0]   total_7;
    logic [KEPT-1:0]     total_8;

    always_ff @(posedge clk)
        if (on[0]) begin : unpack
            size_1         <= size;
            product_1      <= PRODUCTS && product;
            maximum_1      <= maximum;
            minimum_1      <= minimum;
            below          <= a[WIDTH-2:0] < b[WIDTH-2:0];
            a_sign_1       <= a[WIDTH-1];
            b_sign_1       <= b[WIDTH-1];
            {a_exponent_1, a_fraction_1} <= fields(a[WIDTH-2:0], size);
            {b_exponent_1, b_fraction_1} <= fields(b[WIDTH-2:0], size);
        end

    // Subnormals have the exponent of the smallest normal numbers.
    always_ff @(posedge clk)
        if (on[1]) begin : choose
            logic [EXPONENT-1:0] a_exponent, b_exponent, larger, smaller;
            logic                a_zero, b_zero, a_most, b_most, a_clear, b_clear, differ, order, b_first;
            a_zero     = a_exponent_1 == 0;
            b_zero     = b_exponent_1 == 0;
            differ     = a_sign_1 != b_sign_1;
            order      = maximum_1 || minimum_1;
            b_first    = !order ? below : differ ? a_sign_1 != minimum_1 : below != (a_sign_1 != minimum_1);
            a_exponent = a_exponent_1 | EXPONENT'(a_zero);
            b_exponent = b_exponent_1 | EXPONENT'(b_zero);
            larger     = b_first ? b_exponent : a_exponent;
            smaller    = b_first ? a_exponent : b_exponent;
            a_most     = a_exponent_1 == largest(size_1);
            b_most     = b_exponent_1 == largest(size_1);
            a_clear    = a_fraction_1 == 0;
            b_clear    = b_fraction_1 == 0;
            size_2      <= size_1;
            product_2   <= product_1;
            exponent_2  <= larger;
            by_2        <= at_most({1'b0, larger - smaller});
            exponents_2 <= {1'b0, a_exponent} + {1'b0, b_exponent};
            larger_2    <= product_1 ? '0 : b_first ? {!b_zero, b_fraction_1} : {!a_zero, a_fraction_1};
            smaller_2   <= product_1 || order ? '0 : b_first ? {!a_zero, a_fraction_1} : {!b_zero, b_fraction_1};
            subtract_2  <= differ && !product_1 && !order;
            sign_2      <= product_1 ? differ : b_first ? b_sign_1 : a_sign_1;
            infinity_2  <= order ? (b_first ? b_most : a_most) : a_most || b_most;
            nan_2       <= a_most && !a_clear || b_most && !b_clear
                        || product_1 && (a_most && b_zero && b_clear || b_most && a_zero && a_clear)
                        || !product_1 && !order && a_most && b_most && differ;
        end

    if (PRODUCTS) begin : with_products
        // Until significands are multiplied. The upper bits of a product that is subnormal move down.
        logic [1:0]          size_w;
        logic                sign_w, subtract_w, infinity_w, nan_w;
        logic [EXPONENT-1:0] exponent_w;
        logic [AMOUNT-1:0]   by_w;
        logic [FRACTION:0]   larger_w, smaller_w;

        always_ff @(posedge clk) begin
            if (on[2]) begin : add_exponents
                logic [EXPONENT:0] bias, over, under;
                logic              subnormal;
                bias       = {2'd0, (EXPONENT - 1)'(largest(size_2) >> 1)};
                over       = exponents_2 - bias;
                under      = bias - exponents_2;
                subnormal  = exponents_2 < bias;
                infinity_w <= infinity_2 || product_2 && !subnormal && over >= {1'b0, largest(size_2)};
                exponent_w <= !product_2 ? exponent_2 : subnormal ? '0 : over[EXPONENT-1:0];
                by_w       <= !product_2 ? by_2 : subnormal ? at_most(under) : '0;
                {size_w, sign_w, subtract_w, nan_w}    <= {size_2, sign_2, subtract_2, nan_2};
                {larger_w, smaller_w}                  <= {larger_2, smaller_2};
            end
            if (on[3]) begin : wait_more
                {size_3, sign_3, subtract_3, nan_3}    <= {size_w, sign_w, subtract_w, nan_w};
                {larger_3, smaller_3}                  <= {larger_w, smaller_w};
                {infinity_3, exponent_3, by_3}         <= {infinity_w, exponent_w, by_w};
            end
        end
        assign value_3 = {1'b0, smaller_3, 3'd0} | significands[TOTAL-1 -: KEPT];
        assign low_3   = significands & ~({TOTAL{1'b1}} << LOW);
    end else begin : without_products
        assign {size_3, sign_3, subtract_3, nan_3} = {size_2, sign_2, subtract_2, nan_2};
        assign {larger_3, smaller_3}               = {larger_2, smaller_2};
        assign {infinity_3, exponent_3, by_3}      = {infinity_2, exponent_2, by_2};
        assign value_3 = {1'b0, smaller_3, 3'd0};
        assign low_3   = '0;
        wire _unused = &{1'b0, on[3:2], exponents_2, product_2, significands};
    end

    // The lowest bit of a sum is there for the carry that comes in.
    logic [KEPT-1:0] aligned;
    logic [KEPT:0]   sum;
    assign aligned = right(aligned_4, AMOUNT'(by_4));
    assign sum     = {1'b0, larger_4, 3'd0, 1'b1} + {aligned ^ {KEPT{subtract_4}}, subtract_4};

    always_ff @(posedge clk) begin
        if (on[4]) begin : align
            size_4     <= size_3;
            sign_4     <= sign_3;
            subtract_4 <= subtract_3;
            infinity_4 <= infinity_3;
            nan_4      <= nan_3;
            exponent_4 <= exponent_3;
            larger_4   <= larger_3;
            aligned_4  <= right(value_3, {by_3[AMOUNT-1:2], 2'd0});
            by_4       <= by_3[1:0];
            low_4      <= low_3;
        end
        if (on[5]) begin : add
            size_5     <= size_4;
            sign_5     <= sign_4;
            subtract_5 <= subtract_4;
            infinity_5 <= infinity_4;
            nan_5      <= nan_4;
            exponent_5 <= exponent_4;
            room_5     <= 11'(exponent_4) >= 11'd64 ? 6'd63 : 6'(exponent_4);
            total_5    <= TOTAL'(sum[KEPT:1]) << LOW | low_4;
        end
    end

    // Ones move to the front, as far as the exponent lasts, which is that of the bit below the front. Of the bits of a
    // product those stay that the next steps may still bring up to where they count.
    float_normaliser #(.WIDTH(TOTAL), .STAY(STAY_16), .STEP(16)) by_sixteens (
        .clk, .enable(on[6]), .room(room_5), .number(total_5),
        .zero(zero_5), .steps(sixteens_5), .out_room(room_6), .out_number(total_6)
    );

    float_normaliser #(.WIDTH(STAY_16), .STAY(STAY_4), .STEP(4)) by_fours (
        .clk, .enable(on[7]), .room(room_6), .number(total_6),
        .zero(unused[0]), .steps(fours_6), .out_room(room_7), .out_number(total_7)
    );

    float_normaliser #(.WIDTH(STAY_4), .STAY(KEPT), .STEP(1)) by_ones (
        .clk, .enable(on[8]), .room(room_7), .number(total_7),
        .zero(unused[1]), .steps(ones_7), .out_room(unused[7:2]), .out_number(total_8)
    );

    always_ff @(posedge clk) begin
        if (on[6]) begin
            size_6     <= size_5;
            zero_6     <= zero_5;
            sign_6     <= sign_5 && !(zero_5 && subtract_5); // x - x is +0
            infinity_6 <= infinity_5 || total_5[TOTAL-1] && exponent_5 == largest(size_5) - 1'b1;
            nan_6      <= nan_5;
            exponent_6 <= exponent_5;
            sixteens_6 <= sixteens_5;
        end
        if (on[7]) begin
            size_7     <= size_6;
            zero_7     <= zero_6;
            sign_7     <= sign_6;
            infinity_7 <= infinity_6;
            nan_7      <= nan_6;
            exponent_7 <= exponent_6 - EXPONENT'({sixteens_6, 4'd0});
            fours_7    <= fours_6;
        end
        if (on[8]) begin
            size_8     <= size_7;
            sign_8     <= sign_7;
            infinity_8 <= infinity_7;
            nan_8      <= nan_7;
            if (zero_7) exponent_8 <= '0;
            else exponent_8 <= exponent_7 - EXPONENT'({fours_7, ones_7});
        end
    end

    // The leading bit adds to the exponent, and so may what is carried from below. The lowest bit is there for
    // the one that rounds up.
    logic [63:0] top; // leading bit and what follows
    logic [10:0] exponent;
    logic        special, up;
    logic [62:0] parts, one;
    logic [63:0] rounded;

    always_comb begin
        top      = 64'(total_8) << (64 - KEPT);
        exponent = 11'(exponent_8);
        special  = nan_8 || infinity_8;
        if (is_64(size_8)) begin
            parts = special ? {11'h7FF, nan_8, 51'd0} : {exponent, top[62:11]};
            one   = 63'(top[63]) << 52;
            up    = top[10] && (top[11] || top[9:0] != 0);
        end else if (is_32(size_8)) begin
            parts = special ? {8'hFF, nan_8, 54'd0} : {exponent[7:0], top[62:40], {32{1'b1}}};
            one   = 63'(top[63]) << 55;
            up    = top[39] && (top[40] || top[38:0] != 0);
        end else begin
            parts = special ? {5'h1F, nan_8, 57'd0} : {exponent[4:0], top[62:53], {48{1'b1}}};
            one   = 63'(top[63]) << 58;
            up    = top[52] && (top[53] || top[51:0] != 0);
        end
        rounded = {parts, 1'b1} + {special ? 63'd0 : one, up && !special};
    end

    always_ff @(posedge clk) if (on[9]) result <= {sign_8 && !nan_8, (WIDTH - 1)'(rounded[63:1] >> (64 - WIDTH))};

    wire _unused_bits = &{1'b0, sum[0], rounded[0], unused};

endmodule

`default_nettype wire
