// Arithmetic, logic and shifts of one cycle, and the conditions of branches.
`default_nettype none

module rv32_alu (
    input  wire  [31:0] a,
    input  wire  [31:0] b,
    input  wire  [2:0]  funct3,
    input  wire         subtract,
    input  wire         arithmetic,

    output logic [31:0] result,
    output logic        condition // of the branch with this funct3, if subtract is set
);

    logic [31:0] sum, right;
    logic        carry, equal, less, less_unsigned;

    assign {carry, sum}  = {1'b0, a} + {1'b0, subtract ? ~b : b} + 33'(subtract);
    assign equal         = a == b;
    assign less_unsigned = !carry;
    assign less          = a[31] == b[31] ? less_unsigned : a[31];
    assign right         = 32'({{32{arithmetic && a[31]}}, a} >> b[4:0]);

    always_comb begin
        case (funct3)
            3'd0:    result = sum;
            3'd1:    result = a << b[4:0];
            3'd2:    result = {31'd0, less};
            3'd3:    result = {31'd0, less_unsigned};
            3'd4:    result = a ^ b;
            3'd5:    result = right;
            3'd6:    result = a | b;
            default: result = a & b;
        endcase
    end

    always_comb begin
        case (funct3[2:1])
            2'd0:    condition = equal;
            2'd2:    condition = less;
            default: condition = less_unsigned;
        endcase
        if (funct3[0]) condition = !condition;
    end

endmodule

`default_nettype wire
