// Kernel: converts a stream between float32 and float16 by TDEST; others pass
// unchanged. The wider side has a beat in every cycle: two beats of float32 make
// one of float16, and one of float16 makes two of float32, or one if nothing of
// its upper half is kept. TLAST ends a beat that is filled by half.
`default_nettype none

module hp_compression (
    input  wire          ap_clk,
    input  wire          ap_rst_n,

    input  wire          in_r_tvalid,
    output logic         in_r_tready,
    input  wire [511:0]  in_r_tdata,
    input  wire [63:0]   in_r_tkeep,
    input  wire          in_r_tlast,
    input  wire [3:0]    in_r_tdest,

    output logic         out_r_tvalid,
    input  wire          out_r_tready,
    output logic [511:0] out_r_tdata,
    output logic [63:0]  out_r_tkeep,
    output logic         out_r_tlast
);

    logic rst;
    always_ff @(posedge ap_clk) rst <= !ap_rst_n;

    // The beat that comes next, and what is asked for.
    logic         asked_narrow, asked_widen;
    logic         in_valid, in_ready, in_narrow, in_widen, in_last;
    logic [511:0] in_data;
    logic [63:0]  in_keep;

    hp_compression_select select (.tdest(in_r_tdest), .narrow(asked_narrow), .widen(asked_widen));

    skid_buffer #(.WIDTH(2 + 1 + 64 + 512)) operand (
        .clk(ap_clk), .rst,
        .in_valid(in_r_tvalid), .in_ready(in_r_tready),
        .in_data({asked_narrow, asked_widen, in_r_tlast, in_r_tkeep, in_r_tdata}),
        .out_valid(in_valid), .out_ready(in_ready),
        .out_data({in_narrow, in_widen, in_last, in_keep, in_data})
    );

    // Each cycle takes a beat to narrow, or half a beat to widen. A beat that was
    // narrowed waits for the one that fills the rest; when something else comes
    // instead, it leaves as it is.
    logic advance, odd, second, flush, split;

    assign flush    = odd && !in_narrow;
    assign split    = in_widen && !second && in_keep[63:32] != 0;
    assign in_ready = advance && !flush && !split;

    always_ff @(posedge ap_clk)
        if (rst) begin
            odd    <= 1'b0;
            second <= 1'b0;
        end else if (advance && in_valid) begin
            odd    <= in_narrow && !odd && !in_last;
            second <= split && !flush;
        end

    // TKEEP of float16: every second one of float32's, so that half is kept.
    logic [63:0]  kept;
    logic [255:0] float16_in, narrowed;
    logic [511:0] widened;

    assign float16_in = second ? in_data[511:256] : in_data[255:0];

    always_comb begin
        kept = in_keep;
        for (int i = 0; i < 32; i++)
            if (flush) kept[i] = 1'b0;
            else if (in_narrow) kept[i] = in_keep[2*i+1];
        if (in_narrow || flush) kept[63:32] = '0;
        if (in_widen && !flush)
            for (int i = 0; i < 64; i++) kept[i] = second ? in_keep[32+i/2] : in_keep[i/2];
    end

    // What goes with the elements through both stages of the conversion.
    logic         valid_1, valid_2, narrow_1, narrow_2, widen_1, widen_2;
    logic         high_1, high_2;   // fills the upper half of a beat
    logic         leave_1, leave_2; // the beat is complete
    logic         last_1, last_2;
    logic [63:0]  keep_1, keep_2;
    logic [511:0] data_1, data_2;

    always_ff @(posedge ap_clk) begin
        if (rst) begin
            valid_1 <= 1'b0;
            valid_2 <= 1'b0;
        end else if (advance) begin
            valid_1 <= in_valid;
            valid_2 <= valid_1;
        end
        if (advance && in_valid) begin
            narrow_1 <= in_narrow || flush;
            widen_1  <= in_widen && !flush;
            high_1   <= odd;
            leave_1  <= !in_narrow || odd || in_last;
            last_1   <= in_last && !flush && !split;
            keep_1   <= kept;
            data_1   <= in_data;
        end
        if (advance && valid_1) begin
            narrow_2 <= narrow_1;
            widen_2  <= widen_1;
            high_2   <= high_1;
            leave_2  <= leave_1;
            last_2   <= last_1;
            keep_2   <= keep_1;
            data_2   <= data_1;
        end
    end

    for (genvar i = 0; i < 16; i++) begin : elements
        float32_to_float16 narrower (
            .clk(ap_clk), .enable({advance && valid_1 && narrow_1, advance && in_valid && in_narrow}),
            .in(in_data[32*i +: 32]), .out(narrowed[16*i +: 16])
        );
        float16_to_float32 widener (
            .clk(ap_clk), .enable({advance && valid_1 && widen_1, advance && in_valid && in_widen}),
            .in(float16_in[16*i +: 16]), .out(widened[32*i +: 32])
        );
    end

    // The lower half of a beat waits for the upper one.
    logic [255:0] lower;
    logic [31:0]  lower_keep;
    logic [511:0] out_data;
    logic [63:0]  out_keep;

    always_ff @(posedge ap_clk)
        if (advance && valid_2 && !leave_2) begin
            lower      <= narrowed;
            lower_keep <= keep_2[31:0];
        end

    always_comb begin
        out_data = data_2;
        out_keep = keep_2;
        if (widen_2) out_data = widened;
        else if (narrow_2 && high_2) begin
            out_data = {narrowed, lower};
            out_keep = {keep_2[31:0], lower_keep};
        end else if (narrow_2) out_data = {256'd0, narrowed};
    end

    skid_buffer #(.WIDTH(1 + 64 + 512)) result (
        .clk(ap_clk), .rst,
        .in_valid(valid_2 && leave_2), .in_ready(advance), .in_data({last_2, out_keep, out_data}),
        .out_valid(out_r_tvalid), .out_ready(out_r_tready), .out_data({out_r_tlast, out_r_tkeep, out_r_tdata})
    );

endmodule

`default_nettype wire
