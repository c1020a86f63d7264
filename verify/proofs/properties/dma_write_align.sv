`default_nettype none

// Any command is looked at, and any byte of its lines, whether it is to be
// written or not; one bit of each byte is free: all of a byte go the same way.
module proof (
    input wire        clk,
    input wire        rst,
    input wire        command_valid,
    input wire [22:0] command_bytes,
    input wire [15:0] address,
    input wire [3:0]  command_tag,
    input wire        command_memory,
    input wire        command_invalid,
    input wire        command_nowhere,
    input wire        stream_valid,
    input wire [63:0] stream_bits,
    input wire [63:0] stream_keep,
    input wire        stream_last,
    input wire        burst_ready,
    input wire        line_ready
);

    localparam BURST = 4;

    wire         command_ready, stream_ready, burst_valid, burst_memory, burst_void, burst_ends, started;
    wire         burst_internal_error, burst_decode_error, burst_end_of_packet, line_valid, line_last;
    wire [57:0]  burst_line;
    wire [7:0]   burst_length;
    wire [3:0]   burst_tag;
    wire [22:0]  burst_bytes;
    wire [511:0] stream_data, line_data;
    wire [63:0]  line_strobes, line_bits, beat_bits;
    wire [63:0]  command_address = {48'd0, address};
    wire         command_void    = command_invalid || command_nowhere;

    dma_write_align #(.BURST_BEATS(BURST)) dut (.*);

    // Beats as they leave the buffer at the input.
    (* hierconn *) wire         \dut.beat_valid ;
    (* hierconn *) wire         \dut.beat_ready ;
    (* hierconn *) wire         \dut.beat_last ;
    (* hierconn *) wire [6:0]   \dut.beat_bytes ;
    (* hierconn *) wire [511:0] \dut.beat_data ;
    genvar i;
    generate for (i = 0; i < 64; i = i + 1) begin : lanes_
        assign stream_data[8*i +: 8] = {7'd0, stream_bits[i]};
        assign line_bits[i]          = line_data[8*i];
        assign beat_bits[i]          = \dut.beat_data [8*i];
    end endgenerate

    begins beginning (.*);
    stays_outside #(.WIDTH(47)) commands (
        .clk, .rst, .valid(command_valid), .ready(command_ready),
        .data({command_bytes, address, command_tag, command_memory, command_invalid, command_nowhere, 1'b0})
    );
    stays_outside #(.WIDTH(129)) in (
        .clk, .rst, .valid(stream_valid), .ready(stream_ready), .data({stream_bits, stream_keep, stream_last})
    );
    stays #(.WIDTH(129)) lines (
        .clk, .rst, .valid(line_valid), .ready(line_ready), .data({line_bits & line_strobes, line_strobes, line_last})
    );

    // A beat has 64 bytes, the last one of a packet as many as TKEEP has ones.
    (* anyconst *) wire [5:0] column;
    reg  [6:0] ones;
    integer k;
    always @* begin
        ones = 0;
        for (k = 0; k < 64; k = k + 1) ones = ones + 7'(stream_keep[k]);
    end
    wire       takes = \dut.beat_valid && \dut.beat_ready ;
    wire [1:0] inside, ahead;
    wire       beat_watched;
    wire [8:0] beat;
    in_order #(.WIDTH(9), .CAPACITY(2), .COUNT(2)) beats (
        .clk, .rst, .push(stream_valid && stream_ready),
        .in_data({stream_last, stream_last ? ones : 7'd64, stream_bits[column]}),
        .pop(takes), .out_data({\dut.beat_last , \dut.beat_bytes , beat_bits[column]}),
        .inside, .watched(beat_watched), .ahead, .data(beat)
    );

    // The last command that was taken: bytes that have come, whether these are
    // all, and lines that are in bursts.
    reg         finished;                // its last burst was told
    reg         over, ended, hollow;     // with the packet; with a beat without bytes: it has a line, too
    reg  [22:0] bytes;
    reg  [23:0] taken;
    reg  [5:0]  offset;
    reg  [18:0] base;                    // its first line
    reg  [18:0] told;
    reg  [3:0]  tag;
    reg         memory, invalid, nowhere;
    wire        loads     = command_valid && command_ready;
    wire [23:0] to_come   = bytes - taken;
    wire [23:0] size      = to_come < \dut.beat_bytes ? to_come : 24'(\dut.beat_bytes );
    wire [23:0] taken_now = takes ? taken + size : taken;
    wire        over_now  = over || takes && (\dut.beat_last || taken_now == bytes);
    wire        hollow_now = takes ? size == 0 : hollow;
    wire        ended_now = takes ? \dut.beat_last : ended;
    wire        void_     = invalid || nowhere;
    wire [23:0] reach     = taken + offset + 24'd63;
    wire [23:0] reach_now = taken_now + offset + 24'd63;
    wire [23:0] covered   = taken + offset;
    wire [23:0] covered_now = taken_now + offset;
    wire [18:0] total     = void_ ? 19'd0 : hollow ? covered[23:6] + 19'd1 : 19'(reach[23:6]);
    wire [18:0] total_now = void_ ? 19'd0 : hollow_now ? covered_now[23:6] + 19'd1 : 19'(reach_now[23:6]);
    wire [18:0] complete  = void_ ? 19'd0 : over ? total : 19'(covered[23:6]);
    wire        tells     = burst_valid && burst_ready;
    wire [18:0] begins_at = base + told;
    wire [18:0] told_now  = told + burst_length + 1'b1;

    // Lines of the commands before it that have not come out, less those of its
    // own that have.
    reg  [18:0] due;
    wire        gives  = line_valid && line_ready;
    wire [18:0] before_it = due + total_now - gives;

    always @(posedge clk) begin
        {taken, over, ended, hollow} <= {taken_now, over_now, ended_now, hollow_now};
        if (tells && !burst_void) told <= told_now;
        if (tells && burst_ends) finished <= 1'b1;
        due <= loads ? before_it : due - gives;
        if (loads) begin
            {finished, ended, hollow} <= 0;
            {bytes, base, offset, tag} <= {command_bytes, 9'd0, address, command_tag};
            {memory, invalid, nowhere} <= {command_memory, command_invalid, command_nowhere};
            {taken, told} <= 0;
            over <= command_bytes == 0;
        end
        if (rst) begin
            {finished, over, invalid} <= 3'b111; // as behind a command without lines
            {bytes, taken, told, due, hollow, base} <= 0;
        end
    end

    // The command that is looked at, and the place in its lines.
    (* anyseq *) wire        watch;
    (* anyseq *) wire [23:0] choose;
    reg         watched, present, known, bit_;
    reg  [1:0]  before;
    reg  [23:0] spot, given;     // lines in bytes
    reg  [23:0] got;             // bytes
    reg         all, nothing, empty;
    reg  [5:0]  shift, start;
    wire [23:0] got_now = present ? taken_now : got;
    wire [23:0] end_    = shift + got;
    wire [23:0] ending  = end_ + 24'd63;
    wire [23:0] span    = empty ? {end_[23:6] + 18'd1, 6'd0} : {ending[23:6], 6'd0};
    wire        mine    = watched && !nothing && before == 0 && (!all || given < span);
    wire        written = spot >= shift && spot < end_;
    wire [23:0] source  = spot - shift;
    wire [1:0]  row     = start[1:0] + given[7:6] + 1'b1;
    always @(posedge clk) begin
        if (watched) begin
            if (gives && before != 0) before <= before - 1'b1;
            if (gives && mine) given <= given + 24'd64;
            if (present) {got, all, empty} <= {taken_now, over_now, hollow_now};
            if (present && takes && spot >= shift && source >= taken && source < taken_now)
                {known, bit_} <= {1'b1, beat_bits[source[5:0]]};
            if (loads) present <= 1'b0;
        end else if (loads && watch) begin
            {watched, present, known} <= 3'b110;
            before  <= before_it[1:0];
            {given, got, empty} <= 0;
            all     <= command_bytes == 0;
            nothing <= command_void;
            shift   <= address[5:0];
            start   <= address[11:6];
            spot    <= choose;
        end
        if (rst) watched <= 1'b0;
    end

    always @* begin
        if (command_bytes == 0) assume (command_invalid);
        if (started && !rst) begin
            if (takes) only_its_beats: assert (!over);
            if (gives) only_its_lines: assert (due + complete != 0);
            if (loads) one_after_the_other: assert (finished || tells && burst_ends);
            if (tells) begin
                of_a_command: assert (!finished);
                says_what:
                    assert (burst_void == void_ && burst_memory == memory
                        && burst_tag == tag && burst_decode_error == nowhere);
                if (burst_ends)
                    says_how_it_went:
                        assert (over_now && burst_bytes == taken_now && burst_end_of_packet == ended_now
                            && burst_internal_error == (invalid || taken_now < bytes));
                if (!void_) no_gap: assert (burst_line == 58'(begins_at));
                if (!void_) within_a_block: assert (burst_line[1:0] + burst_length <= BURST - 1);
                if (!void_ && burst_ends) all_lines: assert (told_now == total_now);
                if (!burst_ends)
                    full:
                        assert (!void_ && burst_line[1:0] + burst_length == BURST - 1 && told_now <= covered_now[23:6]);
            end
            if (mine && line_valid) begin
                if (spot[23:6] == given[23:6]) strobes: assert (line_strobes[spot[5:0]] == written);
                if (spot[23:6] == given[23:6] && written) in_its_place: assert (known && line_bits[spot[5:0]] == bit_);
                ends_its_burst: assert (line_last == (row == 0 || all && given + 24'd64 >= span));
            end
            trails: cover (mine && gives && all && given == 64 && end_ == 67 && shift == 62 && spot == 66);
            by_the_packet: cover (tells && burst_ends && ended_now && taken_now == 70 && bytes == 100);
            two_bursts: cover (tells && burst_ends && told == 1 && burst_length == 0);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire         \dut.busy ;
    (* hierconn *) wire         \dut.first ;
    (* hierconn *) wire         \dut.trailing ;
    (* hierconn *) wire         \dut.void_lines ;
    (* hierconn *) wire         \dut.memory ;
    (* hierconn *) wire         \dut.invalid ;
    (* hierconn *) wire         \dut.nowhere ;
    (* hierconn *) wire         \dut.underrun ;
    (* hierconn *) wire         \dut.packet_ended ;
    (* hierconn *) wire [22:0]  \dut.bytes_left ;
    (* hierconn *) wire [22:0]  \dut.received ;
    (* hierconn *) wire [5:0]   \dut.offset ;
    (* hierconn *) wire [3:0]   \dut.tag ;
    (* hierconn *) wire [57:0]  \dut.line ;
    (* hierconn *) wire [57:0]  \dut.start ;
    (* hierconn *) wire [23:0]  \dut.step1 ;
    (* hierconn *) wire [23:0]  \dut.step2 ;
    (* hierconn *) wire         \dut.valid1 ;
    (* hierconn *) wire         \dut.valid2 ;
    (* hierconn *) wire [511:0] \dut.rotated ;
    (* hierconn *) wire [511:0] \dut.hold ;
    (* hierconn *) wire         \dut.rotate.valid ;
    (* hierconn *) wire [2:0]   \dut.rotate.lanes ;
    (* hierconn *) wire [511:0] \dut.rotate.middle ;
    (* hierconn *) wire         \dut.beats.spare_full ;
    (* hierconn *) wire         \dut.beats.wide.head ;
    (* hierconn *) wire         \dut.beats.wide.tail ;
    (* hierconn *) wire [519:0] \dut.beats.wide.words[0] ;
    (* hierconn *) wire [519:0] \dut.beats.wide.words[1] ;
    wire [519:0] spare = \dut.beats.wide.head ? \dut.beats.wide.words[0] : \dut.beats.wide.words[1] ;

    wire       writes_1, writes_2, closes_1, closes_2, trailing_1, trailing_2;
    wire [6:0] held_1, held_2, start_1, start_2, stop_1, stop_2;
    assign {writes_1, closes_1, trailing_1, held_1, start_1, stop_1} = \dut.step1 ;
    assign {writes_2, closes_2, trailing_2, held_2, start_2, stop_2} = \dut.step2 ;

    wire [5:0]  lane   = spot[5:0];
    wire [5:0]  turned = lane - \dut.rotate.lanes ;
    wire [63:0] middle_bits, rotated_bits, hold_bits, spare_bits;
    generate for (i = 0; i < 64; i = i + 1) begin : places
        assign middle_bits[i]  = \dut.rotate.middle [8*i];
        assign rotated_bits[i] = \dut.rotated [8*i];
        assign hold_bits[i]    = \dut.hold [8*i];
        assign spare_bits[i]   = spare[8*i];
    end endgenerate
    wire in_middle  = middle_bits[turned];
    wire in_rotated = rotated_bits[lane];
    wire in_hold    = hold_bits[lane];
    wire held_next  = \dut.valid2 && !trailing_2 ? in_rotated : in_hold;
    wire held_later = \dut.valid1 && !trailing_1 ? in_middle : held_next;

    // Lines in the block, and how many bytes of lines of the command have come
    // out when one of them does.
    wire        line_2  = \dut.valid2 && writes_2;
    wire        line_1  = \dut.valid1 && writes_1;
    wire [1:0]  upto_2  = line_2;
    wire [1:0]  upto_1  = upto_2 + line_1;
    wire [1:0]  past_2  = upto_2 - before;
    wire [1:0]  past_1  = upto_1 - before;
    wire [23:0] given_1 = given + {past_2, 6'd0};
    wire [23:0] given_0 = given + {past_1, 6'd0};
    wire        in_2    = line_2 && mine;
    wire        in_1    = watched && !nothing && line_1 && upto_2 >= before && (!all || given_1 < span);
    wire [23:0] rest_2  = end_ - given;
    wire [23:0] rest_1  = end_ - given_1;
    wire [1:0]  row_1   = start[1:0] + given_1[7:6] + 1'b1;
    wire        byte_2  = in_2 && written && spot[23:6] == given[23:6];
    wire        byte_1  = in_1 && written && spot[23:6] == given_1[23:6];
    wire        at_work = watched && present && \dut.busy ;

    // Steps of the command at work.
    wire [23:0] rounded = taken + 24'd63;
    wire [18:0] steps   = rounded[23:6];
    wire [18:0] goes_on_at = base + steps;
    wire [18:0] since   = steps - told;

    always @* if (started && !rst) begin
        assert (inside == \dut.beat_valid + \dut.beats.spare_full );
        assert (\dut.beat_valid || !\dut.beats.spare_full );
        assert (\dut.beats.wide.tail == \dut.beats.wide.head ^ \dut.beat_valid ^ \dut.beats.spare_full );
        if (\dut.beat_valid ) assert (\dut.beat_bytes <= 64 && (\dut.beat_last || \dut.beat_bytes == 64));
        if (\dut.beats.spare_full )
            assert (spare[518:512] <= 64 && (spare[519] || spare[518:512] == 64));
        if (beat_watched && ahead == 0) assert ({\dut.beat_last , \dut.beat_bytes , beat_bits[column]} == beat);
        if (beat_watched && ahead == 1) assert ({spare[519:512], spare_bits[column]} == beat);

        assert (finished == !\dut.busy );
        assert (taken <= bytes && base < 1024);
        if (\dut.busy ) begin
            assert (\dut.bytes_left == bytes - taken && \dut.received == taken);
            assert (\dut.trailing == (over && bytes != 0) && (over || bytes != 0));
            assert (\dut.memory == memory && \dut.invalid == invalid
                && \dut.nowhere == nowhere && \dut.tag == tag && \dut.void_lines == void_);
            assert (\dut.first == (taken == 0));
            if (bytes == 0) assert (invalid);
            if (\dut.trailing )
                assert (\dut.offset == covered[5:0] && !hollow && reach[23:6] == steps + 1'b1
                    && covered[5:0] <= offset && \dut.packet_ended == ended && \dut.underrun == (taken < bytes));
            else
                assert (\dut.offset == offset && taken[5:0] == 0 && !hollow && !ended && (bytes == 0 || taken < bytes));
            if (!void_)
                assert (\dut.start == 58'(begins_at) && \dut.line == 58'(goes_on_at) && told <= steps
                    && since <= BURST - 1 && \dut.start [1:0] + since <= BURST - 1);
            assert (due + (void_ ? 19'd0 : steps) == upto_1);
        end else begin
            assert (over && due + total == upto_1);
            if (hollow) assert (taken[5:0] == 0);
        end
        if (void_) assert (told == 0);
        if (\dut.valid1 && !trailing_1) assert (\dut.rotate.valid );
        if (\dut.valid1 && trailing_1) assert (!\dut.rotate.valid );

        if (watched) begin
            assert (given[5:0] == 0 && before <= upto_1 && (before == 0 || given == 0));
            if (present)
                assert (got == taken && all == over && empty == hollow
                    && shift == offset && nothing == void_ && start == base[5:0]);
            if (!present) assert (all);
            assert (!got[23]);
            if (empty) assert (all && got[5:0] == 0);
            if (all && !nothing && !empty) assert (got != 0);
            if (nothing) assert (given == 0);
            else begin
                assert (given <= given_0 && (!all || given <= span));
                assert (known == (spot >= shift && source < got));
                if (at_work) assert (given_0 == {steps, 6'd0});
                else assert (all && given_0 >= span);
                if (at_work && known && spot >= given_0) assert (held_later == bit_);
            end
        end
        if (in_2)
            assert (start_2 == (given == 0 ? 7'(shift) : 7'd0) && stop_2 == (rest_2 >= 64 ? 7'd64 : 7'(rest_2))
                && closes_2 == (row == 0 || all && given + 24'd64 >= span));
        if (in_1)
            assert (start_1 == (given_1 == 0 ? 7'(shift) : 7'd0) && stop_1 == (rest_1 >= 64 ? 7'd64 : 7'(rest_1))
                && closes_1 == (row_1 == 0 || all && given_1 + 24'd64 >= span));
        if (in_2) assert (given <= end_);
        if (in_1) assert (given_1 <= end_);
        if (byte_2) assert (known && (lane < held_2 ? in_hold : in_rotated) == bit_);
        if (byte_1) assert (known && (lane < held_1 ? held_next : in_middle) == bit_);
        if (byte_2 && lane >= held_2) assert (!trailing_2);
        if (byte_1 && lane >= held_1) assert (!trailing_1);
    end
`endif

endmodule

`default_nettype wire
