// Tells whether an instruction traps, from what it is and where it goes, and why.
// The traps of bus accesses come later and are not among these.
`default_nettype none

module rv32_trap (
    input  wire         unmapped, // there is no instruction
    input  wire         illegal,
    input  wire         ebreak,
    input  wire         ecall,
    input  wire         load,
    input  wire         store,
    input  wire         jalr,
    input  wire  [31:0] pc,
    input  wire  [31:0] address,  // of a load or store, target of jalr
    input  wire         misaligned,
    input  wire         jump,     // branch taken, or jal
    input  wire  [31:0] target,   // of it

    output logic        trap,
    output logic [3:0]  cause,
    output logic [31:0] trap_address
);

    logic astray;

    assign astray = jump && target[1] || jalr && address[1];

    always_comb begin
        trap         = 1'b1;
        cause        = rv32_pkg::CAUSE_MISALIGNED_FETCH;
        trap_address = '0;
        if (unmapped) begin
            cause        = rv32_pkg::CAUSE_UNMAPPED_FETCH;
            trap_address = pc;
        end else if (illegal) begin
            cause = rv32_pkg::CAUSE_ILLEGAL_INSTRUCTION;
        end else if (ebreak) begin
            cause = rv32_pkg::CAUSE_BREAKPOINT;
        end else if (ecall) begin
            cause = rv32_pkg::CAUSE_ENVIRONMENT_CALL;
        end else if (load || store) begin
            trap         = misaligned;
            cause        = load ? rv32_pkg::CAUSE_MISALIGNED_LOAD : rv32_pkg::CAUSE_MISALIGNED_STORE;
            trap_address = address;
        end else begin
            trap         = astray;
            trap_address = jalr ? {address[31:1], 1'b0} : target;
        end
    end

endmodule

`default_nettype wire
