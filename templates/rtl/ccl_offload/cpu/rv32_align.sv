// The value that a load takes from the word that holds it.
`default_nettype none

module rv32_align (
    input  wire  [31:0] word,
    input  wire  [1:0]  lane,   // lowest address bits
    input  wire  [2:0]  funct3, // 0 lb, 1 lh, 2 lw, 4 lbu, 5 lhu
    output logic [31:0] value
);

    logic [7:0]  low;
    logic [15:0] half;
    logic        sign;

    assign half = lane[1] ? word[31:16] : word[15:0];
    assign low  = lane[0] ? half[15:8] : half[7:0];
    assign sign = !funct3[2] && (funct3[0] ? half[15] : low[7]);

    always_comb begin
        case (funct3[1:0])
            2'd0:    value = {{24{sign}}, low};
            2'd1:    value = {{16{sign}}, half};
            default: value = word;
        endcase
    end

endmodule

`default_nettype wire
