// Joins the packets of a put to whole beats: what is left of one that ends within a
// beat waits for the next, which comes behind as many bytes that do not count. All
// beats go through as they come.
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

    logic [DATA-1:0] left;  // of the packets before
    logic            begun; // the packet has
    logic [KEEP-1:0] old;   // lanes of these bytes

    assign old       = begun ? '0 : ~({KEEP{1'b1}} << in_level);
    assign out_valid = in_valid && (in_keep[KEEP-1] || in_last && in_ends);
    assign in_ready  = out_ready || !out_valid;
    assign out_keep  = in_keep;
    assign out_last  = in_last;

    always_comb
        for (int unsigned i = 0; i < KEEP; i++)
            out_data[8*i +: 8] = (old[i] ? left[8*i +: 8] : in_data[8*i +: 8]) & {8{in_keep[i]}};

    always_ff @(posedge clk) begin
        if (rst) begun <= 1'b0;
        else if (in_valid && in_ready) begun <= !in_last;
        if (in_valid && in_ready) left <= out_data;
    end

endmodule

`default_nettype wire
