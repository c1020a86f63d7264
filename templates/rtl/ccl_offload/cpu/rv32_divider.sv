// Quotient or remainder, one bit a cycle: 33 cycles after start the result is
// there, until taken.
`default_nettype none

module rv32_divider (
    input  wire         clk,
    input  wire         rst,

    input  wire         start,  // the operands are there; they are kept then
    input  wire  [31:0] a,
    input  wire  [31:0] b,
    input  wire         no_sign,       // both are unsigned
    input  wire         for_remainder, // the result is the remainder

    output logic        done,
    input  wire         taken,
    output logic [31:0] result
);

    logic        busy;
    logic [4:0]  left;
    logic [31:0] remainder, quotient, divisor; // quotient also holds what is left of the dividend
    logic        negative;
    logic [32:0] shifted, reduced;
    logic        fits;

    assign shifted = {remainder, quotient[31]};
    assign reduced = shifted - {1'b0, divisor};
    assign fits    = !reduced[32];

    // Division by zero yields a quotient of ones and the dividend as remainder,
    // the overflow the dividend and 0: both come out by themselves.
    always_ff @(posedge clk) begin
        if (!busy && !done) begin
            left      <= 5'd31;
            remainder <= 32'd0;
            quotient  <= !no_sign && a[31] ? -a : a;
            divisor   <= !no_sign && b[31] ? -b : b;
            negative  <= !no_sign && (for_remainder ? a[31] : a[31] != b[31] && b != 32'd0);
        end else if (busy) begin
            left      <= left - 5'd1;
            remainder <= fits ? reduced[31:0] : shifted[31:0];
            quotient  <= {quotient[30:0], fits};
        end
        if (rst || taken) begin
            busy <= 1'b0;
            done <= 1'b0;
        end else if (busy) begin
            busy <= left != 5'd0;
            done <= left == 5'd0;
        end else begin
            busy <= start && !done;
        end
    end

    logic [31:0] magnitude;

    assign magnitude = for_remainder ? remainder : quotient;
    assign result    = negative ? -magnitude : magnitude;

endmodule

`default_nettype wire
