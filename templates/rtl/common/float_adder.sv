// Adds two IEEE 754 numbers in six stages: round to nearest, ties to even, with
// subnormals and infinities; NaN results are the canonical quiet one. A stage
// keeps what it has while its enable is low.
`default_nettype none

module float_adder #(
    parameter int unsigned EXPONENT = 8, // bits of the exponent
    parameter int unsigned FRACTION = 23 // bits of the fraction
) (
    input  wire                        clk,
    input  wire [5:0]                  enable, // of each stage, the first one lowest
    input  wire [EXPONENT+FRACTION:0]  a,
    input  wire [EXPONENT+FRACTION:0]  b,
    output logic [EXPONENT+FRACTION:0] sum
);

    localparam int unsigned WIDTH = 1 + EXPONENT + FRACTION;
    localparam int unsigned TOTAL = FRACTION + 5;    // carry, leading bit, fraction, three bits to round by
    localparam int unsigned BYTES = (TOTAL + 7) / 8; // normalised by bytes first, then by bits
    localparam int unsigned WIDE  = 8 * BYTES;
    localparam int unsigned INDEX = $clog2(BYTES);

    localparam logic [EXPONENT-1:0] LARGEST  = '1; // exponent of infinities and NaNs
    localparam logic [WIDTH-2:0]    INFINITY = {LARGEST, FRACTION'(0)};
    localparam logic [WIDTH-2:0]    NAN      = {LARGEST, 1'b1, (FRACTION - 1)'(0)};

    // Exponent and all bits of the significand. Subnormals have the exponent of
    // the smallest normal numbers.
    function [WIDTH-1:0] unpacked(input [WIDTH-2:0] magnitude);
        begin
            if (magnitude[FRACTION +: EXPONENT] == 0) unpacked = {EXPONENT'(1), 1'b0, magnitude[FRACTION-1:0]};
            else unpacked = {magnitude[FRACTION +: EXPONENT], 1'b1, magnitude[FRACTION-1:0]};
        end
    endfunction

    // Shifts right. The lowest bit also tells whether ones were lost.
    function [TOTAL-2:0] aligned(input [TOTAL-2:0] value, input [EXPONENT-1:0] by);
        begin
            aligned    = value >> by;
            aligned[0] = aligned[0] || (value & ~({TOTAL - 1{1'b1}} << by)) != 0;
        end
    endfunction

    // Byte, from the top, that has the first one, but no byte behind the limit.
    function [INDEX-1:0] leading_byte(input [WIDE-1:0] value, input [EXPONENT-4:0] limit);
        begin
            leading_byte = INDEX'(BYTES - 1);
            for (int i = BYTES - 1; i >= 0; i = i - 1)
                if (value[8*(BYTES-1-i) +: 8] != 0 || limit == (EXPONENT - 3)'(i)) leading_byte = INDEX'(i);
        end
    endfunction

    function [2:0] leading_bit(input [7:0] value);
        begin
            leading_bit = 3'd7;
            for (int i = 7; i >= 0; i = i - 1) if (value[7-i]) leading_bit = 3'(i);
        end
    endfunction

    logic [EXPONENT-1:0] larger_exponent_1, smaller_exponent_1, exponent_2, exponent_3, exponent_4, exponent_5;
    logic [FRACTION:0]   larger_1, smaller_1, larger_2; // significands
    logic [TOTAL-2:0]    smaller_2;
    logic [WIDE-1:0]     total_3, total_4, total_5;
    logic [7:0]          limit_4;                       // the last bit that may lead, if it is in the first byte
    logic                sign_1, sign_2, sign_3, sign_4, sign_5;
    logic                subtract_1, subtract_2, subtract_3;
    logic                infinity_1, infinity_2, infinity_3, infinity_4, infinity_5;
    logic                nan_1, nan_2, nan_3, nan_4, nan_5;

    // Everything is inside of the conditions: simulation skips what is idle.
    always_ff @(posedge clk)
        if (enable != 0) begin : stages
            if (enable[0]) begin : order
                logic             a_is_smaller, differ;
                logic [WIDTH-2:0] larger, smaller;
                a_is_smaller = a[WIDTH-2:0] < b[WIDTH-2:0];
                larger       = a_is_smaller ? b[WIDTH-2:0] : a[WIDTH-2:0];
                smaller      = a_is_smaller ? a[WIDTH-2:0] : b[WIDTH-2:0];
                differ       = a[WIDTH-1] != b[WIDTH-1];
                {larger_exponent_1, larger_1}   <= unpacked(larger);
                {smaller_exponent_1, smaller_1} <= unpacked(smaller);
                sign_1     <= a_is_smaller ? b[WIDTH-1] : a[WIDTH-1];
                subtract_1 <= differ;
                infinity_1 <= larger == INFINITY;
                nan_1      <= larger > INFINITY || smaller == INFINITY && differ;
            end
            if (enable[1]) begin : align
                exponent_2 <= larger_exponent_1;
                larger_2   <= larger_1;
                smaller_2  <= aligned({smaller_1, 3'd0}, larger_exponent_1 - smaller_exponent_1);
                sign_2     <= sign_1;
                subtract_2 <= subtract_1;
                infinity_2 <= infinity_1;
                nan_2      <= nan_1;
            end
            if (enable[2]) begin : add
                logic [TOTAL-1:0] larger, smaller, total;
                larger  = {1'b0, larger_2, 3'd0};
                smaller = {1'b0, smaller_2};
                total   = subtract_2 ? larger - smaller : larger + smaller;
                exponent_3 <= exponent_2;
                total_3    <= {total, (WIDE - TOTAL)'(0)};
                sign_3     <= sign_2;
                subtract_3 <= subtract_2;
                infinity_3 <= infinity_2;
                nan_3      <= nan_2;
            end
            if (enable[3]) begin : normalise_bytes
                logic [INDEX-1:0] by;
                by = leading_byte(total_3, exponent_3[EXPONENT-1:3]);
                exponent_4 <= exponent_3 + 1'b1 - EXPONENT'({by, 3'd0});
                total_4    <= total_3 << {by, 3'd0};
                limit_4    <= exponent_3[EXPONENT-1:3] == (EXPONENT - 3)'(by) ? 8'h80 >> exponent_3[2:0] : '0;
                sign_4     <= sign_3 && !(subtract_3 && total_3 == 0); // x - x is +0
                infinity_4 <= infinity_3;
                nan_4      <= nan_3;
            end
            if (enable[4]) begin : normalise_bits
                logic [2:0] by;
                by = leading_bit(total_4[WIDE-1 -: 8] | limit_4);
                exponent_5 <= exponent_4 - EXPONENT'(by);
                total_5    <= total_4 << by;
                sign_5     <= sign_4;
                infinity_5 <= infinity_4;
                nan_5      <= nan_4;
            end
            if (enable[5]) begin : round
                logic             up;
                logic [WIDTH-2:0] rounded;
                up      = total_5[WIDE-FRACTION-2] && (total_5[WIDE-FRACTION-1] || total_5[WIDE-FRACTION-3:0] != 0);
                // may carry into the exponent
                rounded = {total_5[WIDE-1] ? exponent_5 : '0, total_5[WIDE-2 -: FRACTION]} + (WIDTH - 1)'(up);
                if (nan_5) sum <= {1'b0, NAN};
                else if (infinity_5 || rounded >= INFINITY) sum <= {sign_5, INFINITY};
                else sum <= {sign_5, rounded};
            end
        end

endmodule

`default_nettype wire
