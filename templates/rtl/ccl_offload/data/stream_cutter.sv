// Cuts a stream of whole beats into slices of any number of bytes: a slice goes
// on where the one before ended, in the middle of a beat. After a slice that
// finishes, the rest of its last beat is dropped.
`default_nettype none

module stream_cutter (
    input  wire  clk,
    input  wire  rst,

    input  wire  slice_valid,
    output logic slice_ready,   // with the last beat
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] slice_bytes, // not 0
    input  wire  slice_finishes,
    input  wire  drop,          // a pulse between slices: so is the rest of a beat

    input  wire  in_valid,
    output logic in_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] in_data,

    output logic out_valid,
    input  wire  out_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0] out_data,
    output logic out_last
);

    localparam int unsigned WIDTH = engine_pkg::DATA_WIDTH;
    localparam int unsigned BEAT  = cclo_pkg::BEAT_BYTES;

    logic [2*WIDTH-1:0] held, after;
    logic [7:0]         level, rest, dropped; // bytes held: 0 to 128
    logic [6:0]         wanted;
    logic               move, take;
    logic [engine_pkg::KEEP_WIDTH-1:0] _unused_keep;

    beat_counter counter (
        .clk, .rst, .bytes(slice_bytes), .move, .last(out_last), .keep(_unused_keep), .beat_bytes(wanted)
    );

    // A beat is taken when there is room behind the one that leaves.
    assign out_valid   = slice_valid && level >= 8'(wanted);
    assign out_data    = held[WIDTH-1:0];
    assign move        = out_valid && out_ready;
    assign slice_ready = move && out_last;
    assign in_ready    = rest <= 8'(BEAT);
    assign take        = in_valid && in_ready;

    // What is dropped is the rest of the beat in which a finishing slice ends;
    // a whole beat behind it stays.
    always_comb begin
        rest    = level;
        dropped = '0;
        if (move) begin
            dropped = 8'(wanted);
            rest    = level - 8'(wanted);
            if (out_last && slice_finishes) begin
                dropped = dropped + {2'd0, rest[5:0]};
                rest    = {rest[7:6], 6'd0};
            end
        end
        if (drop) begin
            dropped = {2'd0, level[5:0]};
            rest    = {level[7:6], 6'd0};
        end
        after = held >> {dropped, 3'd0};
    end

    always_ff @(posedge clk) begin
        if (rst) begin
            level <= '0;
            held  <= '0;
        end else begin
            level <= take ? rest + 8'(BEAT) : rest;
            held  <= take ? after | ((2*WIDTH)'(in_data) << {rest, 3'd0}) : after;
        end
    end

endmodule

`default_nettype wire
