// Arithmetic, logic and shifts of one cycle, and the conditions of branches.
`default_nettype none

module rv32_alu (
    input  wire  [31:0] a,
    input  wire  [31:0] b,
    input  wire  [2:0]  funct3,
    input  wire         subtract,
    input  wire         arithmetic,

    output logic [31:0] result,
    output logic        condition // of the branch with this funct3
);

    logic [31:0] sum, right, others;
    logic        equal, less, signs; // the operands have signs

    // Nothing follows the chain that compares: slt is the longest way to a result.
    assign sum   = a + (subtract ? ~b : b) + 32'(subtract);
    assign equal = a == b;
    assign signs = funct3[2] ? !funct3[1] : !funct3[0]; // blt, bge; slt
    assign less  = {a[31] ^ signs, a[30:0]} < {b[31] ^ signs, b[30:0]};
    assign right = 32'({{32{arithmetic && a[31]}}, a} >> b[4:0]);

    always_comb begin
        case (funct3)
            3'd1:    others = a << b[4:0];
            3'd2:    others = {31'd0, less};
            3'd3:    others = {31'd0, less};
            3'd4:    others = a ^ b;
            3'd5:    others = right;
            3'd6:    others = a | b;
            default: others = a & b;
        endcase
    end

    assign result = funct3 == 3'd0 ? sum : others; // the sum is last

    always_comb begin
        condition = funct3[2] ? less : equal;
        if (funct3[0]) condition = !condition;
    end

endmodule

`default_nettype wire
