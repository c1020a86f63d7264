// Writes of an engine's DMA in the Coyote shell: the data of a command (S2MM) go out
// on the host's or the card's stream, and its status comes when the shell has
// completed them (coyote_commands).
//
// A transfer takes the commanded bytes of the stream, or less if TLAST stands before
// them: the shell must get what was requested, so that zeros are written instead of
// the rest; the status is an internal error then, and says what came. No TLAST with
// the last byte is no error, end of packet is 0. A refused command takes its bytes
// of the stream.
`default_nettype none

module coyote_write #(
    parameter int unsigned COMMANDS = 16 // with outstanding data
) (
    input  wire           clk,
    input  wire           rst,

    input  wire           command_valid,
    output logic          command_ready,
    input  wire  [103:0]  command_data,
    input  wire  [7:0]    command_memory,

    input  wire           stream_valid,
    output logic          stream_ready,
    input  wire  [511:0]  stream_data,
    input  wire  [63:0]   stream_keep,
    input  wire           stream_last,

    output logic          status_valid,
    input  wire           status_ready,
    output logic [31:0]   status_data,

    output logic          request_valid,
    input  wire           request_ready,
    output logic          request_host,
    output logic [47:0]   request_address,
    output logic [27:0]   request_bytes,

    input  wire           host_done, // a request is done
    input  wire           card_done,

    output logic          host_valid,
    input  wire           host_ready,
    output logic [511:0]  host_data,
    output logic [63:0]   host_keep,
    output logic          host_last,
    output logic          card_valid,
    input  wire           card_ready,
    output logic [511:0]  card_data,
    output logic [63:0]   card_keep,
    output logic          card_last
);

    logic        work, finish, report_ready, refused;
    logic [22:0] bytes, left, now, taken, taken_now, came_bytes;
    logic        host, started, short_packet, short_now, ended, ended_now, came_end, came_short, invalid, nowhere;
    logic [3:0]  tag;
    logic        empty, final_beat, beat, source_valid, beat_ready;
    logic [6:0]  ones, room;

    logic _unused_eof;
    coyote_commands #(.COMMANDS(COMMANDS), .NOTES(25)) commands (
        .clk, .rst,
        .command_valid, .command_ready, .command_data, .command_memory,
        .request_valid, .request_ready, .request_host, .request_address, .request_bytes,
        .host_done, .card_done,
        .work, .bytes, .eof(_unused_eof), .host, .refused, .report_ready, .finish, .notes(
            {empty ? 23'b0 : taken_now, !empty && ended_now, !empty && short_now}
        ),
        .status_valid, .status_ready,
        .status_tag(tag), .status_invalid(invalid), .status_nowhere(nowhere),
        .status_notes({came_bytes, came_end, came_short})
    );

    logic host_in_ready, card_in_ready;

    assign empty        = bytes == '0;
    assign now          = started ? left : bytes;
    assign final_beat   = now <= 23'd64;
    assign room         = final_beat ? now[6:0] : 7'd64;
    assign source_valid = short_packet || stream_valid;
    assign beat_ready   = refused || (host ? host_in_ready : card_in_ready);
    assign beat         = work && !empty && source_valid && beat_ready && (!final_beat || report_ready);
    assign stream_ready = work && !empty && !short_packet && beat_ready && (!final_beat || report_ready);
    assign finish       = work && report_ready && (empty || (final_beat && beat));

    always_comb begin
        ones = '0;
        for (int unsigned i = 0; i < 64; i++) ones = ones + 7'(stream_keep[i]);
    end

    // How many bytes of the beat belong to the command, and whether the packet is
    // over with it.
    logic [6:0] came;
    assign came      = short_packet ? '0 : !stream_last ? room : ones < room ? ones : room;
    assign taken_now = (started ? taken : '0) + 23'(came);
    assign ended_now = (started && ended) || (!short_packet && stream_last);
    assign short_now = short_packet || (stream_last && came < room) || (stream_last && !final_beat);

    always_ff @(posedge clk)
        if (rst) begin
            started      <= 1'b0;
            short_packet <= 1'b0;
        end else if (beat) begin
            started      <= !final_beat;
            short_packet <= !final_beat && short_now;
            left         <= now - 23'd64;
            taken        <= taken_now;
            ended        <= ended_now;
        end

    logic [63:0]  keep;
    logic [511:0] data;
    assign keep = room[5:0] != '0 ? ~(64'hFFFFFFFFFFFFFFFF << room[5:0]) : '1;
    always_comb
        for (int unsigned i = 0; i < 64; i++)
            data[8*i +: 8] = 7'(i) < came ? stream_data[8*i +: 8] : 8'b0;

    skid_buffer #(.WIDTH(577)) to_host (
        .clk, .rst,
        .in_valid(beat && !refused && host), .in_ready(host_in_ready), .in_data({final_beat, keep, data}),
        .out_valid(host_valid), .out_ready(host_ready), .out_data({host_last, host_keep, host_data})
    );

    skid_buffer #(.WIDTH(577)) to_card (
        .clk, .rst,
        .in_valid(beat && !refused && !host), .in_ready(card_in_ready), .in_data({final_beat, keep, data}),
        .out_valid(card_valid), .out_ready(card_ready), .out_data({card_last, card_keep, card_data})
    );

    cclo_pkg::dma_status_t status;
    always_comb begin
        status.end_of_packet  = came_end;
        status.bytes_received = came_bytes;
        status.okay           = !(invalid || nowhere || came_short);
        status.slave_error    = 1'b0;
        status.decode_error   = nowhere;
        status.internal_error = invalid || came_short;
        status.tag            = tag;
    end
    assign status_data = status;

endmodule

`default_nettype wire
