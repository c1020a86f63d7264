// Reads of an engine's DMA in the Coyote shell: the data of a command (MM2S) come on
// the host's or the card's stream, and its status after them (coyote_commands). A
// refused command delivers its bytes all the same, of undefined contents.
`default_nettype none

module coyote_read #(
    parameter int unsigned COMMANDS = 16 // with outstanding data
) (
    input  wire           clk,
    input  wire           rst,

    input  wire           command_valid,
    output logic          command_ready,
    input  wire  [103:0]  command_data,
    input  wire  [7:0]    command_memory,

    output logic          stream_valid,
    input  wire           stream_ready,
    output logic [511:0]  stream_data,
    output logic [63:0]   stream_keep,
    output logic          stream_last,

    output logic          status_valid,
    input  wire           status_ready,
    output logic [7:0]    status_data,

    output logic          request_valid,
    input  wire           request_ready,
    output logic          request_host,
    output logic [47:0]   request_address,
    output logic [27:0]   request_bytes,

    input  wire           host_done, // a request is done
    input  wire           card_done,

    input  wire           host_valid,
    output logic          host_ready,
    input  wire  [511:0]  host_data,
    input  wire           card_valid,
    output logic          card_ready,
    input  wire  [511:0]  card_data
);

    logic        work, finish, report_ready, refused;
    logic [22:0] bytes, left, now;
    logic        eof, host, started, invalid, nowhere;
    logic [3:0]  tag;
    logic        empty, final_beat, beat_valid, beat_ready;

    logic _unused_notes;
    coyote_commands #(.COMMANDS(COMMANDS)) commands (
        .clk, .rst,
        .command_valid, .command_ready, .command_data, .command_memory,
        .request_valid, .request_ready, .request_host, .request_address, .request_bytes,
        .host_done, .card_done,
        .work, .bytes, .eof, .host, .refused, .report_ready, .finish, .notes(1'b0),
        .status_valid, .status_ready,
        .status_tag(tag), .status_invalid(invalid), .status_nowhere(nowhere),
        .status_notes(_unused_notes)
    );

    assign empty      = bytes == '0;
    assign now        = started ? left : bytes;
    assign final_beat = now <= 23'd64;
    assign beat_valid = work && !empty && (!final_beat || report_ready)
        && (refused || (host ? host_valid : card_valid));
    assign finish     = work && report_ready && (empty || (final_beat && beat_valid && beat_ready));
    assign host_ready = work && !empty && !refused && host && (!final_beat || report_ready) && beat_ready;
    assign card_ready = work && !empty && !refused && !host && (!final_beat || report_ready) && beat_ready;

    always_ff @(posedge clk)
        if (rst) started <= 1'b0;
        else if (beat_valid && beat_ready) begin
            started <= !final_beat;
            left    <= now - 23'd64;
        end

    logic [63:0]  keep;
    logic [511:0] data;
    assign keep = final_beat && now[5:0] != '0 ? ~(64'hFFFFFFFFFFFFFFFF << now[5:0]) : '1;
    assign data = refused ? '0 : host ? host_data : card_data;

    skid_buffer #(.WIDTH(577)) out (
        .clk, .rst,
        .in_valid(beat_valid), .in_ready(beat_ready), .in_data({final_beat && eof, keep, data}),
        .out_valid(stream_valid), .out_ready(stream_ready), .out_data({stream_last, stream_keep, stream_data})
    );

    assign status_data = {!(invalid || nowhere), 1'b0, nowhere, invalid, tag};

endmodule

`default_nettype wire
