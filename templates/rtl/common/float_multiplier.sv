// Multiplies two IEEE 754 numbers in six stages: round to nearest, ties to even, with
// subnormals and infinities; NaN results are the canonical quiet one. A stage
// keeps what it has while its enable is low.
`default_nettype none

module float_multiplier #(
    parameter int unsigned EXPONENT = 8, // bits of the exponent
    parameter int unsigned FRACTION = 23 // bits of the fraction
) (
    input  wire                        clk,
    input  wire [5:0]                  enable, // of each stage, the first one lowest
    input  wire [EXPONENT+FRACTION:0]  a,
    input  wire [EXPONENT+FRACTION:0]  b,
    output logic [EXPONENT+FRACTION:0] product
);

    localparam int unsigned WIDTH  = 1 + EXPONENT + FRACTION;
    localparam int unsigned TOTAL  = 2 * (FRACTION + 1);             // of a product of significands
    localparam int unsigned PIECE  = 17;                             // unsigned bits that a DSP multiplies by
    localparam int unsigned PIECES = (FRACTION + PIECE) / PIECE;     // of a significand
    localparam int unsigned PART   = FRACTION + 1 + PIECE;           // of a product with a piece
    localparam int unsigned SIGNED = EXPONENT + 2;                   // of an exponent that may be out of range
    localparam int unsigned FAR    = FRACTION + 3;                   // shifts right to here leave only the sticky bit

    localparam logic [EXPONENT-1:0] LARGEST  = '1; // exponent of infinities and NaNs
    localparam logic [WIDTH-2:0]    INFINITY = {LARGEST, FRACTION'(0)};
    localparam logic [WIDTH-2:0]    NAN      = {LARGEST, 1'b1, (FRACTION - 1)'(0)};
    localparam logic [SIGNED-1:0]   BIAS     = SIGNED'((1 << (EXPONENT - 1)) - 1);

    // Exponent and all bits of the significand. Subnormals have the exponent of
    // the smallest normal numbers.
    function [WIDTH-1:0] unpacked(input [WIDTH-2:0] magnitude);
        begin
            if (magnitude[FRACTION +: EXPONENT] == 0) unpacked = {EXPONENT'(1), 1'b0, magnitude[FRACTION-1:0]};
            else unpacked = {magnitude[FRACTION +: EXPONENT], 1'b1, magnitude[FRACTION-1:0]};
        end
    endfunction

    // Zeros before the first one.
    function [SIGNED-1:0] leading_zeros(input [FRACTION:0] value);
        begin
            leading_zeros = SIGNED'(FRACTION);
            for (int i = 0; i <= FRACTION; i = i + 1) if (value[i]) leading_zeros = SIGNED'(FRACTION - i);
        end
    endfunction

    // Shifts right. The lowest bit also tells whether ones were lost.
    function [TOTAL-1:0] shifted(input [TOTAL-1:0] value, input [SIGNED-1:0] by);
        begin
            shifted    = value >> by;
            shifted[0] = shifted[0] || (value & ~({TOTAL{1'b1}} << by)) != 0;
        end
    endfunction

    logic [SIGNED-1:0]      exponent_1, exponent_2, exponent_3, exponent_4, exponent_5;
    logic [FRACTION:0]      x_1, y_1, x_2, y_2; // significands; only y may lack its leading bit if the product is not 0
    logic [PIECES*PART-1:0] parts_3;
    logic [TOTAL-1:0]       total_4, total_5;
    logic                   sign_1, sign_2, sign_3, sign_4, sign_5;
    logic                   infinity_1, infinity_2, infinity_3, infinity_4, infinity_5;
    logic                   nan_1, nan_2, nan_3, nan_4, nan_5;

    // Everything is inside of the conditions: simulation skips what is idle.
    always_ff @(posedge clk)
        if (enable != 0) begin : stages
            if (enable[0]) begin : order
                logic                a_is_small;
                logic [WIDTH-2:0]    x, y;
                logic [EXPONENT-1:0] x_exponent, y_exponent;
                logic [FRACTION:0]   x_significand, y_significand;
                a_is_small = a[FRACTION +: EXPONENT] == 0;
                x          = a_is_small ? b[WIDTH-2:0] : a[WIDTH-2:0];
                y          = a_is_small ? a[WIDTH-2:0] : b[WIDTH-2:0];
                {x_exponent, x_significand} = unpacked(x);
                {y_exponent, y_significand} = unpacked(y);
                exponent_1 <= SIGNED'(x_exponent) + SIGNED'(y_exponent) - BIAS;
                x_1        <= x_significand;
                y_1        <= y_significand;
                sign_1     <= a[WIDTH-1] != b[WIDTH-1];
                infinity_1 <= x == INFINITY || y == INFINITY;
                nan_1      <= x > INFINITY || y > INFINITY || x == INFINITY && y == 0;
            end
            if (enable[1]) begin : normalise
                logic [SIGNED-1:0] by;
                by = leading_zeros(y_1);
                exponent_2 <= exponent_1 - by;
                x_2        <= x_1;
                y_2        <= y_1 << by;
                sign_2     <= sign_1;
                infinity_2 <= infinity_1;
                nan_2      <= nan_1;
            end
            if (enable[2]) begin : multiply
                logic [PIECES*PIECE-1:0] y;
                y = (PIECES * PIECE)'(y_2);
                for (int i = 0; i < PIECES; i = i + 1)
                    parts_3[PART*i +: PART] <= PART'(x_2) * PART'(y[PIECE*i +: PIECE]);
                exponent_3 <= exponent_2;
                sign_3     <= sign_2;
                infinity_3 <= infinity_2;
                nan_3      <= nan_2;
            end
            if (enable[3]) begin : add
                logic [TOTAL-1:0] total;
                total = '0;
                for (int i = 0; i < PIECES; i = i + 1)
                    total = total + (TOTAL'(parts_3[PART*i +: PART]) << (PIECE * i));
                exponent_4 <= exponent_3;
                total_4    <= total;
                sign_4     <= sign_3;
                infinity_4 <= infinity_3;
                nan_4      <= nan_3;
            end
            if (enable[4]) begin : align
                logic [TOTAL-1:0]  total;
                logic [SIGNED-1:0] exponent, below;
                total    = total_4[TOTAL-1] ? total_4 : total_4 << 1;
                exponent = exponent_4 + SIGNED'(total_4[TOTAL-1]);
                below    = SIGNED'(1) - exponent; // of the smallest normal exponent
                if (exponent[SIGNED-1] || exponent == 0) begin
                    exponent_5 <= '0;
                    total_5    <= shifted(total, below > SIGNED'(FAR) ? SIGNED'(FAR) : below);
                end else begin
                    exponent_5 <= exponent;
                    total_5    <= total;
                end
                sign_5     <= sign_4;
                infinity_5 <= infinity_4;
                nan_5      <= nan_4;
            end
            if (enable[5]) begin : round
                logic              up;
                logic [SIGNED+FRACTION-1:0] rounded;
                up      = total_5[FRACTION] && (total_5[FRACTION+1] || total_5[FRACTION-1:0] != 0);
                rounded = {total_5[TOTAL-1] ? exponent_5 : '0, total_5[TOTAL-2 -: FRACTION]}
                        + (SIGNED + FRACTION)'(up); // may carry into the exponent
                if (nan_5) product <= {1'b0, NAN};
                else if (infinity_5 || rounded >= (SIGNED + FRACTION)'(INFINITY)) product <= {sign_5, INFINITY};
                else product <= {sign_5, rounded[WIDTH-2:0]};
            end
        end

endmodule

`default_nettype wire
