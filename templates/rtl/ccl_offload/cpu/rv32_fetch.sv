// Goes through the program: the address that the RAM reads next, and what is
// known about the word that it shows now.
`default_nettype none

module rv32_fetch #(
    parameter int unsigned RAM_BYTES = 65536 // a power of two
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         advance,     // the word shown is taken

    input  wire         redirect,    // neither the word shown nor the one being read is executed, but the one at:
    input  wire  [31:2] redirect_pc,
    input  wire         predict,     // the word shown is executed, and then the one at:
    input  wire  [31:2] predict_pc,
    input  wire         show,        // no word is taken any more, and the one at this address is read:
    input  wire  [31:2] show_pc,

    output logic [$clog2(RAM_BYTES/4)-1:0] address, // of the word being read
    output logic        valid,       // the word shown is an instruction to be executed,
    output logic [31:2] pc,          // whose address is this,
    output logic        unmapped     // outside the RAM
);

    logic [31:2] next_pc;

    assign address = next_pc[$clog2(RAM_BYTES/4)+1:2];

    always_ff @(posedge clk) begin
        if (rst) begin
            next_pc <= '0;
            valid   <= 1'b0;
        end else if (advance) begin
            if (redirect) next_pc <= redirect_pc;
            else if (predict) next_pc <= predict_pc;
            else next_pc <= next_pc + 30'd1;
            valid <= !redirect && !predict;
        end else if (show) begin
            next_pc <= show_pc;
        end
        if (advance) begin
            pc       <= next_pc;
            unmapped <= next_pc >= 30'(RAM_BYTES / 4);
        end
    end

endmodule

`default_nettype wire
