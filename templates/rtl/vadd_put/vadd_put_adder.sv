// Adds 1 to the float32 elements of a stream, a beat in every cycle.
`default_nettype none

module vadd_put_adder (
    input  wire          clk,
    input  wire          rst,
    input  wire          discard, // what comes does not leave

    input  wire          in_valid,
    output logic         in_ready,
    input  wire  [511:0] in_data,
    input  wire  [63:0]  in_keep,
    input  wire          in_last,

    output logic         out_valid,
    input  wire          out_ready,
    output logic [511:0] out_data,
    output logic [63:0]  out_keep,
    output logic         out_last
);

    localparam logic [31:0] ONE = {1'b0, 8'd127, 23'd0};

    localparam int unsigned STAGES = 8;

    logic                 advance;
    logic [STAGES-1:0]    valid;  // of each stage, the first one lowest
    logic [65*STAGES-1:0] beside; // TKEEP and TLAST
    logic [511:0]         sums;
    logic [15:0]          below;

    assign in_ready = advance;

    always_ff @(posedge clk) begin
        if (rst) valid <= '0;
        else if (advance) valid <= {valid[STAGES-2:0], in_valid};
        if (advance) beside <= {beside[65*STAGES-66:0], in_last, in_keep};
    end

    for (genvar i = 0; i < 16; i++) begin : elements
        float_unit #(.EXPONENT(8), .FRACTION(23)) unit (
            .clk, .enable({STAGES{advance}} & {valid[STAGES-2:0], in_valid}),
            .size(2'd2), .maximum(1'b0), .minimum(1'b0), .product(1'b0), .significands('0), .below(below[i]),
            .a(in_data[32*i +: 32]), .b(ONE), .result(sums[32*i +: 32])
        );
    end

    // Without a reader behind it everything moves on.
    logic ready;
    assign advance = ready || discard;

    skid_buffer #(.WIDTH(1 + 64 + 512)) result (
        .clk, .rst,
        .in_valid(valid[STAGES-1] && !discard), .in_ready(ready), .in_data({beside[65*STAGES-1 -: 65], sums}),
        .out_valid, .out_ready, .out_data({out_last, out_keep, out_data})
    );

    wire _unused = &{1'b0, below};

endmodule

`default_nettype wire
