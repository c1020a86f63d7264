// Moves of a queue that have been cut but not completed, in order. They
// complete when their last slice has retired; one without slices does when it
// is its turn.
`default_nettype none

module move_order (
    input  wire         clk,
    input  wire         rst,
    input  wire         clear,
    input  wire         freeze,

    input  wire         push,
    input  wire         without_slices,
    input  wire         dispatched,   // a slice
    input  wire         retired,      // a slice
    input  wire         retired_last, // it was the last one of its move

    output logic        completed,
    output logic        drained,      // no slice is under way
    output logic        empty         // and no move has to complete
);

    localparam int unsigned DEPTH = cclo_pkg::MOVE_QUEUE_DEPTH;
    localparam int unsigned COUNT = 32'($clog2(DEPTH + 1));

    logic [DEPTH-1:0] bare;   // of the moves, oldest first: without slices
    logic [COUNT-1:0] moves, ended;
    logic [7:0]       slices;
    logic             has_ended;
    logic [DEPTH-1:0] shifted;
    logic [COUNT-1:0] behind;

    assign has_ended = bare[0] || ended != '0;
    assign completed = moves != '0 && has_ended && !freeze;
    assign drained   = slices == '0;
    assign empty     = moves == '0 && drained;
    assign shifted   = completed ? bare >> 1 : bare;
    assign behind    = moves - COUNT'(completed);

    always_ff @(posedge clk) begin
        if (rst) slices <= '0;
        else slices <= slices + 8'(dispatched) - 8'(retired);
        if (rst || clear) begin
            moves <= '0;
            ended <= '0;
            bare  <= '0;
        end else begin
            moves <= behind + COUNT'(push);
            ended <= ended + COUNT'(retired && retired_last) - COUNT'(completed && !bare[0]);
            for (int unsigned i = 0; i < DEPTH; i++)
                bare[i] <= push && behind == COUNT'(i) ? without_slices : shifted[i];
        end
    end

endmodule

`default_nettype wire
