`default_nettype none

// Any lane of the output is looked at, and one bit of each byte: all of a byte go
// the same way.
module proof (
    input wire        clk,
    input wire        enable,
    input wire        in_valid,
    input wire [63:0] in_bits,
    input wire [5:0]  in_lanes
);

    (* anyconst *) wire [5:0] lane;

    wire [511:0] in_data, right, left;
    wire [63:0]  out_right, out_left;
    wire [5:0]   source_right = lane + in_lanes;
    wire [5:0]   source_left  = lane - in_lanes;

    dma_rotate #(.LEFT(1'b0)) to_the_right (.clk, .enable, .in_valid, .in_data, .in_lanes, .out_data(right));
    dma_rotate #(.LEFT(1'b1)) to_the_left (.clk, .enable, .in_valid, .in_data, .in_lanes, .out_data(left));

    // What has to be at the output, two lines later in enabled cycles; lines that
    // are none change nothing.
    reg there_1 = 1'b0, there_2 = 1'b0;
    reg right_1, right_2, left_1, left_2;
    always @(posedge clk) if (enable) begin
        there_1 <= in_valid;
        if (in_valid) right_1 <= in_bits[source_right];
        if (in_valid) left_1 <= in_bits[source_left];
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
    end endgenerate

    reg cycles = 0;
    always @(posedge clk) cycles <= 1'b1;
    always @* begin
        if (!cycles) assume (!in_valid && enable); // nothing is in the pipe
        if (there_2) begin
            turns_right: assert (out_right[lane] == right_2);
            turns_left: assert (out_left[lane] == left_2);
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
    wire [63:0] middle_right, middle_left;
    wire [5:0]  turned_right = lane + \to_the_right.lanes ;
    wire [5:0]  turned_left  = lane - \to_the_left.lanes ;
    generate for (i = 0; i < 64; i = i + 1) begin : middles
        assign middle_right[i] = \to_the_right.middle [8*i];
        assign middle_left[i]  = \to_the_left.middle [8*i];
    end endgenerate
    always @* if (!cycles) assert (!there_1 && !there_2);
    else begin
        assert (\to_the_right.valid == there_1 && \to_the_left.valid == there_1);
        if (there_1) assert (middle_right[turned_right] == right_1 && middle_left[turned_left] == left_1);
    end
`endif

endmodule

`default_nettype wire
