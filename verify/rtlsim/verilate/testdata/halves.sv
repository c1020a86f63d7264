`default_nettype none

// Halves what is not 0, by a function in a block with a value of its own.
module halves (
    input  wire        clk,
    input  wire        enable,
    input  wire  [7:0] value,
    output logic [7:0] half
);

    function [7:0] halved(input [7:0] of);
        begin
            if (of == 0) halved = 8'hff;
            else halved = {1'b0, of[7:1]};
        end
    endfunction

    always_ff @(posedge clk) begin : block
        logic [7:0] larger;
        if (enable) begin
            larger = value;
            half <= halved(larger);
        end
    end

endmodule

`default_nettype wire
