`default_nettype none

// Any byte is looked at; one bit of each byte is free: all of a byte go the same
// way.
module proof (
    input wire        clk,
    input wire        rst,
    input wire        forget,
    input wire        in_valid,
    input wire [63:0] in_bits,
    input wire [6:0]  in_bytes,
    input wire        in_last,
    input wire        in_continues,
    input wire [5:0]  in_offset,
    input wire        in_flush,
    input wire        out_ready
);

    wire         in_ready, out_valid, out_last, started;
    wire [511:0] in_data, out_data;
    wire [63:0]  out_strobe, out_bits;
    genvar i;
    generate for (i = 0; i < 64; i = i + 1) begin : lanes_
        assign in_data[8*i +: 8] = {7'd0, in_bits[i]};
        assign out_bits[i]       = out_data[8*i];
    end endgenerate

    reg  in_slice;
    wire in_first = !in_slice;

    byte_packer dut (.*);

    begins beginning (.*);
    stays_outside #(.WIDTH(80)) in (
        .clk, .rst, .valid(in_valid), .ready(in_ready),
        .data({in_bits, in_bytes, in_last, in_continues, in_offset, in_flush})
    );
    stays #(.WIDTH(129)) out (
        .clk, .rst, .valid(out_valid), .ready(out_ready), .data({out_bits & out_strobe, out_strobe, out_last})
    );

    // The row that is not full: lanes from the first one with a byte up to where
    // the next one goes. Rows that are complete: their lanes, and whether they are
    // the last of their slice.
    reg  [5:0] first, level;
    reg  [1:0] rows;
    reg  [5:0] first_0;
    reg  [6:0] end_0, end_1;
    reg        last_0;
    wire       takes = in_valid && in_ready;
    wire       gives = out_valid && out_ready;
    wire       fresh = in_first && !in_continues;
    wire [5:0] place = fresh ? in_offset : level;
    wire [5:0] begin_ = fresh ? in_offset : first;
    wire [7:0] upto  = place + in_bytes;
    wire       done  = in_last && in_flush;
    wire       full  = upto >= 64;
    wire       more  = upto > 64;

    (* anyseq *) wire       watch;
    (* anyseq *) wire [5:0] which;
    reg        watched, behind, bit_;   // behind: the next row is not its own
    reg  [5:0] lane;
    wire [6:0] goes_to = place + which;
    wire [63:0] strobe_0 = (~64'd0 << first_0) & ~(~64'd0 << end_0);

    always @(posedge clk) begin
        if (gives) begin
            rows <= rows - 1'b1;
            {first_0, end_0, last_0} <= {6'd0, end_1, 1'b1};
        end
        if (takes) begin
            in_slice <= !in_last;
            rows     <= !full && !done ? 2'd0 : more && done ? 2'd2 : 2'd1;
            {first_0, end_0, last_0} <= {begin_, full ? 7'd64 : upto[6:0], done && !more};
            end_1    <= upto[5:0];
            level    <= done ? 6'd0 : upto[5:0];
            first    <= done || full ? 6'd0 : begin_;
        end
        if (watched && gives) begin
            behind  <= 1'b0;
            watched <= behind;
        end
        if (takes && watch && !watched) begin
            watched <= 1'b1;
            behind  <= goes_to[6];
            lane    <= goes_to[5:0];
            bit_    <= in_bits[which];
        end
        if (forget) begin
            {first, level} <= 0;
            watched <= 1'b0;
        end
        if (rst) {in_slice, rows, first, level, watched} <= 0;
    end

    always @* begin
        assume (in_bytes != 0 && in_bytes <= 64 && (in_last || in_bytes == 64));
        assume (which < in_bytes);
        // A row that is not full is continued, or forgotten between slices when all others have gone.
        if (in_first && level != 0) assume (in_continues);
        if (forget) assume (in_first && !in_valid && rows == 0);
        if (started && !rst) begin
            shows_what_it_has: assert (out_valid == (rows != 0));
            takes_when_it_can: assert (in_ready == (rows == 0 || rows == 1 && out_ready));
            if (out_valid) exact_strobes: assert (out_strobe == strobe_0);
            if (out_valid) tells_the_last: assert (out_last == last_0);
            if (gives && watched && !behind) in_its_place: assert (out_bits[lane] == bit_ && out_strobe[lane]);
            over_two_rows: cover (gives && watched && last_0 && end_0 == 3 && lane == 2);
            over_two_slices:
                cover (gives && watched && !behind && first_0 == 5 && end_0 == 64 && lane == 20 && in_slice);
            forgets: cover (forget && level != 0);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire [511:0] \dut.part ;
    (* hierconn *) wire [63:0]  \dut.part_strobe ;
    (* hierconn *) wire [5:0]   \dut.level ;
    (* hierconn *) wire         \dut.flushing ;
    wire [63:0] part_bits;
    generate for (i = 0; i < 64; i = i + 1) begin : parts
        assign part_bits[i] = \dut.part [8*i];
    end endgenerate
    wire [63:0] strobe   = (~64'd0 << first) & ~(~64'd0 << level);
    wire [63:0] strobe_1 = ~(~64'd0 << end_1);
    always @* if (started && !rst) begin
        assert (rows <= 2 && \dut.flushing == (rows == 2));
        assert (first <= level && (in_slice || level != 0 || first == 0));
        if (rows != 0) assert (first_0 <= 63 && end_0 <= 64 && first_0 < end_0);
        if (rows == 2) assert (level == 0 && \dut.level == 0 && end_1 != 0 && end_1 < 64
            && \dut.part_strobe == strobe_1);
        else assert (\dut.level == level && \dut.part_strobe == strobe);
        if (watched && !behind && rows != 0) assert (out_bits[lane] == bit_ && lane >= first_0 && lane < end_0);
        if (watched && !behind && rows == 0) assert (part_bits[lane] == bit_ && lane >= first && lane < level);
        if (watched && behind && rows == 2) assert (part_bits[lane] == bit_ && lane < end_1);
        if (watched && behind && rows != 2)
            assert (rows == 1 && part_bits[lane] == bit_ && lane >= first && lane < level);
    end
`endif

endmodule

`default_nettype wire
