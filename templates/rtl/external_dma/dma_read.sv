// Reads memory into a stream: commands and status of an AXI DataMover (MM2S) on
// one side, AXI4 read bursts on the other.
//
// Bytes come out realigned to lane 0, TKEEP is exact, TLAST stands on the last
// beat of a command with EOF. Bursts end at multiples of BURST_BEATS lines, so
// none crosses 4 KiB; a burst is only requested when there is room for it, so
// the R channel never waits. Statuses come in the order of the commands.
//
// Every command delivers its bytes: on an error of the memory their contents are
// undefined, and so they are for a command that is refused: not incrementing, or
// with an offset of the stream (DSA), which is an internal error, or for a memory
// that does not exist, which is a decode error. A command for 0 bytes delivers
// nothing and is an internal error. DRR is ignored.
`default_nettype none

module dma_read #(
    parameter int unsigned MEMORIES    = 1,   // 1 card; 2 card and host
    parameter int unsigned BURST_BEATS = 64,  // a power of two, 2 to 64
    parameter int unsigned LINES       = 512, // room for read data, a power of two
    parameter int unsigned COMMANDS    = 64   // commands with outstanding data
) (
    input  wire                                    clk,
    input  wire                                    rst,

    input  wire                                    command_valid,
    output logic                                   command_ready,
    input  wire  [cclo_pkg::DMA_COMMAND_WIDTH-1:0] command_data,
    input  wire  [7:0]                             command_memory,

    output logic                                   stream_valid,
    input  wire                                    stream_ready,
    output logic [511:0]                           stream_data,
    output logic [63:0]                            stream_keep,
    output logic                                   stream_last,

    output logic                                   status_valid,
    input  wire                                    status_ready,
    output logic [7:0]                             status_data,

    output logic                                   ar_valid,
    input  wire                                    ar_ready,
    output logic [63:0]                            ar_address,
    output logic [7:0]                             ar_length,
    output logic                                   ar_memory,

    input  wire                                    r_valid,
    output logic                                   r_ready,
    input  wire  [511:0]                           r_data,
    input  wire  [1:0]                             r_response
);

    localparam int unsigned BURST = $clog2(BURST_BEATS);
    localparam int unsigned ROOM  = $clog2(LINES) + 1;

    cclo_pkg::dma_command_t command;
    logic [7:0]             memory;
    logic                   pending, load;
    logic                   invalid, nowhere, void_lines;

    skid_buffer #(.WIDTH(cclo_pkg::DMA_COMMAND_WIDTH + 8)) commands (
        .clk, .rst,
        .in_valid(command_valid), .in_ready(command_ready), .in_data({command_memory, command_data}),
        .out_valid(pending), .out_ready(load), .out_data({memory, command})
    );

    assign nowhere    = memory >= 8'(MEMORIES);
    assign invalid    = !command.incrementing || command.dsa != '0 || command.bytes == '0;
    assign void_lines = invalid || nowhere;

    // Bursts of the command at work.
    logic            busy, issue, final_burst, order_ready;
    logic [57:0]     line;
    logic [17:0]     lines_left;
    logic [BURST:0]  to_boundary, beats;
    logic [ROOM-1:0] room;
    logic            line_valid, line_ready;
    logic            port;

    assign to_boundary = (BURST + 1)'(BURST_BEATS) - (BURST + 1)'(line[BURST-1:0]);
    assign final_burst = lines_left <= 18'(to_boundary);
    assign beats       = final_burst ? lines_left[BURST:0] : to_boundary;
    assign issue       = busy && room >= ROOM'(beats) && (!ar_valid || ar_ready);
    assign load        = pending && order_ready && (!busy || (issue && final_burst));

    always_ff @(posedge clk) begin
        if (rst) begin
            busy     <= 1'b0;
            ar_valid <= 1'b0;
            room     <= ROOM'(LINES);
        end else begin
            if (load) busy <= !void_lines;
            else if (issue && final_burst) busy <= 1'b0;
            if (issue) ar_valid <= 1'b1;
            else if (ar_ready) ar_valid <= 1'b0;
            room <= room - (issue ? ROOM'(beats) : '0) + ROOM'(line_valid && line_ready);
        end
        if (load) begin
            line       <= command.address[63:6];
            lines_left <= 18'((24'(command.address[5:0]) + 24'(command.bytes) + 24'd63) >> 6);
            port       <= memory[0];
        end else if (issue) begin
            line       <= line + 58'(beats);
            lines_left <= lines_left - 18'(beats);
        end
        if (issue) begin
            ar_address <= {line, 6'b0};
            ar_length  <= 8'(beats) - 8'd1;
            ar_memory  <= port;
        end
    end

    // What the aligner needs to know of each command.
    logic        next_valid, next_ready, next_last, next_invalid, next_nowhere, next_void;
    logic [22:0] next_bytes;
    logic [5:0]  next_offset;
    logic [3:0]  next_tag;

    logic [$clog2(COMMANDS+1)-1:0] _unused_order;
    fifo #(.WIDTH(37), .DEPTH(COMMANDS)) order (
        .clk, .rst, .clear(1'b0),
        .in_valid(load), .in_ready(order_ready),
        .in_data({command.bytes, command.address[5:0], command.eof, command.tag, invalid, nowhere, void_lines}),
        .out_valid(next_valid), .out_ready(next_ready),
        .out_data({next_bytes, next_offset, next_last, next_tag, next_invalid, next_nowhere, next_void}),
        .count(_unused_order)
    );

    logic [511:0] line_data;
    logic [1:0]   line_response;

    line_fifo #(.WIDTH(514), .DEPTH(LINES)) lines (
        .clk, .rst,
        .in_valid(r_valid), .in_ready(r_ready), .in_data({r_response, r_data}),
        .out_valid(line_valid), .out_ready(line_ready), .out_data({line_response, line_data})
    );

    dma_read_align align (
        .clk, .rst,
        .command_valid(next_valid), .command_ready(next_ready), .command_bytes(next_bytes),
        .command_offset(next_offset), .command_last(next_last), .command_tag(next_tag),
        .command_invalid(next_invalid), .command_nowhere(next_nowhere), .command_void(next_void),
        .line_valid, .line_ready, .line_data, .line_response,
        .stream_valid, .stream_ready, .stream_data, .stream_keep, .stream_last,
        .status_valid, .status_ready, .status_data
    );

    wire _unused = &{1'b0, command._reserved_103_100, command.drr};

endmodule

`default_nettype wire
