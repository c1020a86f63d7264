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

    logic         advance;
    logic [5:0]   valid;  // of each stage, the first one lowest
    logic [389:0] beside; // TKEEP and TLAST
    logic [511:0] sums;

    assign in_ready = advance;

    always_ff @(posedge clk) begin
        if (rst) valid <= '0;
        else if (advance) valid <= {valid[4:0], in_valid};
        if (advance) beside <= {beside[324:0], in_last, in_keep};
    end

    for (genvar i = 0; i < 16; i++) begin : elements
        float_adder #(.EXPONENT(8), .FRACTION(23)) adder (
            .clk, .enable({6{advance}} & {valid[4:0], in_valid}),
            .a(in_data[32*i +: 32]), .b(ONE), .sum(sums[32*i +: 32])
        );
    end

    // Without a reader behind it everything moves on.
    logic ready;
    assign advance = ready || discard;

    skid_buffer #(.WIDTH(1 + 64 + 512)) result (
        .clk, .rst,
        .in_valid(valid[5] && !discard), .in_ready(ready), .in_data({beside[389:325], sums}),
        .out_valid, .out_ready, .out_data({out_last, out_keep, out_data})
    );

endmodule

`default_nettype wire
