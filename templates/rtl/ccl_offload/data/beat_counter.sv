// Where a beat stands in a slice of some bytes.
`default_nettype none

module beat_counter (
    input  wire  clk,
    input  wire  rst,

    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] bytes, // of the slice; while it moves
    input  wire  move,                                 // a beat of it
    output logic last,
    output logic [engine_pkg::KEEP_WIDTH-1:0] keep,
    output logic [6:0] beat_bytes                      // of the present beat: 1 to 64
);

    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned BEAT   = cclo_pkg::BEAT_BYTES;
    localparam int unsigned KEEP   = engine_pkg::KEEP_WIDTH;

    logic [LENGTH-1:0] moved, left;

    assign left       = bytes - moved;
    assign last       = left <= LENGTH'(BEAT);
    assign beat_bytes = last ? 7'(left) : 7'(BEAT);
    assign keep       = last && left != LENGTH'(BEAT) ? ~({KEEP{1'b1}} << left) : '1;

    always_ff @(posedge clk) begin
        if (rst) moved <= '0;
        else if (move) moved <= last ? '0 : moved + LENGTH'(BEAT);
    end

endmodule

`default_nettype wire
