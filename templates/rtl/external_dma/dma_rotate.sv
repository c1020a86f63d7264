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

    logic [511:0] by32, by16, by8, middle, by4, by2, by1;
    logic [2:0]   lanes;
    logic         valid;

    if (LEFT) begin : to_the_left
        assign by32 = in_lanes[5] ? {in_data[255:0], in_data[511:256]} : in_data;
        assign by16 = in_lanes[4] ? {by32[383:0], by32[511:384]} : by32;
        assign by8  = in_lanes[3] ? {by16[447:0], by16[511:448]} : by16;
        assign by4  = lanes[2] ? {middle[479:0], middle[511:480]} : middle;
        assign by2  = lanes[1] ? {by4[495:0], by4[511:496]} : by4;
        assign by1  = lanes[0] ? {by2[503:0], by2[511:504]} : by2;
    end else begin : to_the_right
        assign by32 = in_lanes[5] ? {in_data[255:0], in_data[511:256]} : in_data;
        assign by16 = in_lanes[4] ? {by32[127:0], by32[511:128]} : by32;
        assign by8  = in_lanes[3] ? {by16[63:0], by16[511:64]} : by16;
        assign by4  = lanes[2] ? {middle[31:0], middle[511:32]} : middle;
        assign by2  = lanes[1] ? {by4[15:0], by4[511:16]} : by4;
        assign by1  = lanes[0] ? {by2[7:0], by2[511:8]} : by2;
    end

    always_ff @(posedge clk) begin
        if (enable) valid <= in_valid;
        if (enable && in_valid) begin
            middle <= by8;
            lanes  <= in_lanes[2:0];
        end
        if (enable && valid) out_data <= by1;
    end

endmodule

`default_nettype wire
