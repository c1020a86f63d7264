// Reads of an engine's DMA in the Coyote shell: a command of an AXI DataMover
// (MM2S) becomes a request to the shell, whose data come on the host's or the
// card's stream, and a status when the shell has told that it is done.
//
// TDEST 0 is the card's memory, 1 the host's. Statuses come in the order of the
// commands, after their data. A refused command delivers bytes all the same, of
// undefined contents, and asks the shell for nothing: not incrementing, or with an
// offset of the stream (DSA), is an internal error; a memory that does not exist,
// or an address beyond the shell's 48 bits, is a decode error. A command for 0
// bytes, which the shell would never answer, delivers nothing and is an internal
// error. The shell tells of no errors: a page that is not there stops it.
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
    logic [22:0] bytes, left;
    logic        eof, host, is_invalid, is_nowhere, started;
    logic [3:0]  tag;
    logic [22:0] now;
    logic        is_refused, empty, final_beat, beat_valid, beat_ready;

    logic [$clog2(COMMANDS+1)-1:0] _unused_order;
    fifo #(.WIDTH(31), .DEPTH(COMMANDS)) order (
        .clk, .rst, .clear(1'b0),
        .in_valid(load), .in_ready(order_ready),
        .in_data({command.bytes, command.eof, memory[0], command.tag, invalid, nowhere}),
        .out_valid(work), .out_ready(finish),
        .out_data({bytes, eof, host, tag, is_invalid, is_nowhere}), .count(_unused_order)
    );

    assign is_refused = is_invalid || is_nowhere;
    assign empty      = bytes == '0;
    assign now        = started ? left : bytes;
    assign final_beat = now <= 23'd64;
    assign beat_valid = work && !empty && (!final_beat || report_ready)
        && (is_refused || (host ? host_valid : card_valid));
    assign finish     = work && report_ready && (empty || (final_beat && beat_valid && beat_ready));
    assign host_ready = work && !empty && !is_refused && host && (!final_beat || report_ready) && beat_ready;
    assign card_ready = work && !empty && !is_refused && !host && (!final_beat || report_ready) && beat_ready;

    always_ff @(posedge clk)
        if (rst) started <= 1'b0;
        else if (beat_valid && beat_ready) begin
            started <= !final_beat;
            left    <= now - 23'd64;
        end

    logic [63:0]  keep;
    logic [511:0] data;
    assign keep = final_beat && now[5:0] != '0 ? ~(64'hFFFFFFFFFFFFFFFF << now[5:0]) : '1;
    assign data = is_refused ? '0 : host ? host_data : card_data;

    skid_buffer #(.WIDTH(577)) out (
        .clk, .rst,
        .in_valid(beat_valid), .in_ready(beat_ready), .in_data({final_beat && eof, keep, data}),
        .out_valid(stream_valid), .out_ready(stream_ready), .out_data({stream_last, stream_keep, stream_data})
    );

    // Statuses wait for the shell.
    logic             due, settle, due_host, due_invalid, due_nowhere;
    logic [3:0]       due_tag;
    logic [COUNT-1:0] host_count, card_count;
    logic             host_taken, card_taken;

    logic [$clog2(COMMANDS+1)-1:0] _unused_reports;
    fifo #(.WIDTH(7), .DEPTH(COMMANDS)) reports (
        .clk, .rst, .clear(1'b0),
        .in_valid(finish), .in_ready(report_ready), .in_data({tag, host, is_invalid, is_nowhere}),
        .out_valid(due), .out_ready(settle), .out_data({due_tag, due_host, due_invalid, due_nowhere}),
        .count(_unused_reports)
    );

    assign status_valid = due && (due_invalid || due_nowhere || (due_host ? host_count != '0 : card_count != '0));
    assign settle       = status_valid && status_ready;
    assign status_data  = {!(due_invalid || due_nowhere), 1'b0, due_nowhere, due_invalid, due_tag};
    assign host_taken   = settle && due_host && !due_invalid && !due_nowhere;
    assign card_taken   = settle && !due_host && !due_invalid && !due_nowhere;

    always_ff @(posedge clk)
        if (rst) begin
            host_count <= '0;
            card_count <= '0;
        end else begin
            host_count <= host_count + COUNT'(host_done) - COUNT'(host_taken);
            card_count <= card_count + COUNT'(card_done) - COUNT'(card_taken);
        end

    wire _unused = &{1'b0, command._reserved_103_100, command.drr};

endmodule

`default_nettype wire
