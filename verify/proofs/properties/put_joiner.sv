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

    // Places in the put: bytes that have come, and where the next beat that goes begins. A packet
    // begins there, too, whatever lies before its first byte.
    (* anyconst *) wire [12:0] place;
    (* anyconst *) wire        bit_;
    reg  [13:0] came, base;
    reg         inside, ends;   // in a packet, with which the put ends
    wire [6:0]  bytes = in_last ? in_end + 7'd1 : 7'd64;
    wire [13:0] after = base + bytes;
    wire [13:0] lane  = place - base;
    wire        takes = in_valid && in_ready;
    wire        gives = out_valid && out_ready;
    wire        done  = in_last && in_ends;

    initial {came, base, in_level, inside} = 0;
    always @(posedge clk) begin
        if (gives) base <= base + 7'd64;
        if (takes) begin
            came   <= after;
            ends   <= in_ends;
            inside <= !in_last;
            if (in_last) in_level <= after[5:0];
            if (done) {came, base, in_level} <= 0;
        end
        if (rst) {came, base, in_level, inside} <= 0;
    end

    always @* begin
        assume (came < 6400);
        if (inside) assume (in_ends == ends);
        else assume (bytes > in_level);
        if (in_valid && {1'b0, place} >= came && lane < bytes) assume (in_bits[lane[5:0]] == bit_);
        if (started && !rst) begin
            if (in_valid) whole_beats_but_at_the_end: assert (out_valid == (bytes == 64 || done));
            if (!in_valid) nothing_of_its_own: assert (!out_valid);
            if (out_valid) exact_keep: assert (out_keep == (bytes == 64 ? ~64'd0 : ~(~64'd0 << bytes[5:0])));
            if (out_valid) nothing_behind_the_end: assert ((out_bits & ~out_keep) == 0);
            if (out_valid) tells_the_last: assert (out_last == in_last);
            if (in_valid) takes_what_goes: assert (in_ready == (out_ready || !out_valid));
            if (gives && {1'b0, place} >= base && lane < bytes) in_its_place: assert (out_bits[lane[5:0]] == bit_);
            over_two_packets: cover (gives && in_level == 7 && !inside && base == 64 && place == 70 && bytes == 64);
            in_two_beats: cover (gives && done && in_level == 60 && base == 64 && inside && bytes == 3);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire         \dut.begun ;
    (* hierconn *) wire [511:0] \dut.left ;
    wire [63:0] left;
    generate for (i = 0; i < 64; i = i + 1) begin : lefts
        assign left[i] = \dut.left [8*i];
    end endgenerate
    always @* if (started && !rst) begin
        assert (\dut.begun == inside);
        assert (base[5:0] == 0 && came == base + (inside ? 6'd0 : in_level));
        if (!inside && {1'b0, place} >= base && {1'b0, place} < came) assert (left[lane[5:0]] == bit_);
    end
`endif

endmodule

`default_nettype wire
