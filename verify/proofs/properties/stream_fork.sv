`default_nettype none

module proof (
    input wire        clk,
    input wire        rst,
    input wire        slice_valid,
    input wire [1:0]  slice_takers,
    input wire [12:0] slice_bytes,
    input wire        in_valid,
    input wire [1:0]  in_bits,
    input wire [1:0]  out_ready
);

    localparam DEPTH = 2;

    wire         in_ready, dropped, started;
    wire [1:0]   out_valid;
    wire [511:0] out_data;
    wire [511:0] in_data = {510'd0, in_bits};

    stream_fork #(.TAKERS(2), .DEPTH(DEPTH)) dut (.*);

    begins beginning (.*);
    stays_outside #(.WIDTH(2)) in (.clk, .rst, .valid(in_valid), .ready(in_ready), .data(in_bits));
    stays #(.WIDTH(2)) out_0 (.clk, .rst, .valid(out_valid[0]), .ready(out_ready[0]), .data(out_data[1:0]));
    stays #(.WIDTH(2)) out_1 (.clk, .rst, .valid(out_valid[1]), .ready(out_ready[1]), .data(out_data[1:0]));

    // The slices that are to come, and the bytes of the first that have gone.
    reg  [1:0]  slices, takers_0, takers_1;
    reg  [12:0] bytes_0, bytes_1, gone;
    reg  [1:0]  served;       // takers that have the beat
    wire [1:0]  gives = out_valid & out_ready;
    wire        moves = in_valid && in_ready;
    wire        last  = gone + 14'd64 >= bytes_0;
    wire        ends  = moves && last;

    always @(posedge clk) begin
        slices <= slices + slice_valid - ends;
        if (ends) {takers_0, bytes_0} <= {takers_1, bytes_1};
        if (slice_valid && slices == ends) {takers_0, bytes_0} <= {slice_takers, slice_bytes};
        else if (slice_valid) {takers_1, bytes_1} <= {slice_takers, slice_bytes};
        if (moves) gone <= last ? 0 : gone + 13'd64;
        served <= moves ? 0 : served | gives;
        if (rst) {slices, gone, served} <= 0;
    end

    always @* begin
        assume (slice_bytes != 0);
        if (slices == DEPTH) assume (!slice_valid);
        if (started && !rst) begin
            if (moves) to_a_slice: assert (slices != 0);
            nobody_twice: assert ((gives & served) == 0);
            only_takers: assert (out_valid == 0 || (out_valid & ~takers_0) == 0);
            if (moves) all_takers: assert ((served | gives) == takers_0);
            if (slices != 0 && in_valid && (~served & ~out_ready & takers_0) == 0) goes_on: assert (moves);
            unchanged: assert (out_data == in_data);
            what_nobody_takes: assert (dropped == (ends && takers_0 == 0));
            one_after_the_other: cover (ends && served == 2'b01 && takers_0 == 2'b11 && gone != 0);
            drops: cover (dropped);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire [1:0]  \dut.slices.count ;
    (* hierconn *) wire        \dut.slices.head ;
    (* hierconn *) wire        \dut.slices.tail ;
    (* hierconn *) wire [14:0] \dut.slices.memory[0] ;
    (* hierconn *) wire [14:0] \dut.slices.memory[1] ;
    (* hierconn *) wire [1:0]  \dut.served ;
    (* hierconn *) wire [12:0] \dut.counter.moved ;
    always @* if (started && !rst) begin
        assert (slices == \dut.slices.count && slices <= DEPTH);
        assert (\dut.slices.tail == \dut.slices.head ^ slices[0]);
        if (slices != 0)
            assert ({takers_0, bytes_0} == (\dut.slices.head ? \dut.slices.memory[1] : \dut.slices.memory[0] ));
        if (slices == 2)
            assert ({takers_1, bytes_1} == (\dut.slices.head ? \dut.slices.memory[0] : \dut.slices.memory[1] ));
        assert (served == \dut.served && gone == \dut.counter.moved );
        if (slices != 0) assert (bytes_0 != 0 && gone < bytes_0 && (served & ~takers_0) == 0);
        if (slices == 2) assert (bytes_1 != 0);
        if (slices == 0) assert (gone == 0 && served == 0);
    end
`endif

endmodule

`default_nettype wire
