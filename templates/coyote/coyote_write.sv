// Writes of an engine's DMA in the Coyote shell: a command of an AXI DataMover
// (S2MM) becomes a request to the shell, its data go out on the host's or the
// card's stream, and a status comes when the shell has told that it is done.
//
// TDEST 0 is the card's memory, 1 the host's. Statuses come in the order of the
// commands. A transfer takes the commanded bytes of the stream, or less if TLAST
// stands before them: the shell must get what was requested, so that zeros are
// written instead of the rest; the status is an internal error then, and tells
// what came. No TLAST with the last byte is no error, end of packet is 0.
//
// A refused command takes its bytes of the stream and asks the shell for nothing:
// not incrementing, or with an offset of the stream (DSA), is an internal error; a
// memory that does not exist, or an address beyond the shell's 48 bits, is a
// decode error. A command for 0 bytes, which the shell would never answer, takes
// nothing and is an internal error.
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

    localparam int unsigned COUNT = $clog2(2 * COMMANDS + 2);

    cclo_pkg::dma_command_t command;
    logic [7:0]             memory;
    logic                   pending, load, order_ready;
    logic                   invalid, nowhere, refused;

    skid_buffer #(.WIDTH(112)) commands (
        .clk, .rst,
        .in_valid(command_valid), .in_ready(command_ready), .in_data({command_memory, command_data}),
        .out_valid(pending), .out_ready(load), .out_data({memory, command})
    );

    assign nowhere = memory > 8'd1 || command.address[63:48] != '0;
    assign invalid = !command.incrementing || command.dsa != '0 || command.bytes == '0;
    assign refused = invalid || nowhere;

    assign request_valid   = pending && order_ready && !refused;
    assign request_host    = memory[0];
    assign request_address = command.address[47:0];
    assign request_bytes   = 28'(command.bytes);
    assign load            = pending && order_ready && (refused || request_ready);

    // The data of each command, in their order.
    logic        work, finish, report_ready;
    logic [22:0] bytes, left, now, taken, taken_now;
    logic        host, is_invalid, is_nowhere, started, short_packet, short_now, ended, ended_now;
    logic [3:0]  tag;
    logic        is_refused, empty, final_beat, beat, source_valid, beat_ready;
    logic [6:0]  ones, room;

    logic [$clog2(COMMANDS+1)-1:0] _unused_order;
    fifo #(.WIDTH(30), .DEPTH(COMMANDS)) order (
        .clk, .rst, .clear(1'b0),
        .in_valid(load), .in_ready(order_ready), .in_data({command.bytes, memory[0], command.tag, invalid, nowhere}),
        .out_valid(work), .out_ready(finish), .out_data({bytes, host, tag, is_invalid, is_nowhere}),
        .count(_unused_order)
    );

    logic host_in_ready, card_in_ready;

    assign is_refused   = is_invalid || is_nowhere;
    assign empty        = bytes == '0;
    assign now          = started ? left : bytes;
    assign final_beat   = now <= 23'd64;
    assign room         = final_beat ? now[6:0] : 7'd64;
    assign source_valid = short_packet || stream_valid;
    assign beat_ready   = is_refused || (host ? host_in_ready : card_in_ready);
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
        .in_valid(beat && !is_refused && host), .in_ready(host_in_ready), .in_data({final_beat, keep, data}),
        .out_valid(host_valid), .out_ready(host_ready), .out_data({host_last, host_keep, host_data})
    );

    skid_buffer #(.WIDTH(577)) to_card (
        .clk, .rst,
        .in_valid(beat && !is_refused && !host), .in_ready(card_in_ready), .in_data({final_beat, keep, data}),
        .out_valid(card_valid), .out_ready(card_ready), .out_data({card_last, card_keep, card_data})
    );

    // Statuses wait for the shell.
    logic                  due, settle, due_host, due_invalid, due_nowhere, due_end, due_short;
    logic [3:0]            due_tag;
    logic [22:0]           due_bytes;
    logic [COUNT-1:0]      host_count, card_count;
    logic                  host_taken, card_taken;
    cclo_pkg::dma_status_t status;

    logic [$clog2(COMMANDS+1)-1:0] _unused_reports;
    fifo #(.WIDTH(32), .DEPTH(COMMANDS)) reports (
        .clk, .rst, .clear(1'b0),
        .in_valid(finish), .in_ready(report_ready),
        .in_data({
            tag, host, is_invalid, is_nowhere, empty ? 23'b0 : taken_now, !empty && ended_now, !empty && short_now
        }),
        .out_valid(due), .out_ready(settle),
        .out_data({due_tag, due_host, due_invalid, due_nowhere, due_bytes, due_end, due_short}), .count(_unused_reports)
    );

    assign status_valid = due && (due_invalid || due_nowhere || (due_host ? host_count != '0 : card_count != '0));
    assign settle       = status_valid && status_ready;
    assign host_taken   = settle && due_host && !due_invalid && !due_nowhere;
    assign card_taken   = settle && !due_host && !due_invalid && !due_nowhere;
    assign status_data  = status;

    always_comb begin
        status.end_of_packet  = due_end;
        status.bytes_received = due_bytes;
        status.okay           = !(due_invalid || due_nowhere || due_short);
        status.slave_error    = 1'b0;
        status.decode_error   = due_nowhere;
        status.internal_error = due_invalid || due_short;
        status.tag            = due_tag;
    end

    always_ff @(posedge clk)
        if (rst) begin
            host_count <= '0;
            card_count <= '0;
        end else begin
            host_count <= host_count + COUNT'(host_done) - COUNT'(host_taken);
            card_count <= card_count + COUNT'(card_done) - COUNT'(card_taken);
        end

    wire _unused = &{1'b0, command._reserved_103_100, command.drr, command.eof};

endmodule

`default_nettype wire
