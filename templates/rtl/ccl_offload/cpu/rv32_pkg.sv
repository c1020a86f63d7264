// What the decoder of the control processor says about an instruction, and why
// an instruction traps.
`default_nettype none

package rv32_pkg;

    // Values of the RISC-V register mcause.
    localparam logic [3:0] CAUSE_MISALIGNED_FETCH    = 4'd0;
    localparam logic [3:0] CAUSE_UNMAPPED_FETCH      = 4'd1;
    localparam logic [3:0] CAUSE_ILLEGAL_INSTRUCTION = 4'd2;
    localparam logic [3:0] CAUSE_BREAKPOINT          = 4'd3;
    localparam logic [3:0] CAUSE_MISALIGNED_LOAD     = 4'd4;
    localparam logic [3:0] CAUSE_UNMAPPED_LOAD       = 4'd5;
    localparam logic [3:0] CAUSE_MISALIGNED_STORE    = 4'd6;
    localparam logic [3:0] CAUSE_UNMAPPED_STORE      = 4'd7;
    localparam logic [3:0] CAUSE_ENVIRONMENT_CALL    = 4'd11;

    // At most one of the kinds (illegal ... divide) is set; none is arithmetic
    // of the ALU or does nothing.
    typedef struct packed {
        logic       illegal;
        logic       ecall;
        logic       ebreak;
        logic       fence_i;    // what was fetched ahead is fetched again
        logic       load;
        logic       store;
        logic       branch;
        logic       jal;
        logic       jalr;
        logic       upper;      // lui, auipc
        logic       counter;    // reads cycle, time or instret
        logic       multiply;
        logic       divide;
        logic       writes;     // has a destination other than x0
        logic [4:0] rd;
        logic [2:0] funct3;
        logic       subtract;   // the adder computes a - b
        logic       arithmetic; // right shifts keep the sign
    } decoded_t;

endpackage

`default_nettype wire
