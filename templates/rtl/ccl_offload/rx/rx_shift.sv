// Streams that begin at any byte of their first beat, from that byte on. Those that
// begin with their beat go through as they come.
`default_nettype none

module rx_shift (
    input  wire          clk,
    input  wire          rst,

    input  wire          in_valid,
    output logic         in_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] in_data,
    input  wire  [engine_pkg::KEEP_WIDTH-1:0] in_keep,  // of the last beat; others are full
    input  wire          in_last,
    // bytes of the first beat that are left out, of the whole stream
    input  wire  [5:0]   in_shift,

    output logic         out_valid,
    input  wire          out_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0] out_data, // 0 behind the end, if it comes so
    output logic [engine_pkg::KEEP_WIDTH-1:0] out_keep,
    output logic         out_last
);

    localparam int unsigned DATA = engine_pkg::DATA_WIDTH;
    localparam int unsigned KEEP = engine_pkg::KEEP_WIDTH;

    logic [DATA-1:0] turned;               // the beat
    logic [KEEP-1:0] turned_keep;
    logic [DATA-1:0] former;               // the beat before this one, rotated
    logic [KEEP-1:0] low;                  // lanes of the bytes that it has left
    logic            carries;              // bytes of the beat before are left
    logic            first, splits;        // nothing goes out yet; it goes out in two beats

    byte_rotate rotate (.in_data, .lanes(in_shift), .out_data(turned));
    byte_rotate #(.UNIT(1)) rotate_keep (.in_data(in_keep), .lanes(in_shift), .out_data(turned_keep));

    assign low       = {KEEP{1'b1}} >> in_shift;
    assign first     = in_shift != '0 && !carries && !in_last;
    assign splits    = carries && in_last && turned_keep[0];
    assign out_valid = in_valid && !first;
    assign in_ready  = first || out_ready && !splits;
    assign out_keep  = carries ? low | turned_keep : low & turned_keep;
    assign out_last  = in_last && !splits;

    always_comb
        for (int unsigned i = 0; i < KEEP; i++)
            out_data[8*i +: 8] = low[i] ? carries ? former[8*i +: 8] : turned[8*i +: 8]
                : turned[8*i +: 8] & {8{carries}};

    // The last beat that goes out in two is, behind the first of them, like one that
    // comes alone.
    always_ff @(posedge clk) begin
        if (rst) carries <= 1'b0;
        else if (in_valid && first) carries <= 1'b1;
        else if (out_valid && out_ready && in_last) carries <= 1'b0;
        if (in_valid && in_ready) former <= turned;
    end

endmodule

`default_nettype wire
