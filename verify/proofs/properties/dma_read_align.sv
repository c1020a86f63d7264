`default_nettype none

// Any command is looked at, and any byte of it; one bit of each byte is free: all
// of a byte go the same way.
module proof (
    input wire        clk,
    input wire        rst,
    input wire        command_valid,
    input wire [22:0] command_bytes,
    input wire [5:0]  command_offset,
    input wire        command_last,
    input wire [3:0]  command_tag,
    input wire        command_invalid,
    input wire        command_nowhere,
    input wire        line_valid,
    input wire [63:0] line_bits,
    input wire [1:0]  line_response,
    input wire        stream_ready,
    input wire        status_ready
);

    wire         command_ready, line_ready, stream_valid, stream_last, status_valid, started;
    wire [511:0] line_data, stream_data;
    wire [63:0]  stream_keep, stream_bits;
    wire [7:0]   status_data;
    wire         command_void = command_invalid || command_nowhere;
    genvar i;
    generate for (i = 0; i < 64; i = i + 1) begin : lanes_
        assign line_data[8*i +: 8] = {7'd0, line_bits[i]};
        assign stream_bits[i]      = stream_data[8*i];
    end endgenerate

    dma_read_align dut (.*);

    begins beginning (.*);
    stays_outside #(.WIDTH(36)) commands (
        .clk, .rst, .valid(command_valid), .ready(command_ready),
        .data({command_bytes, command_offset, command_last, command_tag, command_invalid, command_nowhere})
    );
    stays_outside #(.WIDTH(66)) lines (
        .clk, .rst, .valid(line_valid), .ready(line_ready), .data({line_bits, line_response})
    );
    stays #(.WIDTH(129)) beats (
        .clk, .rst, .valid(stream_valid), .ready(stream_ready), .data({stream_bits, stream_keep, stream_last})
    );
    stays #(.WIDTH(8)) statuses (.clk, .rst, .valid(status_valid), .ready(status_ready), .data(status_data));

    wire loads   = command_valid && command_ready;
    wire takes   = line_valid && line_ready;
    wire gives   = stream_valid && stream_ready;
    wire reports = status_valid && status_ready;

    // What is due of all commands that were taken: lines (of the last one only:
    // the others have theirs), beats and statuses.
    reg  [17:0] lines_due, beats_due;
    reg  [5:0]  statuses_due;
    wire [23:0] reach      = 24'(command_bytes) + command_offset + 24'd63;
    wire [23:0] length     = 24'(command_bytes) + 24'd63;
    always @(posedge clk) begin
        lines_due    <= loads ? (command_void || command_bytes == 0 ? 18'd0 : reach[23:6]) : lines_due - takes;
        beats_due    <= beats_due - gives + (loads ? length[23:6] : 18'd0);
        statuses_due <= statuses_due + loads - reports;
        if (rst) {lines_due, beats_due, statuses_due} <= 0;
    end

    // The command that is looked at.
    (* anyseq *) wire        watch;
    (* anyseq *) wire [22:0] choose;     // one of its bytes
    reg         watched, present, reported; // and is the last one that was taken; its status has come
    reg  [17:0] before;                  // beats of those before it
    reg  [5:0]  statuses_before;
    reg  [22:0] bytes, which;
    reg  [23:0] lined, given;            // bytes of its lines and of its beats that have come
    reg  [5:0]  offset;
    reg  [3:0]  tag;
    reg         last, invalid, nowhere, slave_error, decode_error;
    reg         known, bit_;             // the byte has come
    wire        void_    = invalid || nowhere;
    wire [23:0] left     = bytes - given;
    wire        mine     = watched && before == 0 && given < bytes;
    wire        its_line = watched && present && takes;
    wire [23:0] source   = 24'(which) + offset;
    wire [63:0] keep     = left >= 64 ? ~64'd0 : ~(~64'd0 << left[5:0]);
    always @(posedge clk) begin
        if (watched) begin
            if (gives && before != 0) before <= before - 1'b1;
            if (gives && mine) given <= given + 24'd64;
            if (its_line) begin
                lined <= lined + 24'd64;
                if (line_response == 2'b10) slave_error <= 1'b1;
                if (line_response == 2'b11) decode_error <= 1'b1;
                if (lined[23:6] == source[23:6]) {known, bit_} <= {1'b1, line_bits[source[5:0]]};
            end
            if (reports && statuses_before != 0) statuses_before <= statuses_before - 1'b1;
            if (reports && statuses_before == 0) reported <= 1'b1;
            if (loads) present <= 1'b0;
        end else if (loads && watch) begin
            {watched, present, reported, known} <= 4'b1100;
            before          <= beats_due - gives;
            statuses_before <= statuses_due - reports;
            {bytes, offset, last, tag, invalid, nowhere} <= {
                command_bytes, command_offset, command_last, command_tag, command_invalid, command_nowhere
            };
            {lined, given}  <= 0;
            {slave_error, decode_error} <= {1'b0, command_nowhere};
            which           <= choose;
        end
        if (rst) watched <= 1'b0;
    end

    always @* begin
        if (loads && watch && !watched && command_bytes != 0) assume (choose < command_bytes);
        if (started && !rst) begin
            if (takes) only_its_lines: assert (lines_due != 0);
            if (loads) all_its_lines: assert (lines_due == takes);
            if (gives) only_its_beats: assert (beats_due != 0);
            if (reports) only_its_status: assert (statuses_due != 0);
            if (mine && stream_valid) begin
                exact_bytes: assert (stream_keep == keep);
                ends_the_packet: assert (stream_last == (last && left <= 64));
                if (!void_ && which[22:6] == given[22:6])
                    in_its_place: assert (known && stream_bits[which[5:0]] == bit_);
            end
            if (watched && !reported && statuses_before == 0 && status_valid) begin
                after_its_lines: assert (!present || lines_due == 0);
                says_how_it_went:
                    assert (status_data
                        == {!(invalid || slave_error || decode_error), slave_error, decode_error, invalid, tag});
            end
            whole_command: cover (mine && gives && given == 64 && left == 3 && offset == 62 && which == 66);
            next_at_once: cover (takes && lines_due == 1 && loads && !command_void);
            fails: cover (reports && watched && statuses_before == 0 && slave_error && !nowhere);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire         \dut.busy ;
    (* hierconn *) wire         \dut.primed ;
    (* hierconn *) wire         \dut.last ;
    (* hierconn *) wire         \dut.invalid ;
    (* hierconn *) wire         \dut.nowhere ;
    (* hierconn *) wire         \dut.void_lines ;
    (* hierconn *) wire [22:0]  \dut.bytes_left ;
    (* hierconn *) wire [5:0]   \dut.offset ;
    (* hierconn *) wire [3:0]   \dut.tag ;
    (* hierconn *) wire [25:0]  \dut.step1 ;
    (* hierconn *) wire [25:0]  \dut.step2 ;
    (* hierconn *) wire         \dut.valid1 ;
    (* hierconn *) wire         \dut.valid2 ;
    (* hierconn *) wire [511:0] \dut.rotated ;
    (* hierconn *) wire [511:0] \dut.hold ;
    (* hierconn *) wire         \dut.slave_error ;
    (* hierconn *) wire         \dut.decode_error ;
    (* hierconn *) wire         \dut.rotate.valid ;
    (* hierconn *) wire [2:0]   \dut.rotate.lanes ;
    (* hierconn *) wire [511:0] \dut.rotate.middle ;
    (* hierconn *) wire         \dut.beats.spare_full ;
    (* hierconn *) wire         \dut.beats.wide.head ;
    (* hierconn *) wire         \dut.beats.wide.tail ;
    (* hierconn *) wire [576:0] \dut.beats.wide.words[0] ;
    (* hierconn *) wire [576:0] \dut.beats.wide.words[1] ;
    wire [576:0] spare = \dut.beats.wide.head ? \dut.beats.wide.words[0] : \dut.beats.wide.words[1] ;
    (* hierconn *) wire [4:0]   \dut.reports.count ;
    (* hierconn *) wire [3:0]   \dut.reports.head ;
    (* hierconn *) wire [3:0]   \dut.reports.tail ;
    (* hierconn *) wire [7:0]   \dut.reports.memory[0] ;
    (* hierconn *) wire [7:0]   \dut.reports.memory[1] ;
    (* hierconn *) wire [7:0]   \dut.reports.memory[2] ;
    (* hierconn *) wire [7:0]   \dut.reports.memory[3] ;
    (* hierconn *) wire [7:0]   \dut.reports.memory[4] ;
    (* hierconn *) wire [7:0]   \dut.reports.memory[5] ;
    (* hierconn *) wire [7:0]   \dut.reports.memory[6] ;
    (* hierconn *) wire [7:0]   \dut.reports.memory[7] ;
    (* hierconn *) wire [7:0]   \dut.reports.memory[8] ;
    (* hierconn *) wire [7:0]   \dut.reports.memory[9] ;
    (* hierconn *) wire [7:0]   \dut.reports.memory[10] ;
    (* hierconn *) wire [7:0]   \dut.reports.memory[11] ;
    (* hierconn *) wire [7:0]   \dut.reports.memory[12] ;
    (* hierconn *) wire [7:0]   \dut.reports.memory[13] ;
    (* hierconn *) wire [7:0]   \dut.reports.memory[14] ;
    (* hierconn *) wire [7:0]   \dut.reports.memory[15] ;

    // The steps in the pipeline, the second one being the older.
    wire       take_1, take_2, emit_1, emit_2, ends_1, ends_2, last_1;
    wire       last_2, invalid_1, invalid_2, nowhere_1, nowhere_2;
    wire [6:0] held_1, held_2, lanes_1, lanes_2;
    wire [1:0] response_1, response_2;
    wire [3:0] tag_1, tag_2;
    assign {take_1, emit_1, ends_1, last_1, held_1, lanes_1, response_1, tag_1, invalid_1, nowhere_1} = \dut.step1 ;
    assign {take_2, emit_2, ends_2, last_2, held_2, lanes_2, response_2, tag_2, invalid_2, nowhere_2} = \dut.step2 ;

    // The lane of the byte in the places where it can be.
    wire [5:0]  lane = which[5:0];
    wire [5:0]  turned = lane + \dut.rotate.lanes ;
    wire [63:0] middle_bits, rotated_bits, hold_bits, spare_bits;
    generate for (i = 0; i < 64; i = i + 1) begin : places
        assign middle_bits[i]  = \dut.rotate.middle [8*i];
        assign rotated_bits[i] = \dut.rotated [8*i];
        assign hold_bits[i]    = \dut.hold [8*i];
        assign spare_bits[i]   = spare[8*i];
    end endgenerate
    wire in_middle   = middle_bits[turned];
    wire in_rotated  = rotated_bits[lane];
    wire in_hold     = hold_bits[lane];
    // What hold shows to the step behind the second one, and to the one behind both.
    wire held_next   = \dut.valid2 && take_2 ? in_rotated : in_hold;
    wire held_later  = \dut.valid1 && take_1 ? in_middle : held_next;

    // Beats in the block, from the output on, and how many bytes of the command
    // have come out when one of them does.
    wire        beat_1 = \dut.beats.spare_full ;
    wire        beat_2 = \dut.valid2 && emit_2;
    wire        beat_3 = \dut.valid1 && emit_1;
    wire [2:0]  upto_0 = stream_valid;
    wire [2:0]  upto_1 = upto_0 + beat_1;
    wire [2:0]  upto_2 = upto_1 + beat_2;
    wire [2:0]  upto_3 = upto_2 + beat_3;
    wire [17:0] to_come;       // beats of the command at work
    wire [23:0] rounded = 24'(\dut.bytes_left ) + 24'd63;
    assign to_come = \dut.busy ? rounded[23:6] : 18'd0;

    wire        its_1  = upto_0 >= before, its_2 = upto_1 >= before, its_3 = upto_2 >= before;
    wire [23:0] given_1 = given + 24'd64 * (upto_0 - before[2:0]);
    wire [23:0] given_2 = given + 24'd64 * (upto_1 - before[2:0]);
    wire [23:0] given_3 = given + 24'd64 * (upto_2 - before[2:0]);
    wire [23:0] given_4 = given + 24'd64 * (upto_3 - before[2:0]);
    wire [23:0] left_1  = bytes - given_1, left_2 = bytes - given_2, left_3 = bytes - given_3;
    wire        in_1 = watched && beat_1 && its_1 && given_1 < bytes;
    wire        in_2 = watched && beat_2 && its_2 && given_2 < bytes;
    wire        in_3 = watched && beat_3 && its_3 && given_3 < bytes;
    wire        byte_1 = in_1 && !void_ && which[22:6] == given_1[22:6];
    wire        byte_2 = in_2 && !void_ && which[22:6] == given_2[22:6];
    wire        byte_3 = in_3 && !void_ && which[22:6] == given_3[22:6];
    wire [6:0]  size_2 = left_2 >= 64 ? 7'd64 : left_2[6:0];
    wire [6:0]  size_3 = left_3 >= 64 ? 7'd64 : left_3[6:0];
    wire [63:0] keep_1 = left_1 >= 64 ? ~64'd0 : ~(~64'd0 << left_1[5:0]);

    // The command at work.
    wire [23:0] work_reach = 24'(\dut.bytes_left ) + \dut.offset + 24'd63 - (\dut.primed ? 24'd64 : 24'd0);
    wire        at_work    = watched && present && \dut.busy ;

    always @* if (started && !rst) begin
        assert (stream_valid || !beat_1);
        assert (beats_due == upto_3 + to_come);
        assert (lines_due == (\dut.busy && !\dut.void_lines && \dut.bytes_left != 0 ? work_reach[23:6] : 18'd0));
        if (\dut.busy && \dut.primed ) assert (\dut.offset != 0 && \dut.bytes_left != 0);
        if (\dut.busy ) assert (\dut.void_lines == (\dut.invalid || \dut.nowhere ));
        if (\dut.valid1 ) assert (\dut.rotate.valid );
        if (watched) begin
            assert (given[5:0] == 0 && lined[5:0] == 0 && (given < bytes || given < bytes + 24'd64));
            assert (bytes == 0 || which < bytes);
            assert (before == 0 || given == 0);
            assert (before <= upto_3);
        end
        if (at_work) begin
            assert (bytes == given_4 + \dut.bytes_left && (\dut.bytes_left != 0 || bytes == 0));
            assert (offset == \dut.offset && last == \dut.last && tag == \dut.tag
                && invalid == \dut.invalid && nowhere == \dut.nowhere );
            if (!void_) assert (lined == given_4 + (\dut.primed ? 24'd64 : 24'd0) && known == (lined > source));
            if (!void_ && known && which >= given_4)
                assert (\dut.primed && held_later == bit_ && which < given_4 + 24'd64);
        end
        if (watched && !at_work) assert (given_4 >= bytes);
        if (watched && !at_work && !void_ && bytes != 0) assert (known);

        assert (\dut.beats.wide.tail == \dut.beats.wide.head ^ stream_valid ^ beat_1);
        if (in_1) assert (spare[575:512] == keep_1 && spare[576] == (last && left_1 <= 64));
        if (in_2) assert (lanes_2 == size_2 && last_2 == (last && left_2 <= 64));
        if (in_3) assert (lanes_1 == size_3 && last_1 == (last && left_3 <= 64));
        if (byte_1) assert (known && spare_bits[lane] == bit_);
        if (byte_2) assert (known && (lane < held_2 ? in_hold : in_rotated) == bit_);
        if (byte_3) assert (known && (lane < held_1 ? held_next : in_middle) == bit_);
        if (byte_3 && lane >= held_1) assert (take_1);
        if (byte_2 && lane >= held_2) assert (take_2);
    end

    // Statuses, from the output on: those that wait, and commands that have not ended.
    wire        over_2    = \dut.valid2 && ends_2;
    wire        over_1    = \dut.valid1 && ends_1;
    wire [5:0]  status_2  = 6'(\dut.reports.count );
    wire [5:0]  status_1  = status_2 + over_2;
    wire [5:0]  status_0  = status_1 + over_1;
    wire        look      = watched && !reported;
    wire        slave_2   = \dut.valid2 && response_2 == 2'b10, slave_1 = \dut.valid1 && response_1 == 2'b10;
    wire        decode_2  = \dut.valid2 && (response_2 == 2'b11 || nowhere_2), decode_1 = \dut.valid1
        && (response_1 == 2'b11 || nowhere_1);
    // Errors of the command behind the second step, and behind both.
    wire        had_slave_2  = \dut.slave_error || slave_2;
    wire        had_decode_2 = \dut.decode_error || decode_2;
    wire        had_slave_1  = (over_2 ? 1'b0 : had_slave_2) || slave_1;
    wire        had_decode_1 = (over_2 ? 1'b0 : had_decode_2) || decode_1;
    wire        had_slave_0  = over_1 ? 1'b0 : had_slave_1;
    wire        had_decode_0 = over_1 ? 1'b0 : had_decode_1;
    wire [3:0]  at = \dut.reports.head + statuses_before[3:0];
    reg  [7:0]  kept;
    always @* case (at)
        4'd0: kept = \dut.reports.memory[0] ;
        4'd1: kept = \dut.reports.memory[1] ;
        4'd2: kept = \dut.reports.memory[2] ;
        4'd3: kept = \dut.reports.memory[3] ;
        4'd4: kept = \dut.reports.memory[4] ;
        4'd5: kept = \dut.reports.memory[5] ;
        4'd6: kept = \dut.reports.memory[6] ;
        4'd7: kept = \dut.reports.memory[7] ;
        4'd8: kept = \dut.reports.memory[8] ;
        4'd9: kept = \dut.reports.memory[9] ;
        4'd10: kept = \dut.reports.memory[10] ;
        4'd11: kept = \dut.reports.memory[11] ;
        4'd12: kept = \dut.reports.memory[12] ;
        4'd13: kept = \dut.reports.memory[13] ;
        4'd14: kept = \dut.reports.memory[14] ;
        default: kept = \dut.reports.memory[15] ;
    endcase
    wire [7:0] status = {!(invalid || slave_error || decode_error), slave_error, decode_error, invalid, tag};

    always @* if (started && !rst) begin
        assert (\dut.reports.count <= 16 && \dut.reports.tail == 4'(\dut.reports.head + \dut.reports.count ));
        assert (statuses_due == status_0 + \dut.busy );
        if (!\dut.busy ) assert (!had_slave_0 && !had_decode_0);
        if (look) begin
            assert (statuses_before < statuses_due);
            assert (present == (statuses_before == statuses_due - 1'b1));
            if (present && !\dut.busy || !present) assert (statuses_before < status_0);
            if (statuses_before < status_2) assert (kept == status);
            if (statuses_before == status_2 && over_2)
                assert (tag_2 == tag && invalid_2 == invalid && nowhere_2 == nowhere
                    && slave_error == had_slave_2 && decode_error == (had_decode_2 || nowhere));
            if (statuses_before == status_1 && over_1)
                assert (tag_1 == tag && invalid_1 == invalid && nowhere_1 == nowhere
                    && slave_error == had_slave_1 && decode_error == (had_decode_1 || nowhere));
            if (at_work) assert (slave_error == had_slave_0 && decode_error == (had_decode_0 || nowhere));
        end
    end
`endif

endmodule

`default_nettype wire
