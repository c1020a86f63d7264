// Converts float32 to float16 in two stages: rounds to nearest, ties to even, with
// subnormals; what is too large becomes infinity, NaN the canonical quiet one.
`default_nettype none

module float32_to_float16 (
    input  wire         clk,
    input  wire [1:0]   enable, // of each stage, the first one lowest
    input  wire [31:0]  in,
    output logic [15:0] out
);

    localparam logic [7:0]  SMALLEST = 8'd127 - 8'd14; // exponent of the smallest normal float16
    localparam logic [7:0]  TOO_MUCH = 8'd127 + 8'd16; // 2^16
    localparam logic [14:0] INFINITY = {5'h1F, 10'd0};
    localparam logic [14:0] NAN      = {5'h1F, 1'b1, 9'd0};

    logic        sign_1, half_1, more_1, infinity_1, nan_1;
    logic [4:0]  exponent_1; // less the one that the leading bit adds
    logic [10:0] kept_1;     // leading bit and fraction

    always_ff @(posedge clk)
        if (enable != 0) begin : stages
            if (enable[0]) begin : align
                logic [7:0]  below;
                logic [23:0] significand, aligned;
                below       = in[30:23] < SMALLEST ? SMALLEST - in[30:23] : '0;
                significand = {in[30:23] != 0, in[22:0]};
                aligned     = significand >> below;
                sign_1     <= in[31];
                exponent_1 <= below == 0 ? 5'(in[30:23] - SMALLEST) : '0;
                {kept_1, half_1} <= aligned[23:12];
                more_1     <= aligned[11:0] != 0 || (significand & ~(24'hFFFFFF << below)) != 0;
                infinity_1 <= in[30:23] >= TOO_MUCH;
                nan_1      <= in[30:0] > {8'hFF, 23'd0};
            end
            if (enable[1]) begin : round
                if (nan_1) out <= {1'b0, NAN};
                else if (infinity_1) out <= {sign_1, INFINITY};
                else out <= {sign_1, {exponent_1, 10'd0} + 15'(kept_1) + 15'(half_1 && (more_1 || kept_1[0]))};
            end
        end

endmodule

`default_nettype wire
