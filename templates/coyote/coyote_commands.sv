// Commands of an AXI DataMover for the Coyote shell, of either direction: each
// becomes a request to the shell and an entry in the order of transfers; when its
// data have passed, it waits for the shell to complete, and is reported.
//
// TDEST 0 is the card's memory, 1 the host's. Reports come in the order of the
// commands. A refused command asks the shell for nothing: not incrementing, with an
// offset of the stream (DSA), or for 0 bytes, which the shell would never complete,
// is invalid (an internal error of the DataMover); a memory that does not exist, or
// an address beyond the shell's 48 bits, is nowhere (a decode error). The shell
// reports no errors: a page that does not exist stops it.
`default_nettype none

module coyote_commands #(
    parameter int unsigned COMMANDS = 16, // with outstanding data
    parameter int unsigned NOTES    = 1   // bits of a transfer that are reported with it
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                command_valid,
    output logic               command_ready,
    input  wire  [103:0]       command_data,
    input  wire  [7:0]         command_memory,

    output logic               request_valid,
    input  wire                request_ready,
    output logic               request_host,
    output logic [47:0]        request_address,
    output logic [27:0]        request_bytes,

    input  wire                host_done, // the shell has completed a request
    input  wire                card_done,

    // The transfer whose data are next; finish ends it, if report_ready.
    output logic               work,
    output logic [22:0]        bytes,
    output logic               eof,
    output logic               host,
    output logic               refused,
    output logic               report_ready,
    input  wire                finish,
    input  wire  [NOTES-1:0]   notes,

    output logic               status_valid,
    input  wire                status_ready,
    output logic [3:0]         status_tag,
    output logic               status_invalid,
    output logic               status_nowhere,
    output logic [NOTES-1:0]   status_notes
);

    localparam int unsigned COUNT = $clog2(2 * COMMANDS + 2);

    cclo_pkg::dma_command_t command;
    logic [7:0]             memory;
    logic                   pending, load, order_ready, invalid, nowhere;

    skid_buffer #(.WIDTH(112)) commands (
        .clk, .rst,
        .in_valid(command_valid), .in_ready(command_ready), .in_data({command_memory, command_data}),
        .out_valid(pending), .out_ready(load), .out_data({memory, command})
    );

    assign nowhere = memory > 8'd1 || command.address[63:48] != '0;
    assign invalid = !command.incrementing || command.dsa != '0 || command.bytes == '0;

    assign request_valid   = pending && order_ready && !(invalid || nowhere);
    assign request_host    = memory[0];
    assign request_address = command.address[47:0];
    assign request_bytes   = 28'(command.bytes);
    assign load            = pending && order_ready && (invalid || nowhere || request_ready);

    logic [3:0] tag;
    logic       is_invalid, is_nowhere;

    logic [$clog2(COMMANDS+1)-1:0] _unused_order;
    fifo #(.WIDTH(31), .DEPTH(COMMANDS)) order (
        .clk, .rst, .clear(1'b0),
        .in_valid(load), .in_ready(order_ready),
        .in_data({command.bytes, command.eof, memory[0], command.tag, invalid, nowhere}),
        .out_valid(work), .out_ready(finish),
        .out_data({bytes, eof, host, tag, is_invalid, is_nowhere}), .count(_unused_order)
    );

    assign refused = is_invalid || is_nowhere;

    // Reports wait for the shell.
    logic             due, settle, due_host, accepted;
    logic [COUNT-1:0] host_count, card_count; // completed, not reported

    logic [$clog2(COMMANDS+1)-1:0] _unused_reports;
    fifo #(.WIDTH(7 + NOTES), .DEPTH(COMMANDS)) reports (
        .clk, .rst, .clear(1'b0),
        .in_valid(finish), .in_ready(report_ready), .in_data({tag, host, is_invalid, is_nowhere, notes}),
        .out_valid(due), .out_ready(settle),
        .out_data({status_tag, due_host, status_invalid, status_nowhere, status_notes}), .count(_unused_reports)
    );

    assign accepted     = !(status_invalid || status_nowhere);
    assign status_valid = due && (!accepted || (due_host ? host_count != '0 : card_count != '0));
    assign settle       = status_valid && status_ready;

    always_ff @(posedge clk)
        if (rst) begin
            host_count <= '0;
            card_count <= '0;
        end else begin
            host_count <= host_count + COUNT'(host_done) - COUNT'(settle && accepted && due_host);
            card_count <= card_count + COUNT'(card_done) - COUNT'(settle && accepted && !due_host);
        end

    wire _unused = &{1'b0, command._reserved_103_100, command.drr};

endmodule

`default_nettype wire
