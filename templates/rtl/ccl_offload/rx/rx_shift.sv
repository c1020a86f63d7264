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
    output logic [engine_pkg::DATA_WIDTH-1:0] out_data,
    output logic [engine_pkg::KEEP_WIDTH-1:0] out_keep,
    output logic         out_last
);

    localparam int unsigned DATA = engine_pkg::DATA_WIDTH;
    localparam int unsigned KEEP = engine_pkg::KEEP_WIDTH;

    logic [DATA-1:0]   former;               // the beat before this one
    logic              carries;              // of which bytes are left
    logic              first, splits;        // nothing goes out yet; it goes out in two beats
    logic [2*DATA-1:0] pair;
    logic [2*KEEP-1:0] keeps;
    logic              unused;

    assign first     = in_shift != '0 && !carries && !in_last;
    assign splits    = carries && in_last && in_keep[in_shift];
    assign pair      = (carries ? {in_data, former} : {DATA'(0), in_data}) >> {in_shift, 3'd0};
    assign keeps     = (carries ? {in_keep, {KEEP{1'b1}}} : {KEEP'(0), in_keep}) >> in_shift;
    assign out_valid = in_valid && !first;
    assign in_ready  = first || out_ready && !splits;
    assign out_data  = pair[DATA-1:0];
    assign out_keep  = keeps[KEEP-1:0];
    assign out_last  = in_last && !splits;
    assign unused    = ^{pair[2*DATA-1:DATA], keeps[2*KEEP-1:KEEP]};

    // The last beat that goes out in two is, behind the first of them, like one that
    // comes alone.
    always_ff @(posedge clk) begin
        if (rst) carries <= 1'b0;
        else if (in_valid && first) carries <= 1'b1;
        else if (out_valid && out_ready && in_last) carries <= 1'b0;
        if (in_valid && in_ready) former <= in_data;
    end

endmodule

`default_nettype wire
