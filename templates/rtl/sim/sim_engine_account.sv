// What the cycles of a call go by with, for the simulation's host: from the first
// word of a call that the engine takes until its answer is taken. In each cycle one
// thing counts, the first of these that there is:
//
//   data      a beat moves to or from memory, or to or from the network
//   memory    slices or received packets are under way, but no beat moves
//   remote    moves wait for messages, or for memory of a remote rank
//   slot      moves wait for room for a packet
//   moves     moves are checked or cut
//   packets   packets are under way between the engine and the network
//   firmware  the processor works
//   asleep    the processor waits
//
// Calls that overlap share an account: it begins with the first of them, and with
// each answer after the first where the one before has ended.
`default_nettype none

module sim_engine_account #(
    parameter int ID = 0 // number of the engine
) (
    input wire       clk,
    input wire       rst,

    input wire       called,   // a word of a call is taken
    input wire       answered, // and an answer
    input wire [5:0] beats,    // operand 0, operand 1, result, inbound, transmit, receive
    input wire       data_busy,
    input wire       remote,
    input wire       slot,
    input wire       moves_busy,
    input wire       packets_busy,
    input wire       awake,
    input wire       issued,
    input wire       sliced
);

    localparam int COUNTERS = 17;

    import "DPI-C" function void sim_account_ended(input int id, input bit [32*COUNTERS-1:0] counts);

    logic                          open;
    logic [COUNTERS-1:0]           happens;
    logic [COUNTERS-1:0][31:0]     counts, after;

    always_comb begin
        happens = '0;
        if (beats != '0)       happens[0] = 1'b1;
        else if (data_busy)    happens[1] = 1'b1;
        else if (remote)       happens[2] = 1'b1;
        else if (slot)         happens[3] = 1'b1;
        else if (moves_busy)   happens[4] = 1'b1;
        else if (packets_busy) happens[5] = 1'b1;
        else if (awake)        happens[6] = 1'b1;
        else                   happens[7] = 1'b1;
        happens[8]     = awake;
        happens[14:9]  = beats;
        happens[15]    = issued;
        happens[16]    = sliced;
        for (int i = 0; i < COUNTERS; i++) after[i] = (open ? counts[i] : 32'd0) + 32'(happens[i]);
    end

    always_ff @(posedge clk) begin
        if (rst) begin
            open <= 1'b0;
        end else begin
            if (open || called) counts <= after;
            if (answered) sim_account_ended(ID, after);
            open <= (open || called) && !answered;
        end
    end

endmodule

`default_nettype wire
