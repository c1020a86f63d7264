// Converts float16 to float32 in two stages, which is exact. NaN becomes the
// canonical quiet one.
`default_nettype none

module float16_to_float32 (
    input  wire         clk,
    input  wire [1:0]   enable, // of each stage, the first one lowest
    input  wire [15:0]  in,
    output logic [31:0] out
);

    localparam logic [7:0] REBIAS = 8'd127 - 8'd15;

    // Places by which the fraction of a subnormal moves up to have its leading
    // one in front.
    function [3:0] places(input [9:0] fraction);
        begin
            places = 4'd0;
            for (int place = 0; place < 10; place = place + 1) if (fraction[place]) places = 4'(10 - place);
        end
    endfunction

    logic       sign_1, zero_1, infinity_1, nan_1;
    logic [7:0] exponent_1;
    logic [9:0] fraction_1;
    logic [3:0] places_1;

    always_ff @(posedge clk)
        if (enable != 0) begin : stages
            if (enable[0]) begin : normalise
                sign_1     <= in[15];
                zero_1     <= in[14:0] == 0;
                infinity_1 <= in[14:10] == 5'h1F;
                nan_1      <= in[14:10] == 5'h1F && in[9:0] != 0;
                exponent_1 <= in[14:10] == 0 ? REBIAS + 8'd1 - 8'(places(in[9:0])) : REBIAS + 8'(in[14:10]);
                fraction_1 <= in[9:0];
                places_1   <= in[14:10] == 0 ? places(in[9:0]) : '0;
            end
            if (enable[1]) begin : widen
                if (nan_1) out <= {1'b0, 8'hFF, 1'b1, 22'd0};
                else if (infinity_1) out <= {sign_1, 8'hFF, 23'd0};
                else if (zero_1) out <= {sign_1, 31'd0};
                else out <= {sign_1, exponent_1, fraction_1 << places_1, 13'd0};
            end
        end

endmodule

`default_nettype wire
