// Turns a stream that begins at lane 0 into lines of memory with byte strobes,
// and cuts the lines into bursts. A transfer ends with the commanded bytes or
// with TLAST, whichever comes first. A refused command (void) takes its bytes of
// the stream and writes none.
//
// A burst is described when its last line is known: all of them are out soon.
`default_nettype none

module dma_write_align #(
    parameter int unsigned BURST_BEATS = 16 // of 64 bytes, in a burst; a power of two
) (
    input  wire          clk,
    input  wire          rst,

    input  wire          command_valid,
    output logic         command_ready,
    input  wire  [22:0]  command_bytes,
    input  wire  [63:0]  command_address,
    input  wire  [3:0]   command_tag,
    input  wire          command_memory,
    input  wire          command_invalid,    // internal error
    input  wire          command_nowhere,    // decode error without a memory
    input  wire          command_void,

    input  wire          stream_valid,
    output logic         stream_ready,
    input  wire  [511:0] stream_data,
    input  wire  [63:0]  stream_keep,
    input  wire          stream_last,

    output logic         burst_valid,
    input  wire          burst_ready,
    output logic [57:0]  burst_line,
    output logic [7:0]   burst_length,       // beats - 1
    output logic         burst_memory,
    output logic         burst_void,         // there are no lines
    output logic         burst_ends,         // the command; what follows is its status
    output logic [3:0]   burst_tag,
    output logic         burst_internal_error,
    output logic         burst_decode_error,
    output logic [22:0]  burst_bytes,
    output logic         burst_end_of_packet,

    output logic         line_valid,
    input  wire          line_ready,
    output logic [511:0] line_data,
    output logic [63:0]  line_strobes,
    output logic         line_last           // of its burst
);

    localparam int unsigned BURST = $clog2(BURST_BEATS);

    // A beat and how many bytes it has: 64 unless it ends the packet.
    logic         beat_valid, beat_ready, beat_last;
    logic [511:0] beat_data;
    logic [6:0]   beat_bytes, kept;

    always_comb begin
        kept = 'x;
        if (stream_last) begin
            kept = '0;
            for (int unsigned i = 0; i < 64; i++) kept = kept + 7'(stream_keep[i]);
        end
    end

    skid_buffer #(.WIDTH(520)) beats (
        .clk, .rst,
        .in_valid(stream_valid), .in_ready(stream_ready),
        .in_data({stream_last, stream_last ? kept : 7'd64, stream_data}),
        .out_valid(beat_valid), .out_ready(beat_ready),
        .out_data({beat_last, beat_bytes, beat_data})
    );

    // The command at work.
    logic        busy, first, trailing, void_lines, memory, invalid, nowhere;
    logic        underrun, packet_ended;
    logic [22:0] bytes_left, received;
    logic [5:0]  offset;
    logic [3:0]  tag;
    logic [57:0] line, start;

    logic        advance, load, possible, go, final_beat, spills, ends, closes, boundary;
    logic [6:0]  lanes, stop;
    logic [22:0] received_now;
    logic [BURST-1:0] burst_beats;           // less one
    logic        underrun_now, packet_ended_now;

    // Trailing: the last bytes of the last beat go to a line of their own.
    assign lanes        = bytes_left < 23'(beat_bytes) ? bytes_left[6:0] : beat_bytes;
    assign final_beat   = beat_last || bytes_left <= 23'd64;
    assign spills       = 7'(offset) + lanes > 7'd64;
    assign ends         = bytes_left == '0 || (!trailing && final_beat && !spills) || trailing;
    assign boundary     = &line[BURST-1:0];
    assign closes       = ends || (boundary && !void_lines);
    assign stop         = trailing ? 7'(offset) : (spills ? 7'd64 : 7'(offset) + lanes);
    assign received_now = trailing || bytes_left == '0 ? received : received + 23'(lanes);
    assign underrun_now     = trailing ? underrun : beat_last && 23'(lanes) < bytes_left;
    assign packet_ended_now = trailing ? packet_ended : beat_last && bytes_left != '0;

    assign possible      = busy && advance && (beat_valid || trailing || bytes_left == '0);
    assign go            = possible && (burst_ready || !closes);
    assign beat_ready    = go && !trailing && bytes_left != '0;
    assign load          = !busy || (go && ends);
    assign command_ready = load;

    always_ff @(posedge clk) begin
        if (rst) busy <= 1'b0;
        else if (load) busy <= command_valid;
        if (load) begin
            bytes_left   <= command_bytes;
            received     <= '0;
            offset       <= command_address[5:0];
            line         <= command_address[63:6];
            start        <= command_address[63:6];
            tag          <= command_tag;
            memory       <= command_memory;
            invalid      <= command_invalid;
            nowhere      <= command_nowhere;
            void_lines   <= command_void;
            first        <= 1'b1;
            trailing     <= 1'b0;
        end else if (go) begin
            first        <= 1'b0;
            trailing     <= final_beat;
            offset       <= final_beat ? 6'(7'(offset) + lanes) : offset;
            bytes_left   <= bytes_left - 23'(lanes);
            received     <= received_now;
            underrun     <= underrun_now;
            packet_ended <= packet_ended_now;
            line         <= line + 58'd1;
            if (boundary) start <= line + 58'd1;
        end
    end

    assign burst_valid          = possible && closes;
    assign burst_line           = start;
    assign burst_beats          = line[BURST-1:0] - start[BURST-1:0];
    assign burst_length         = 8'(burst_beats);
    assign burst_memory         = memory;
    assign burst_void           = void_lines;
    assign burst_ends           = ends;
    assign burst_tag            = tag;
    assign burst_internal_error = invalid || underrun_now;
    assign burst_decode_error   = nowhere;
    assign burst_bytes          = received_now;
    assign burst_end_of_packet  = packet_ended_now;

    // Two stages of rotation; what goes with the line.
    localparam int unsigned STEP = 24;
    logic [STEP-1:0] step0, step1, step2;
    logic            valid1, valid2;
    logic [511:0]    rotated, hold;

    assign step0 = {!void_lines, closes, trailing, trailing ? 7'd64 : 7'(offset),
                    first ? 7'(offset) : 7'd0, stop};

    dma_rotate #(.LEFT(1'b1)) rotate (
        .clk, .enable(advance), .in_valid(go && !trailing), .in_data(beat_data), .in_lanes(offset), .out_data(rotated)
    );

    always_ff @(posedge clk) begin
        if (advance) begin
            step1 <= step0;
            step2 <= step1;
        end
        if (rst) begin
            valid1 <= 1'b0;
            valid2 <= 1'b0;
        end else if (advance) begin
            valid1 <= go;
            valid2 <= valid1;
        end
    end

    // Merge with what the beat before had too much.
    logic       writes2, closes2, trailing2;
    logic [6:0] held2, start2, stop2;

    assign {writes2, closes2, trailing2, held2, start2, stop2} = step2;

    assign line_strobes = ({64{1'b1}} << start2) & ~({64{1'b1}} << stop2);

    always_comb begin
        line_data = 'x; // simulation skips what is idle
        if (valid2)
            for (int unsigned i = 0; i < 64; i++)
                line_data[8*i +: 8] = 7'(i) < held2 ? hold[8*i +: 8] : rotated[8*i +: 8];
    end

    always_ff @(posedge clk) if (advance && valid2 && !trailing2) hold <= rotated;

    assign advance    = line_ready;
    assign line_valid = valid2 && writes2;
    assign line_last  = closes2;

endmodule

`default_nettype wire
