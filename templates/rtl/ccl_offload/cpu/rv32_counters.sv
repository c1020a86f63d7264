// The counters that a program can read: cycles since the reset, which time
// counts as well, and instructions.
`default_nettype none

module rv32_counters (
    input  wire         clk,
    input  wire         rst,
    input  wire         executed,     // an instruction
    input  wire         instructions, // which counter
    input  wire         high,         // which half
    output logic [31:0] value
);

    logic [63:0] cycle, instret;

    always_ff @(posedge clk) begin
        if (rst) begin
            cycle   <= '0;
            instret <= '0;
        end else begin
            cycle   <= cycle + 64'd1;
            if (executed) instret <= instret + 64'd1; // what is executed is known late: it enables, and is not added
        end
    end

    always_comb begin
        case ({instructions, high})
            2'b00:   value = cycle[31:0];
            2'b01:   value = cycle[63:32];
            2'b10:   value = instret[31:0];
            default: value = instret[63:32];
        endcase
    end

endmodule

`default_nettype wire
