// The registers x0 to x31: two are read at once, one is written. x0 is never
// written by the core, so it stays 0.
`default_nettype none

module rv32_registers (
    input  wire         clk,

    input  wire  [4:0]  rs1,
    output logic [31:0] value1,
    input  wire  [4:0]  rs2,
    output logic [31:0] value2,

    input  wire         write,
    input  wire  [4:0]  rd,
    input  wire  [31:0] value
);

    logic [31:0] values [32];

    initial for (int i = 0; i < 32; i++) values[i] = 32'd0;

    assign value1 = values[rs1];
    assign value2 = values[rs2];

    always_ff @(posedge clk) if (write) values[rd] <= value;

endmodule

`default_nettype wire
