// Joins the packets of a put to whole beats: what is left of one that ends within a
// beat waits for the next. Those that begin and end with beats go through as they
// come.
`default_nettype none

module put_joiner (
    input  wire          clk,
    input  wire          rst,

    input  wire          in_valid,
    output logic         in_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] in_data,
    input  wire  [engine_pkg::KEEP_WIDTH-1:0] in_keep,  // of the last beat; others are full
    input  wire          in_last,
    input  wire  [5:0]   in_level,                      // bytes that packets before have left, of the whole packet
    input  wire          in_ends,                       // the put ends with the packet

    output logic         out_valid,
    input  wire          out_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0] out_data, // 0 behind the end
    output logic [engine_pkg::KEEP_WIDTH-1:0] out_keep,
    output logic         out_last                       // beats of the packet end with it
);

    localparam int unsigned DATA = engine_pkg::DATA_WIDTH;
    localparam int unsigned KEEP = engine_pkg::KEEP_WIDTH;

    logic [DATA-1:0]   left, kept;           // of the packets before; what counts of the beat
    logic [2*DATA-1:0] pair;
    logic [2*KEEP-1:0] keeps;
    logic              full, more, splits, second;

    always_comb
        for (int unsigned i = 0; i < KEEP; i++) kept[8*i +: 8] = in_data[8*i +: 8] & {8{in_keep[i]}};

    assign pair      = {DATA'(0), kept} << {in_level, 3'd0} | {DATA'(0), in_level != '0 ? left : DATA'(0)};
    assign keeps     = ~({2*KEEP{1'b1}} << in_level) | {KEEP'(0), in_keep} << in_level;
    assign full      = keeps[KEEP-1];
    assign more      = keeps[KEEP];
    assign splits    = in_last && in_ends && more && !second;
    assign out_valid = in_valid && (full || in_last && in_ends);
    assign in_ready  = !full && !(in_last && in_ends) || out_ready && !splits;
    assign out_data  = second ? pair[2*DATA-1:DATA] : pair[DATA-1:0];
    assign out_keep  = second ? keeps[2*KEEP-1:KEEP] : keeps[KEEP-1:0];
    assign out_last  = in_last && (second || !more);

    always_ff @(posedge clk) begin
        if (rst) second <= 1'b0;
        else if (out_valid && out_ready) second <= splits;
        if (in_valid && in_ready) left <= full ? pair[2*DATA-1:DATA] : pair[DATA-1:0];
    end

endmodule

`default_nettype wire
