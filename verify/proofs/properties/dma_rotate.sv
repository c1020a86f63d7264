`default_nettype none

// One bit of each byte is looked at: all of a byte go the same way.
module proof (
    input wire        clk,
    input wire        enable,
    input wire        in_valid,
    input wire [63:0] in_bits,
    input wire [5:0]  in_lanes
);

    wire [511:0] in_data, right, left, middle_right, middle_left;
    wire [63:0]  out_right, out_left, turned_right, turned_left;
    wire [2:0]   lanes_right, lanes_left;

    dma_rotate #(.LEFT(1'b0)) to_the_right (.clk, .enable, .in_valid, .in_data, .in_lanes, .out_data(right));
    dma_rotate #(.LEFT(1'b1)) to_the_left (.clk, .enable, .in_valid, .in_data, .in_lanes, .out_data(left));

    // What has to be at the output, two lines later in enabled cycles; lines that
    // are none change nothing.
    wire [127:0] twice = {in_bits, in_bits};
    reg          there_1 = 1'b0, there_2 = 1'b0;
    reg  [63:0]  right_1, right_2, left_1, left_2;
    always @(posedge clk) if (enable) begin
        there_1 <= in_valid;
        if (in_valid) right_1 <= twice[in_lanes +: 64];
        if (in_valid) left_1 <= twice[7'd64 - in_lanes +: 64];
        if (there_1) begin
            there_2 <= 1'b1;
            right_2 <= right_1;
            left_2  <= left_1;
        end
    end

    genvar i;
    generate for (i = 0; i < 64; i = i + 1) begin : bytes
        assign in_data[8*i +: 8] = {7'd0, in_bits[i]};
        assign out_right[i]      = right[8*i];
        assign out_left[i]       = left[8*i];
        assign turned_right[i]   = middle_right[8*((i + lanes_right) % 64)];
        assign turned_left[i]    = middle_left[8*((i + 64 - lanes_left) % 64)];
    end endgenerate

    reg [1:0] cycles = 0;
    always @(posedge clk) if (cycles != 3) cycles <= cycles + 1'b1;
    always @* begin
        if (cycles < 1) assume (!in_valid && enable); // nothing is in the pipe
        if (there_2) begin
            turns_right: assert (out_right == right_2);
            turns_left: assert (out_left == left_2);
            any_turn: cover (in_lanes == 37);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire         \to_the_right.valid ;
    (* hierconn *) wire [2:0]   \to_the_right.lanes ;
    (* hierconn *) wire [511:0] \to_the_right.middle ;
    (* hierconn *) wire         \to_the_left.valid ;
    (* hierconn *) wire [2:0]   \to_the_left.lanes ;
    (* hierconn *) wire [511:0] \to_the_left.middle ;
    assign lanes_right  = \to_the_right.lanes ;
    assign middle_right = \to_the_right.middle ;
    assign lanes_left   = \to_the_left.lanes ;
    assign middle_left  = \to_the_left.middle ;
    always @* if (cycles != 0) begin
        assert (\to_the_right.valid == there_1 && \to_the_left.valid == there_1);
        if (there_1) assert (turned_right == right_1 && turned_left == left_1);
    end
`endif

endmodule

`default_nettype wire
