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

    logic [WIDTH-1:0]   oldest, second;       // the oldest byte of each lane; the second beat
    logic [1:0]         beats, leaving, stay; // how many
    logic [5:0]         offset;               // of the next byte, in the first one
    logic [BEAT-1:0]    first, goes, turns;   // lanes: of the first beat; whose byte goes; that get another byte
    logic [6:0]         wanted, ending;       // where the part of the slice ends, from the begin of the first beat
    logic               finishing, move, take;
    logic [engine_pkg::KEEP_WIDTH-1:0] _unused_keep;

    beat_counter counter (
        .clk, .rst, .bytes(slice_bytes), .move, .last(out_last), .keep(_unused_keep), .beat_bytes(wanted)
    );
    byte_rotate rotate (.in_data(oldest), .lanes(offset), .out_data);

    always_comb
        for (int unsigned i = 0; i < BEAT; i++) begin
            first[i] = 6'(i) >= offset;
            goes[i]  = move && !finishing && 6'(i) < ending[5:0];
            turns[i] = first[i] ? beats == '0 || leaving != '0 || goes[i]
                : !beats[1] || leaving[1] || leaving[0] && goes[i];
        end

    // A beat is taken when there is room behind those that leave.
    assign ending      = 7'(offset) + wanted;
    assign out_valid   = slice_valid && (beats[1] || beats[0] && ending <= 7'(BEAT));
    assign move        = out_valid && out_ready;
    assign slice_ready = move && out_last;
    assign finishing   = out_last && slice_finishes;
    assign stay        = beats - leaving;
    assign in_ready    = !stay[1];
    assign take        = in_valid && in_ready;

    // The beat in which a finishing slice ends leaves as a whole.
    always_comb begin
        leaving = '0;
        if (move) leaving = finishing ? (ending > 7'(BEAT) ? 2'd2 : 2'd1) : {1'b0, ending[6]};
        if (drop) leaving = {1'b0, offset != '0};
    end

    always_ff @(posedge clk) begin
        if (take) second <= in_data;
        for (int unsigned i = 0; i < BEAT; i++)
            if (turns[i])
                oldest[8*i +: 8] <= first[i] && beats[1] && !leaving[1] ? second[8*i +: 8] : in_data[8*i +: 8];
        if (rst) begin
            beats  <= '0;
            offset <= '0;
        end else begin
            beats <= stay + 2'(take);
            if (move) offset <= finishing ? '0 : ending[5:0];
            if (drop) offset <= '0;
        end
    end

endmodule

`default_nettype wire
