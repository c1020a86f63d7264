`default_nettype none

// Any byte of a put is looked at; one bit of each byte is free: all of a byte go the
// same way. Puts have up to 100 beats, in packets of any number of bytes.
module proof (
    input wire        clk,
    input wire        rst,
    input wire        in_valid,
    input wire [63:0] in_bits,
    input wire [5:0]  in_end,
    input wire        in_last,
    input wire        in_ends,
    input wire        out_ready
);

    wire         in_ready, out_valid, out_last, started;
    wire [511:0] in_data, out_data;
    wire [63:0]  in_keep = in_last ? ~(~64'd1 << in_end) : '1;
    wire [63:0]  out_keep, out_bits;
    reg  [5:0]   in_level;
    genvar i;
    generate for (i = 0; i < 64; i = i + 1) begin : lanes_
        assign in_data[8*i +: 8] = {7'd0, in_bits[i]};
        assign out_bits[i]       = out_data[8*i];
    end endgenerate

    put_joiner dut (.*);

    begins beginning (.*);
    stays_outside #(.WIDTH(72)) in (
        .clk, .rst, .valid(in_valid), .ready(in_ready), .data({in_bits, in_end, in_last, in_ends})
    );
    stays #(.WIDTH(129)) out (.clk, .rst, .valid(out_valid), .ready(out_ready), .data({out_bits, out_keep, out_last}));

    // Places in the put: bytes that have come and gone.
    (* anyconst *) wire [12:0] place;
    (* anyconst *) wire        bit_;
    reg  [13:0] came, sent;
    reg         inside, ends;   // in a packet, with which the put ends
    wire [6:0]  bytes = in_last ? in_end + 7'd1 : 7'd64;
    wire [13:0] after = came + bytes;
    wire [13:0] more  = after - sent;       // with the beat that comes
    wire [13:0] lane  = place - came;
    wire [13:0] goes  = place - sent;
    wire        takes = in_valid && in_ready;
    wire        gives = out_valid && out_ready;
    wire        done  = in_last && in_ends;

    initial {came, sent, in_level, inside} = 0;
    always @(posedge clk) begin
        if (gives) sent <= sent + 7'd64;
        if (takes) begin
            came   <= after;
            ends   <= in_ends;
            inside <= !in_last;
            if (in_last) in_level <= after[5:0];
            if (done) {came, sent, in_level} <= 0;
        end
        if (rst) {came, sent, in_level, inside} <= 0;
    end

    always @* begin
        assume (came < 6400);
        if (inside) assume (in_ends == ends);
        if (in_valid && {1'b0, place} >= came && lane < bytes) assume (in_bits[lane[5:0]] == bit_);
        if (started && !rst) begin
            if (in_valid) whole_beats_but_at_the_end: assert (out_valid == (more >= 64 || done));
            if (!in_valid) nothing_of_its_own: assert (!out_valid);
            if (out_valid) exact_keep: assert (out_keep == (more >= 64 ? ~64'd0 : ~(~64'd0 << more[5:0])));
            if (out_valid) nothing_behind_the_end: assert ((out_bits & ~out_keep) == 0);
            if (out_valid) tells_the_last: assert (out_last == (in_last && (more <= 64)));
            if (takes && done) all_has_gone: assert (gives && more <= 64);
            if (takes && !done) the_rest_waits: assert (more - (gives ? 7'd64 : 7'd0) < 64);
            if (in_valid && !out_valid) takes_what_is_not_whole: assert (in_ready);
            if (gives && goes < 64 && out_keep[goes[5:0]]) in_its_place: assert (out_bits[goes[5:0]] == bit_);
            over_two_packets: cover (gives && in_level == 7 && sent == 64 && place == 70 && more == 64);
            in_two_beats: cover (gives && done && in_level == 60 && more == 3 && goes == 1);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire         \dut.second ;
    (* hierconn *) wire [511:0] \dut.left ;
    wire [63:0] left;
    generate for (i = 0; i < 64; i = i + 1) begin : lefts
        assign left[i] = \dut.left [8*i];
        always @* if (started && !rst && in_level != 0 && i >= in_level) assert (\dut.left [8*i +: 8] == 0);
        always @* if (started && !rst && in_level != 0) assert (\dut.left [8*i + 1 +: 7] == 0);
    end endgenerate
    always @* if (started && !rst) begin
        if (!\dut.second ) assert (sent + in_level == came);
        if (\dut.second ) assert (sent + in_level == came + 7'd64 && in_valid && done && in_level + bytes > 64);
        assert (in_level == came[5:0]);
        if (in_level != 0 && {1'b0, place} + in_level >= came && {1'b0, place} < came)
            assert (left[place + in_level - came] == bit_);
    end
`endif

endmodule

`default_nettype wire
