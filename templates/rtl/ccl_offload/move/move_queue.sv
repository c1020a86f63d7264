// Moves of a queue that have not started. They may be dropped all at once.
`default_nettype none

module move_queue (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   clear,

    input  wire                   push,
    input  wire move_pkg::move_t  move,
    input  wire                   pending,    // one more will be pushed
    output logic [7:0]            waiting,    // that one included

    output logic                  out_valid,
    input  wire                   out_ready,
    output move_pkg::move_t       out_move
);

    localparam int unsigned DEPTH = cclo_pkg::MOVE_QUEUE_DEPTH;
    localparam int unsigned WIDTH = 32'($bits(move));
    localparam int unsigned COUNT = 32'($clog2(DEPTH + 1));

    logic [COUNT-1:0] count;
    logic             room, _unused;

    assign waiting = 8'(count) + 8'(pending);
    assign _unused = room; // whoever pushes has counted

    fifo #(.WIDTH(WIDTH), .DEPTH(DEPTH)) moves (
        .clk, .rst, .clear,
        .in_valid(push), .in_ready(room), .in_data(move),
        .out_valid, .out_ready, .out_data(out_move),
        .count
    );

endmodule

`default_nettype wire
