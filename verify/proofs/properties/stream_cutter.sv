`default_nettype none

// One bit of each byte is free, and any byte is looked at: how many bytes have
// to go before it is known, and so where it must stand.
module proof (
    input wire        clk,
    input wire        rst,
    input wire        slice_valid,
    input wire [12:0] slice_bytes,
    input wire        slice_finishes,
    input wire        drop,
    input wire        in_valid,
    input wire [63:0] in_bits,
    input wire        out_ready
);

    wire         slice_ready, in_ready, out_valid, out_last, started;
    wire [511:0] in_data, out_data;
    wire [63:0]  out_bits;
    genvar i;
    generate for (i = 0; i < 64; i = i + 1) begin : bytes
        assign in_data[8*i +: 8] = {7'd0, in_bits[i]};
        assign out_bits[i]       = out_data[8*i];
    end endgenerate

    stream_cutter dut (.*);

    begins beginning (.*);
    stays_outside #(.WIDTH(14)) slices (
        .clk, .rst, .valid(slice_valid), .ready(slice_ready), .data({slice_finishes, slice_bytes})
    );
    stays_outside in (.clk, .rst, .valid(in_valid), .ready(in_ready), .data(1'b0));
    stays #(.WIDTH(1)) out (.clk, .rst, .valid(out_valid), .ready(out_ready), .data(out_last));

    // Bytes of the slice that have gone, and bytes that have come and neither
    // gone nor been dropped.
    reg  [12:0] gone;
    reg  [7:0]  level;
    wire [12:0] to_come = slice_bytes - gone;
    wire [7:0]  wanted  = to_come < 64 ? to_come : 8'd64;
    wire        moves   = out_valid && out_ready;
    wire        takes   = in_valid && in_ready;
    wire        ends    = moves && to_come <= 64;
    wire [7:0]  rest    = level - (moves ? wanted : 8'd0);
    wire [7:0]  loses   = drop || ends && slice_finishes ? {2'd0, rest[5:0]} : 8'd0;
    wire [7:0]  after   = rest - loses;

    (* anyseq *) wire       watch;
    (* anyseq *) wire [5:0] which;
    reg         watched, bit_;
    reg  [7:0]  ahead;
    wire        leaves = watched && moves && ahead < wanted;
    always @(posedge clk) begin
        if (moves) gone <= ends ? 0 : gone + 13'd64;
        level <= after + (takes ? 8'd64 : 8'd0);
        if (watched) begin
            ahead <= ahead - (moves ? wanted : 8'd0) - loses;
            if (leaves || ahead < (moves ? wanted : 8'd0) + loses) watched <= 1'b0;
        end else if (takes && watch) begin
            watched <= 1'b1;
            ahead   <= after + which;
            bit_    <= in_bits[which];
        end
        if (rst) {watched, gone, level} <= 0;
    end

    always @* begin
        assume (slice_bytes != 0);
        if (drop) assume (gone == 0 && !slice_valid);
        if (started && !rst) begin
            if (leaves) in_its_place: assert (out_bits[ahead[5:0]] == bit_);
            if (out_valid) has_what_it_shows: assert (slice_valid && level >= wanted);
            if (out_valid) says_the_end: assert (out_last == (to_come <= 64));
            slice_ends_with_it: assert (slice_ready == ends);
            if (slice_valid && level >= 64) goes_on: assert (out_valid);
            if (after <= 64) room_is_used: assert (in_ready);
            no_overflow: assert (level <= 128);
            two_slices_in_a_beat: cover (leaves && ahead == 63 && gone == 0 && wanted == 64 && level[5:0] != 0);
            comes_through: cover (leaves && ahead == 5 && ends && slice_finishes);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire [511:0] \dut.oldest ;
    (* hierconn *) wire [511:0] \dut.second ;
    (* hierconn *) wire [1:0]   \dut.beats ;
    (* hierconn *) wire [5:0]   \dut.offset ;
    (* hierconn *) wire [12:0]  \dut.counter.moved ;
    wire [127:0] held;
    generate for (i = 0; i < 64; i = i + 1) begin : held_bytes
        assign held[i]      = \dut.oldest [8*i];
        assign held[64 + i] = i < \dut.offset ? \dut.oldest [8*i] : \dut.second [8*i];
    end endgenerate
    always @* if (started && !rst) begin
        assert (level == 64 * \dut.beats - \dut.offset && gone == \dut.counter.moved );
        assert (\dut.beats <= 2 && (\dut.beats != 0 || \dut.offset == 0));
        if (gone != 0) assert (slice_valid && gone < slice_bytes);
        if (watched) assert (ahead < level && held[7'(\dut.offset + ahead)] == bit_);
    end
`endif

endmodule

`default_nettype wire
