// Rotates the bytes of a line towards lane 0 (or away from it, LEFT) in two
// stages, which advance together when enable is high.
`default_nettype none

module dma_rotate #(
    parameter bit LEFT = 1'b0 // towards higher lanes; otherwise towards lower ones
) (
    input  wire          clk,
    input  wire          enable,
    input  wire          in_valid,
    input  wire  [511:0] in_data,
    input  wire  [5:0]   in_lanes,
    output logic [511:0] out_data    // two enabled cycles later
);

    logic [511:0] coarse, middle, fine;
    logic [2:0]   lanes;
    logic         valid;

    byte_rotate #(.LEFT(LEFT)) by_eights (.in_data, .lanes({in_lanes[5:3], 3'd0}), .out_data(coarse));
    byte_rotate #(.LEFT(LEFT)) by_ones (.in_data(middle), .lanes({3'd0, lanes}), .out_data(fine));

    always_ff @(posedge clk) begin
        if (enable) valid <= in_valid;
        if (enable && in_valid) begin
            middle <= coarse;
            lanes  <= in_lanes[2:0];
        end
        if (enable && valid) out_data <= fine;
    end

endmodule

`default_nettype wire
