// How many bytes a beat has: its keep is 1 from the first one on.
`default_nettype none

module keep_bytes (
    input  wire  [63:0] keep,
    output logic [6:0]  bytes
);

    // What is left of the keep when the halves above are known; all 64 are told by the last one.
    logic [30:0] half;
    logic [14:0] quarter;
    logic [6:0]  eighth;
    logic [2:0]  four;

    assign half    = keep[31] ? keep[62:32] : keep[30:0];
    assign quarter = half[15] ? half[30:16] : half[14:0];
    assign eighth  = quarter[7] ? quarter[14:8] : quarter[6:0];
    assign four    = eighth[3] ? eighth[6:4] : eighth[2:0];

    assign bytes = keep[63] ? 7'd64
        : {1'b0, keep[31], half[15], quarter[7], eighth[3], four[1], four[1] ? four[2] : four[0]};

endmodule

`default_nettype wire
