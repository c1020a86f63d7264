`default_nettype none

// Any byte of any slice is looked at; one bit of each byte is free: all of a byte
// go the same way.
module proof (
    input wire        clk,
    input wire        rst,
    input wire        slice_valid,
    input wire [12:0] slice_bytes,
    input wire [4:0]  slice_slot,
    input wire        slice_headed,
    input wire [12:0] slice_offset,
    input wire        in_valid,
    input wire [63:0] in_bits
);

    localparam DEPTH = 2;

    wire         in_ready, done, slot_write_valid, started;
    wire [4:0]   slot_write_slot;
    wire [5:0]   slot_write_row;
    wire [511:0] in_data, slot_write_data;
    wire [63:0]  slot_write_strobe, out_bits;
    genvar i;
    generate for (i = 0; i < 64; i = i + 1) begin : lanes
        assign in_data[8*i +: 8] = {7'd0, in_bits[i]};
        assign out_bits[i]       = slot_write_data[8*i];
    end endgenerate

    slot_writer #(.DEPTH(DEPTH)) dut (.*);

    begins beginning (.*);
    stays_outside #(.WIDTH(64)) in (.clk, .rst, .valid(in_valid), .ready(in_ready), .data(in_bits));

    // The slices that are to come, and the bytes of the first that have come.
    reg  [1:0]  slices;
    reg  [31:0] slice_0, slice_1;
    reg  [12:0] gone;
    wire        headed;
    wire [4:0]  slot;
    wire [12:0] offset, bytes;
    assign {headed, slot, offset, bytes} = slice_0;
    wire [31:0] slice_new = {slice_headed, slice_slot, slice_offset, slice_bytes};
    wire [12:0] place    = offset + gone;
    wire [5:0]  row      = place[11:6] + headed;
    wire [5:0]  lane     = place[5:0];
    wire [12:0] to_come  = bytes - gone;
    wire        last     = to_come <= 64;
    wire [6:0]  size     = last ? to_come[6:0] : 7'd64;
    wire [7:0]  upto     = lane + size;
    wire        takes    = in_valid && in_ready;
    wire        ends     = takes && last;

    // The row that is written in this cycle, and whether the rest of its slice
    // is written in the next one.
    reg         due, due_last, rest;
    reg  [4:0]  due_slot;
    reg  [5:0]  due_row, due_first;
    reg  [6:0]  due_end;
    reg  [5:0]  rest_end;
    wire [63:0] strobe = (~64'd0 << due_first) & ~(~64'd0 << due_end);

    (* anyseq *) wire       watch;
    (* anyseq *) wire [5:0] which;
    reg        watched, behind, bit_;   // behind: the row that is written is not its own
    reg  [5:0] at;
    wire [6:0] goes_to = lane + which;

    always @(posedge clk) begin
        slices <= slices + slice_valid - ends;
        if (ends) slice_0 <= slice_1;
        if (slice_valid && slices == ends) slice_0 <= slice_new;
        else if (slice_valid) slice_1 <= slice_new;
        if (takes) gone <= last ? 0 : gone + 13'd64;

        due <= rest || takes;
        if (rest) begin
            rest <= 1'b0;
            {due_row, due_first, due_end, due_last} <= {due_row + 6'd1, 6'd0, 1'b0, rest_end, 1'b1};
        end else if (takes) begin
            {due_slot, due_row} <= {slot, row};
            due_first <= gone == 0 ? lane : 6'd0;
            due_end   <= upto > 64 ? 7'd64 : upto[6:0];
            due_last  <= last && upto <= 64;
            rest      <= last && upto > 64;
            rest_end  <= upto[5:0];
        end

        if (watched && due) begin
            behind  <= 1'b0;
            watched <= behind;
        end
        if (takes && watch && !watched) begin
            watched <= 1'b1;
            {behind, at} <= goes_to;
            bit_ <= in_bits[which];
        end
        if (rst) {slices, gone, due, rest, watched} <= 0;
    end

    always @* begin
        assume (slice_bytes != 0 && slice_bytes <= 4096 && slice_offset + slice_bytes <= (slice_headed ? 4032 : 4096));
        if (slices == DEPTH) assume (!slice_valid);
        assume (which < size);
        if (started && !rst) begin
            takes_what_it_can: assert (in_ready == (slices != 0 && !rest));
            writes_each_row_once: assert (slot_write_valid == due);
            if (due) to_its_row: assert (slot_write_slot == due_slot && slot_write_row == due_row);
            if (due) exact_strobes: assert (slot_write_strobe == strobe);
            says_when_it_is_done: assert (done == (due && due_last));
            if (due && watched && !behind) in_its_place: assert (out_bits[at] == bit_ && slot_write_strobe[at]);
            over_two_rows: cover (due && watched && !behind && due_last && due_end == 3 && at == 2);
            long_slice: cover (due && watched && !behind && due_row == 63 && at == 63 && due_first == 0);
            at_once: cover (ends && due_last && due && slices == 2);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire [1:0]   \dut.slices.count ;
    (* hierconn *) wire         \dut.slices.head ;
    (* hierconn *) wire         \dut.slices.tail ;
    (* hierconn *) wire [31:0]  \dut.slices.memory[0] ;
    (* hierconn *) wire [31:0]  \dut.slices.memory[1] ;
    (* hierconn *) wire [12:0]  \dut.counter.moved ;
    (* hierconn *) wire         \dut.first ;
    (* hierconn *) wire [5:0]   \dut.row ;
    (* hierconn *) wire [511:0] \dut.packer.part ;
    (* hierconn *) wire [63:0]  \dut.packer.part_strobe ;
    (* hierconn *) wire [5:0]   \dut.packer.level ;
    (* hierconn *) wire         \dut.packer.flushing ;
    wire [63:0] part_bits;
    generate for (i = 0; i < 64; i = i + 1) begin : parts
        assign part_bits[i] = \dut.packer.part [8*i];
    end endgenerate
    wire        going = gone != 0;
    wire [5:0]  level = rest ? rest_end : going ? lane : 6'd0;
    always @* if (started && !rst) begin
        assert (slices == \dut.slices.count && slices <= DEPTH);
        assert (\dut.slices.tail == \dut.slices.head ^ slices[0]);
        if (slices != 0) assert (slice_0 == (\dut.slices.head ? \dut.slices.memory[1] : \dut.slices.memory[0] ));
        if (slices == 2) assert (slice_1 == (\dut.slices.head ? \dut.slices.memory[0] : \dut.slices.memory[1] ));
        if (slices != 0)
            assert (bytes != 0 && bytes <= 4096 && offset + bytes <= (headed ? 4032 : 4096) && gone < bytes);
        if (slices == 2)
            assert (slice_1[12:0] != 0 && slice_1[12:0] <= 4096
                && slice_1[25:13] + slice_1[12:0] <= (slice_1[31] ? 4032 : 4096));
        if (slices == 0) assert (!going);
        assert (gone == \dut.counter.moved && gone[5:0] == 0 && \dut.first == !going);
        if (rest) assert (due && !due_last && !going && due_end == 64 && rest_end != 0);
        if (due) assert (\dut.row == due_row && due_first < due_end && due_end <= 64);
        if (due && going) assert (row == due_row + 6'd1 && slot == due_slot && due_end == 64 && !due_last);
        if (!due && going) assert (row == \dut.row && slot == slot_write_slot);
        assert (\dut.packer.flushing == rest && \dut.packer.level == (rest ? 6'd0 : level));
        assert (\dut.packer.part_strobe == ~(~64'd0 << level));
        if (watched && due && !behind) assert (at >= due_first && at < due_end && out_bits[at] == bit_);
        if (watched && (behind || !due)) assert (at < level && part_bits[at] == bit_);
        if (watched && !due) assert (!behind);
    end
`endif

endmodule

`default_nettype wire
