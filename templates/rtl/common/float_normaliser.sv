// Moves a number up until a one is in front: by one step, two or three of so many places, as far as there is room. Of
// bits that leave at the bottom the lowest one that stays tells whether there were ones.
`default_nettype none

module float_normaliser #(
    parameter int unsigned WIDTH = 28, // bits of the number
    parameter int unsigned STAY  = 28, // of these, at the top
    parameter int unsigned STEP  = 16  // places
) (
    input  wire              clk,
    input  wire              enable,
    input  wire  [5:0]       room,
    input  wire  [WIDTH-1:0] number,
    output logic             zero,     // the number is
    output logic [1:0]       steps,    // in this cycle
    output logic [5:0]       out_room,
    output logic [STAY-1:0]  out_number
);

    localparam int unsigned PADDED = WIDTH > 64 ? WIDTH : 64;
    localparam int unsigned GONE   = WIDTH - STAY;

    logic [PADDED-1:0] top;
    logic [3:1]        clear; // so many steps lose no ones
    logic [1:0]        most;
    logic [5:0]        by;
    logic              lost;
    logic [WIDTH-1:0]  moved;

    always_comb begin
        top      = PADDED'(number) << (PADDED - WIDTH);
        clear[1] = top[PADDED-1 -: STEP] == 0;
        clear[2] = clear[1] && top[PADDED-1-STEP -: STEP] == 0;
        clear[3] = clear[2] && top[PADDED-1-2*STEP -: STEP] == 0;
        zero     = clear[3] && top[PADDED-1-3*STEP:0] == 0;
        most     = 7'(room) >= 7'(4 * STEP) ? 2'd3 : 2'(room / 6'(STEP));
        steps[1] = STEP * 2 < WIDTH && clear[2] && most[1];
        steps[0] = steps[1] ? STEP * 3 < WIDTH && clear[3] && most[0] : STEP < WIDTH && clear[1] && most != 0;
        by       = 6'(steps) << $clog2(STEP);
        if (steps[1]) moved = steps[0] ? number << 3 * STEP : number << 2 * STEP;
        else moved = steps[0] ? number << STEP : number;
        lost     = (number & ~({WIDTH{1'b1}} << GONE) >> by) != 0;
    end

    always_ff @(posedge clk)
        if (enable) begin
            out_room   <= room - by;
            out_number <= STAY'(moved >> GONE) | STAY'(lost);
        end

endmodule

`default_nettype wire
