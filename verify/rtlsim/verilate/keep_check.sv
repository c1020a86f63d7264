// Stops the simulation when a beat keeps other bytes than the first ones, none at
// all, or not all though it is not the last.
`default_nettype none

module keep_check #(
    parameter string       NAME  = "",
    parameter int unsigned EMPTY = 0,   // whether the last one may have none
    parameter int unsigned LANES = 1,
    parameter int unsigned WIDTH = 1
) (
    input wire                   clk,
    input wire                   rst,
    input wire [LANES-1:0]       valid,
    input wire [LANES*WIDTH-1:0] keep,
    input wire [LANES-1:0]       last
);

    function logic wrong(input logic [WIDTH-1:0] kept, input logic ends);
        wrong = kept == '0 && !(ends && EMPTY != 0) || (kept & (kept + 1'b1)) != '0 || !ends && kept != '1;
    endfunction

    logic [3:0] begun; // as in stream_check
    initial begun = '0;

    always_ff @(posedge clk) begin
        if (begun != '1) begun <= {begun[2:0], rst};
        for (int unsigned i = 0; i < LANES; i++) begin
            if (begun == '1 && !rst && valid[i] && wrong(keep[WIDTH*i +: WIDTH], last[i])) begin
                $display("%0s: a beat that %0s keeps %x", NAME,
                    last[i] ? "is the last" : "is not the last", keep[WIDTH*i +: WIDTH]);
                $c("Verilated::threadContextp(vlSymsp->_vm_contextp__);");
                $stop;
            end
        end
    end

endmodule

`default_nettype wire
