// Takes an instruction of RV32IM (with reads of the counters of Zicntr) apart.
`default_nettype none

module rv32_decode (
    input  wire  [31:0]        instruction,

    output rv32_pkg::decoded_t decoded,
    output logic               uses_rs1,  // the operand is register rs1
    output logic               uses_rs2,  // register rs2, else the immediate
    output logic [31:0]        immediate, // second operand without rs2
    output logic [31:0]        offset,    // of loads, stores, jalr; number of a CSR
    output logic [31:0]        distance,  // of branches and jal
    output logic [31:0]        upper      // what lui loads and auipc adds
);

    localparam logic [6:0] LOAD   = 7'b0000011;
    localparam logic [6:0] FENCE  = 7'b0001111;
    localparam logic [6:0] OP_IMM = 7'b0010011;
    localparam logic [6:0] AUIPC  = 7'b0010111;
    localparam logic [6:0] STORE  = 7'b0100011;
    localparam logic [6:0] OP     = 7'b0110011;
    localparam logic [6:0] LUI    = 7'b0110111;
    localparam logic [6:0] BRANCH = 7'b1100011;
    localparam logic [6:0] JALR   = 7'b1100111;
    localparam logic [6:0] JAL    = 7'b1101111;
    localparam logic [6:0] SYSTEM = 7'b1110011;

    logic [6:0]  opcode, funct7;
    logic [2:0]  funct3;
    logic [4:0]  rd, rs1;
    logic [11:0] csr;
    logic        plain, sub_sra; // funct7 of most instructions; of sub and sra
    logic        has_rd;

    assign {funct7, csr} = {instruction[31:25], instruction[31:20]};
    assign {rs1, funct3, rd, opcode} = instruction[19:0];
    assign plain   = funct7 == 7'b0000000;
    assign sub_sra = funct7 == 7'b0100000;

    always_comb begin
        decoded            = '0;
        decoded.rd         = rd;
        decoded.funct3     = funct3;
        decoded.arithmetic = instruction[30];
        has_rd             = 1'b0;
        uses_rs1           = 1'b0;
        uses_rs2           = 1'b0;
        case (opcode)
            LUI, AUIPC: begin
                decoded.upper = 1'b1;
                has_rd        = 1'b1;
            end
            JAL: begin
                decoded.jal = 1'b1;
                has_rd      = 1'b1;
            end
            JALR: begin
                decoded.illegal = funct3 != 3'd0;
                decoded.jalr    = funct3 == 3'd0;
                has_rd          = 1'b1;
                uses_rs1        = 1'b1;
            end
            BRANCH: begin
                decoded.illegal  = funct3[2:1] == 2'b01;
                decoded.branch   = funct3[2:1] != 2'b01;
                uses_rs1         = 1'b1;
                uses_rs2         = 1'b1;
            end
            LOAD: begin
                decoded.illegal = funct3 == 3'd3 || funct3[2:1] == 2'b11;
                decoded.load    = !decoded.illegal;
                has_rd          = 1'b1;
                uses_rs1        = 1'b1;
            end
            STORE: begin
                decoded.illegal = funct3 > 3'd2;
                decoded.store   = !decoded.illegal;
                uses_rs1        = 1'b1;
                uses_rs2        = 1'b1;
            end
            OP_IMM: begin
                decoded.illegal  = funct3 == 3'd1 && !plain || funct3 == 3'd5 && !plain && !sub_sra;
                has_rd           = 1'b1;
                uses_rs1         = 1'b1;
            end
            OP: begin
                decoded.illegal  = !plain && funct7 != 7'b0000001 && !(sub_sra && (funct3 == 3'd0 || funct3 == 3'd5));
                decoded.multiply = funct7 == 7'b0000001 && !funct3[2];
                decoded.divide   = funct7 == 7'b0000001 && funct3[2];
                decoded.subtract = sub_sra;
                has_rd           = 1'b1;
                uses_rs1         = 1'b1;
                uses_rs2         = 1'b1;
            end
            FENCE: begin // accesses are in order: nothing to do for a plain one
                decoded.illegal = funct3 > 3'd1;
                decoded.fence_i = funct3 == 3'd1;
            end
            SYSTEM: begin
                if (funct3 == 3'd0) begin
                    decoded.ecall   = instruction == 32'h00000073;
                    decoded.ebreak  = instruction == 32'h00100073;
                    // wfi does nothing
                    decoded.illegal = !decoded.ecall && !decoded.ebreak && instruction != 32'h10500073;
                end else begin
                    // bits may be set or cleared if they are none: cycle, time, instret and their high halves
                    decoded.counter = funct3[1] && rs1 == 5'd0 && (csr & ~12'h083) == 12'hc00 && csr[1:0] != 2'd3;
                    decoded.illegal = !decoded.counter;
                    has_rd          = 1'b1;
                end
            end
            default: decoded.illegal = 1'b1;
        endcase
        decoded.writes = has_rd && rd != 5'd0;
    end

    assign immediate = {{20{instruction[31]}}, instruction[31:20]};
    assign offset    = {immediate[31:5], opcode[5] && !opcode[6] ? rd : instruction[24:20]};

    assign upper     = {instruction[31:12], 12'd0};

    always_comb begin // bit 2 tells jal from branches
        if (opcode[2])
            distance = {{12{instruction[31]}}, instruction[19:12], instruction[20], instruction[30:21], 1'b0};
        else           distance = {{20{instruction[31]}}, instruction[7], instruction[30:25], instruction[11:8], 1'b0};
    end

endmodule

`default_nettype wire
