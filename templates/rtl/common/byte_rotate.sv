// Rotates the bytes of a word, without a register: a byte of lane i leaves in lane i + lanes (LEFT) or i - lanes.
`default_nettype none

module byte_rotate #(
    parameter int unsigned BYTES = 64, // of the word; a power of two
    parameter int unsigned UNIT  = 8,  // bits of a byte; 1 for its strobe
    parameter bit          LEFT  = 1'b0
) (
    input  wire  [UNIT*BYTES-1:0]    in_data,
    input  wire  [$clog2(BYTES)-1:0] lanes,
    output logic [UNIT*BYTES-1:0]    out_data
);

    localparam int unsigned WIDTH  = UNIT * BYTES;
    localparam int unsigned STAGES = $clog2(BYTES);

    for (genvar i = 0; i < STAGES; i++) begin : stages // the coarsest one first
        localparam int unsigned SHIFT = WIDTH >> (i + 1);

        logic [WIDTH-1:0] word, turned;

        if (i == 0) assign word = in_data;
        else assign word = stages[i-1].turned;
        assign turned = !lanes[STAGES-1-i] ? word
            : LEFT ? {word[WIDTH-SHIFT-1:0], word[WIDTH-1:WIDTH-SHIFT]} : {word[SHIFT-1:0], word[WIDTH-1:SHIFT]};
    end

    assign out_data = stages[STAGES-1].turned;

endmodule

`default_nettype wire
