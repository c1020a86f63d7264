// Where the program goes on after the instruction that is decoded, as far as it is
// worth a guess: back to the last caller that has not been returned to, and the way
// that a branch went the last time, at first backwards.
`default_nettype none

module rv32_predict #(
    parameter int unsigned CALLS    = 8, // return addresses, a power of two
    parameter int unsigned BRANCHES = 64 // by the lowest bits of their addresses
) (
    input  wire         clk,
    input  wire         rst,

    // Decoded.
    input  wire  [31:0] instruction,
    input  wire  [31:2] pc,
    output logic        returns,
    output logic [31:2] caller,
    output logic        likely,      // a branch is taken

    // Executed.
    input  wire         executed,
    input  wire         jumps,
    input  wire         branches,
    input  wire         links,       // it keeps where it comes from
    input  wire         came_back,   // it is a return
    input  wire  [31:2] executed_pc,
    input  wire         backwards,
    input  wire         taken
);

    localparam int unsigned DEPTH = $clog2(CALLS);
    localparam int unsigned INDEX = $clog2(BRANCHES);
    localparam logic [31:0] RET   = 32'h0000_8067; // jalr zero, 0(ra)

    logic [31:2]         callers [CALLS];
    logic [DEPTH-1:0]    last;   // of the callers
    logic [DEPTH-1:0]    next;
    logic [BRANCHES-1:0] unlike; // branches that went the other way

    assign returns = instruction == RET;
    assign caller  = callers[last];
    assign next    = last + 1'b1;
    assign likely  = instruction[31] ^ unlike[pc[INDEX+1:2]];

    initial for (int i = 0; i < CALLS; i++) callers[i] = '0;

    always_ff @(posedge clk) begin
        if (executed && jumps && links) callers[next] <= executed_pc + 30'd1;
        if (rst) begin
            last   <= '0;
            unlike <= '0;
        end else if (executed) begin
            if (jumps && links) last <= next;
            else if (came_back) last <= last - 1'b1;
            if (branches) unlike[executed_pc[INDEX+1:2]] <= taken != backwards;
        end
    end

    wire _unused = &{1'b0, pc[31:INDEX+2]};

endmodule

`default_nettype wire
