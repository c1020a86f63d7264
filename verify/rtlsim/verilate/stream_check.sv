// Stops the simulation when a stream breaks its promise: what is offered stays, and
// stays as it is, until it is taken. Several models may be in a process, on any of its
// threads: so the stop says whose it is, and there is no $error, which needs scopes.
`default_nettype none

module stream_check #(
    parameter string       NAME  = "",
    parameter int unsigned LANES = 1,   // streams side by side
    parameter int unsigned WIDTH = 1    // of the payload of each
) (
    input wire                   clk,
    input wire                   rst,
    input wire                   excused, // what waits may go or change
    input wire [LANES-1:0]       valid,
    input wire [LANES-1:0]       taken,
    input wire [LANES*WIDTH-1:0] payload
);

    logic [LANES-1:0]       waits;
    logic [LANES*WIDTH-1:0] held;

    // Resets may be registered, and registers begin with random values.
    logic [3:0] begun;
    initial begun = '0;

    always_ff @(posedge clk) begin
        if (begun != '1) begun <= {begun[2:0], rst};
        waits <= rst || excused ? '0 : valid & ~taken;
        if ((valid & ~taken) != '0) held <= payload;
        if (begun == '1 && !rst && !excused && waits != '0) begin
            for (int unsigned i = 0; i < LANES; i++) begin
                if (waits[i] && !valid[i]) begin
                    $display("%0s: what is offered goes before it is taken", NAME);
                    $c("Verilated::threadContextp(vlSymsp->_vm_contextp__);");
                    $stop;
                end else if (waits[i] && payload[WIDTH*i +: WIDTH] != held[WIDTH*i +: WIDTH]) begin
                    $display("%0s: payload changes while it waits, from %x to %x",
                        NAME, held[WIDTH*i +: WIDTH], payload[WIDTH*i +: WIDTH]);
                    $c("Verilated::threadContextp(vlSymsp->_vm_contextp__);");
                    $stop;
                end
            end
        end
    end

endmodule

`default_nettype wire
