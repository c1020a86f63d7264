`default_nettype none

// Any byte of a stream is looked at; one bit of each byte is free: all of a byte go
// the same way. Streams have up to 100 beats.
module proof (
    input wire        clk,
    input wire        rst,
    input wire        in_valid,
    input wire [63:0] in_bits,
    input wire [5:0]  in_end,
    input wire        in_last,
    input wire [5:0]  in_shift,
    input wire        out_ready
);

    wire         in_ready, out_valid, out_last, started;
    wire [511:0] in_data, out_data;
    wire [63:0]  in_keep = in_last ? ~(~64'd1 << in_end) : '1;
    wire [63:0]  out_keep, out_bits;
    genvar i;
    generate for (i = 0; i < 64; i = i + 1) begin : lanes_
        assign in_data[8*i +: 8] = {7'd0, in_bits[i]};
        assign out_bits[i]       = out_data[8*i];
    end endgenerate

    rx_shift dut (.*);

    begins beginning (.*);
    stays_outside #(.WIDTH(77)) in (
        .clk, .rst, .valid(in_valid), .ready(in_ready), .data({in_bits, in_end, in_last, in_shift})
    );
    stays #(.WIDTH(129)) out (
        .clk, .rst, .valid(out_valid), .ready(out_ready), .data({out_bits & out_keep, out_keep, out_last})
    );

    // Places in the stream: where the beat that comes begins, its first bytes left
    // out, and how many bytes have come out.
    (* anyconst *) wire [12:0] place;
    (* anyconst *) wire        bit_;
    reg  [6:0]  beats;
    reg  [5:0]  shift;
    reg  [13:0] sent;
    wire [13:0] base  = {1'b0, beats, 6'd0};                     // with the bytes that are left out
    wire [13:0] first = base - in_shift;
    wire [13:0] lane  = place + in_shift - base;
    wire [13:0] total = base + in_end + 1'b1 - in_shift;         // if it is the last beat
    wire [13:0] more  = total - sent;
    wire [13:0] goes  = place - sent;
    wire        takes = in_valid && in_ready;
    wire        gives = out_valid && out_ready;
    wire        whole = !in_last || more >= 64;

    initial {beats, sent} = 0;
    always @(posedge clk) begin
        if (gives) sent <= sent + 7'd64;
        if (takes) begin
            beats <= beats + 1'b1;
            shift <= in_shift;
        end
        if (takes && in_last) {beats, sent} <= 0;
        if (rst) {beats, sent} <= 0;
    end

    always @* begin
        assume (beats < 100);
        if (beats != 0) assume (in_shift == shift);
        if (beats == 0 && in_last) assume (in_end >= in_shift);
        if (in_valid && {1'b0, place} + in_shift >= base && lane < 64) assume (in_bits[lane[5:0]] == bit_);
        if (started && !rst) begin
            if (in_valid) comes_out_when_it_is_there: assert (out_valid == (in_last || beats != 0 || in_shift == 0));
            if (!in_valid) nothing_of_its_own: assert (!out_valid);
            if (in_valid && out_valid) exact_keep: assert (out_keep == (whole ? ~64'd0 : ~(~64'd0 << more[5:0])));
            if (out_valid && (in_bits & ~in_keep) == 0) nothing_of_its_own_behind_the_end:
                assert ((out_bits & ~out_keep) == 0);
            if (in_valid && out_valid) tells_the_last: assert (out_last == (in_last && more <= 64));
            if (takes && in_last) all_has_come_out: assert (gives && out_last);
            if (out_valid && out_last) takes_with_the_last: assert (in_ready == out_ready);
            if (gives && goes < 64 && out_keep[goes[5:0]]) in_its_place: assert (out_bits[goes[5:0]] == bit_);
            as_it_comes: cover (gives && in_shift == 0 && beats == 3 && !in_last);
            in_two_beats: cover (gives && out_last && in_shift == 5 && beats == 2 && sent == 128 && place == 130);
            in_one_beat: cover (gives && out_last && in_shift == 5 && in_end == 3 && beats == 2 && place == 100);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire         \dut.carries ;
    (* hierconn *) wire [511:0] \dut.former ;
    wire [63:0] former;
    generate for (i = 0; i < 64; i = i + 1) begin : formers
        assign former[i] = \dut.former [8*i];
    end endgenerate
    wire [13:0] kept = place + shift + 7'd64 - base; // in the beat before, which is rotated
    always @* if (started && !rst) begin
        if (beats == 0) assert (sent == 0 && !\dut.carries );
        if (beats != 0 && shift == 0) assert (sent == base && !\dut.carries );
        if (beats != 0 && shift != 0 && \dut.carries ) assert (sent + 7'd64 == base);
        if (beats != 0 && shift != 0 && !\dut.carries ) assert (sent == base && in_valid && in_last && in_end >= shift);
        if (\dut.carries && {1'b0, place} + shift + 7'd64 >= base && kept < 64 && kept >= shift)
            assert (former[kept[5:0] - shift] == bit_);
    end
`endif

endmodule

`default_nettype wire
