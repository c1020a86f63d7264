// Writes a stream to memory: commands and status of an AXI DataMover (S2MM) on
// one side, AXI4 write bursts on the other.
//
// The stream begins at lane 0, the address is any. A beat with TLAST has as many
// bytes as TKEEP has ones; all others count as full, their TKEEP is not looked
// at. A burst is requested when all its data are here, so that a stream that
// stops holds up no memory; bursts end at multiples of BURST_BEATS lines, so none
// crosses 4 KiB. A status comes after the responses to all bursts of its command,
// in the order of the commands.
//
// A transfer ends with the commanded bytes or with TLAST. TLAST before the
// commanded bytes: internal error, bytes received and end of packet say what
// came. No TLAST with the last commanded byte: no error, end of packet is 0, and
// the next beat belongs to the next command; bytes of the same beat beyond the
// command are dropped.
//
// A refused command takes its bytes of the stream and writes none: not
// incrementing or with an offset of the stream (DSA) is an internal error, a
// memory that does not exist is a decode error. A command for 0 bytes takes
// nothing and is an internal error. DRR and EOF are ignored.
`default_nettype none

module dma_write #(
    parameter int unsigned MEMORIES    = 1,   // 1 card; 2 card and host
    parameter int unsigned BURST_BEATS = 16,  // a power of two, 2 to 64
    parameter int unsigned LINES       = 512, // room for write data, a power of two, two bursts or more
    parameter int unsigned OUTSTANDING = 64   // bursts without a response
) (
    input  wire                                    clk,
    input  wire                                    rst,

    input  wire                                    command_valid,
    output logic                                   command_ready,
    input  wire  [cclo_pkg::DMA_COMMAND_WIDTH-1:0] command_data,
    input  wire  [7:0]                             command_memory,

    input  wire                                    stream_valid,
    output logic                                   stream_ready,
    input  wire  [511:0]                           stream_data,
    input  wire  [63:0]                            stream_keep,
    input  wire                                    stream_last,

    output logic                                   status_valid,
    input  wire                                    status_ready,
    output logic [cclo_pkg::DMA_STATUS_WIDTH-1:0]  status_data,

    output logic                                   aw_valid,
    input  wire                                    aw_ready,
    output logic [63:0]                            aw_address,
    output logic [7:0]                             aw_length,
    output logic                                   aw_memory,

    output logic                                   w_valid,
    input  wire                                    w_ready,
    output logic [511:0]                           w_data,
    output logic [63:0]                            w_strobes,
    output logic                                   w_last,

    input  wire                                    b_valid,
    output logic                                   b_ready,
    input  wire  [1:0]                             b_response
);

    localparam int unsigned BURSTS  = 32;               // gathered and not yet requested
    localparam int unsigned ISSUED  = $clog2(OUTSTANDING + 1);
    localparam int unsigned REPORT  = 30;               // tag, errors, bytes, end of packet
    localparam int unsigned REQUEST = 58 + 8 + 1 + 2 + REPORT;

    cclo_pkg::dma_command_t command;
    logic [7:0]             memory;
    logic                   pending, load;
    logic                   invalid, nowhere;

    skid_buffer #(.WIDTH(cclo_pkg::DMA_COMMAND_WIDTH + 8)) commands (
        .clk, .rst,
        .in_valid(command_valid), .in_ready(command_ready), .in_data({command_memory, command_data}),
        .out_valid(pending), .out_ready(load), .out_data({memory, command})
    );

    assign nowhere = memory >= 8'(MEMORIES);
    assign invalid = !command.incrementing || command.dsa != '0 || command.bytes == '0;

    // Lines and bursts.
    logic              put_valid, put_ready, put_void, put_ends, put_internal, put_decode, put_eop, put_memory;
    logic [57:0]       put_line;
    logic [7:0]        put_length;
    logic [3:0]        put_tag;
    logic [22:0]       put_bytes;
    logic              line_valid, line_ready, line_last;
    logic [511:0]      line_data;
    logic [63:0]       line_strobes;

    dma_write_align #(.BURST_BEATS(BURST_BEATS)) align (
        .clk, .rst,
        .command_valid(pending), .command_ready(load), .command_bytes(command.bytes),
        .command_address(command.address), .command_tag(command.tag), .command_memory(memory[0]),
        .command_invalid(invalid), .command_nowhere(nowhere), .command_void(invalid || nowhere),
        .stream_valid, .stream_ready, .stream_data, .stream_keep, .stream_last,
        .burst_valid(put_valid), .burst_ready(put_ready), .burst_line(put_line), .burst_length(put_length),
        .burst_memory(put_memory), .burst_void(put_void), .burst_ends(put_ends), .burst_tag(put_tag),
        .burst_internal_error(put_internal), .burst_decode_error(put_decode),
        .burst_bytes(put_bytes), .burst_end_of_packet(put_eop),
        .line_valid, .line_ready, .line_data, .line_strobes, .line_last
    );

    // Requests. The lines of each are on their way through the aligner at least.
    logic              request_valid, request_take, request_void, request_ends, request_memory;
    logic [57:0]       request_line;
    logic [7:0]        request_length;
    logic [REPORT-1:0] request_report;
    logic              order_ready;

    logic [$clog2(BURSTS+1)-1:0] _unused_requests;
    fifo #(.WIDTH(REQUEST), .DEPTH(BURSTS)) requests (
        .clk, .rst, .clear(1'b0),
        .in_valid(put_valid), .in_ready(put_ready),
        .in_data({put_line, put_length, put_memory, put_void, put_ends,
                  put_tag, put_internal, put_decode, put_bytes, put_eop}),
        .out_valid(request_valid), .out_ready(request_take),
        .out_data({request_line, request_length, request_memory, request_void, request_ends, request_report}),
        .count(_unused_requests)
    );

    assign request_take = request_valid && order_ready && (request_void || !aw_valid || aw_ready);

    logic [ISSUED-1:0] granted;    // bursts whose address was taken and whose data were not
    logic              granted_one, finished_one;

    assign granted_one  = aw_valid && aw_ready;
    assign finished_one = w_valid && w_ready && w_last;

    always_ff @(posedge clk) begin
        if (rst) begin
            aw_valid <= 1'b0;
            granted  <= '0;
        end else begin
            if (request_take && !request_void) aw_valid <= 1'b1;
            else if (aw_ready) aw_valid <= 1'b0;
            granted  <= granted + ISSUED'(granted_one) - ISSUED'(finished_one);
        end
        if (request_take && !request_void) begin
            aw_address <= {request_line, 6'b0};
            aw_length  <= request_length;
            aw_memory  <= request_memory;
        end
    end

    // Data follow their addresses.
    logic kept_valid;

    line_fifo #(.WIDTH(577), .DEPTH(LINES)) lines (
        .clk, .rst,
        .in_valid(line_valid), .in_ready(line_ready), .in_data({line_last, line_strobes, line_data}),
        .out_valid(kept_valid), .out_ready(w_ready && granted != '0), .out_data({w_last, w_strobes, w_data})
    );

    assign w_valid = kept_valid && granted != '0;

    // Responses, and a status with the last of a command.
    logic              due, due_void, due_ends, settle, report_ready;
    logic [3:0]        tag;
    logic              internal_error, nowhere_error, end_of_packet;
    logic [22:0]       bytes;
    logic              slave_error, decode_error, slave_error_now, decode_error_now;
    cclo_pkg::dma_status_t status;

    logic [$clog2(OUTSTANDING+1)-1:0] _unused_order;
    fifo #(.WIDTH(2 + REPORT), .DEPTH(OUTSTANDING)) order (
        .clk, .rst, .clear(1'b0),
        .in_valid(request_take), .in_ready(order_ready), .in_data({request_void, request_ends, request_report}),
        .out_valid(due), .out_ready(settle),
        .out_data({due_void, due_ends, tag, internal_error, nowhere_error, bytes, end_of_packet}), .count(_unused_order)
    );

    assign b_ready          = due && !due_void && report_ready;
    assign settle           = due && report_ready && (due_void || b_valid);
    assign slave_error_now  = slave_error || (!due_void && b_response == 2'b10);
    assign decode_error_now = decode_error || (!due_void && b_response == 2'b11) || nowhere_error;

    always_comb begin
        status.end_of_packet  = end_of_packet;
        status.bytes_received = bytes;
        status.okay           = !(internal_error || slave_error_now || decode_error_now);
        status.slave_error    = slave_error_now;
        status.decode_error   = decode_error_now;
        status.internal_error = internal_error;
        status.tag            = tag;
    end

    always_ff @(posedge clk) begin
        if (rst || (settle && due_ends)) begin
            slave_error  <= 1'b0;
            decode_error <= 1'b0;
        end else if (settle) begin
            slave_error  <= slave_error_now;
            decode_error <= decode_error_now;
        end
    end

    logic [$clog2(16+1)-1:0] _unused_reports;
    fifo #(.WIDTH(cclo_pkg::DMA_STATUS_WIDTH), .DEPTH(16)) reports (
        .clk, .rst, .clear(1'b0),
        .in_valid(settle && due_ends), .in_ready(report_ready), .in_data(status),
        .out_valid(status_valid), .out_ready(status_ready), .out_data(status_data), .count(_unused_reports)
    );

    wire _unused = &{1'b0, command._reserved_103_100, command.drr, command.eof};

endmodule

`default_nettype wire
