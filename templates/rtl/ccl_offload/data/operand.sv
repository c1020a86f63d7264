// One operand of the data path: from memory or from the kernel stream, slice by
// slice in order. Behind what a slice reads from memory it may read more, which
// goes elsewhere; the read is done when both are.
`default_nettype none

module operand #(
    parameter int unsigned DEPTH = 8 // slices at a time
) (
    input  wire  clk,
    input  wire  rst,
    input  wire  flush,                             // a level: reads and drops what is under way
    input  wire  abandon,                           // a pulse: the DMA engine is not waited for
    input  wire  [31:0] limit_cycles,
    output logic idle,                              // no read is under way

    input  wire  slice_valid,                       // there is room for DEPTH
    output logic slice_ready,
    input  engine_pkg::slice_operand_t slice,
    input  wire  slice_more,                        // of a slice from memory
    input  wire  [63:0] more_address,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] more_bytes, // not 0

    output logic out_valid,
    input  wire  out_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0] out_data,
    output logic more_valid,                        // that is of what is read behind it
    input  wire  more_ready,
    output logic more_last,

    output logic read_done,
    output logic [31:0] read_code,

    // The kernel stream, cut into slices.
    input  wire  kernel_valid,
    output logic kernel_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] kernel_data,
    input  wire  kernel_last,

    output logic command_tvalid,
    input  wire  command_tready,
    output logic [103:0] command_tdata,
    output logic [7:0] command_tdest,
    input  wire  status_tvalid,
    output logic status_tready,
    input  wire  [7:0] status_tdata,
    input  wire  stream_tvalid,
    output logic stream_tready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] stream_tdata,
    input  wire  stream_tlast
);

    logic there, from_kernel, is_more, taken, order_ready, read_ready;
    logic memory_valid, memory_ready, memory_last, some, reads, takes_read;
    logic more, joined, done, _unused_joins, _unused_join_room;
    logic [63:0] later_address;
    logic [engine_pkg::LENGTH_WIDTH-1:0] later_bytes;
    logic [31:0] code, first_code;
    logic [engine_pkg::DATA_WIDTH-1:0] memory_data;
    logic [$clog2(DEPTH+1)-1:0] _unused_count, _unused_join_count;
    logic _unused_slice;

    assign _unused_slice = ^{slice.convert, slice.tdest, slice.release_, slice.buffer_};

    assign some        = slice.from != engine_pkg::FROM_NONE && slice.bytes != '0;
    assign reads       = some && slice.from == engine_pkg::FROM_MEMORY;
    assign slice_ready = order_ready && !more && (!reads || read_ready);
    assign takes_read  = read_ready && order_ready && (more || slice_valid && reads);

    always_ff @(posedge clk) begin
        if (rst || flush) more <= 1'b0;
        else if (takes_read) more <= !more && slice_more;
        if (!more) begin
            later_address <= more_address;
            later_bytes   <= more_bytes;
        end
    end

    // Where each slice comes from, and what is read behind it.
    fifo #(.WIDTH(2), .DEPTH(DEPTH)) order (
        .clk, .rst(rst || flush), .clear(1'b0),
        .in_valid(more ? takes_read : slice_valid && slice_ready && some), .in_ready(order_ready),
        .in_data({more, !more && slice.from == engine_pkg::FROM_KERNEL}),
        .out_valid(there), .out_ready(taken), .out_data({is_more, from_kernel}), .count(_unused_count)
    );

    dma_reader #(.DEPTH(DEPTH)) reader (
        .clk, .rst, .limit_cycles, .abandon, .idle,
        .read_valid(order_ready && (more || slice_valid && reads)), .read_ready,
        .read_address(more ? later_address : slice.address),
        .read_host(!more && slice.host), .read_bytes(more ? later_bytes : slice.bytes),
        .data_valid(memory_valid), .data_ready(memory_ready), .data(memory_data), .data_last(memory_last),
        .done_valid(done), .done_code(code),
        .command_tvalid, .command_tready, .command_tdata, .command_tdest,
        .status_tvalid, .status_tready, .status_tdata,
        .stream_tvalid, .stream_tready, .stream_tdata, .stream_tlast
    );

    // The first of two reads is not done before the second one.
    fifo #(.WIDTH(1), .DEPTH(DEPTH)) joins (
        .clk, .rst, .clear(1'b0),
        .in_valid(takes_read), .in_ready(_unused_join_room), .in_data(!more && slice_more),
        .out_valid(_unused_joins), .out_ready(done), .out_data(joined), .count(_unused_join_count)
    );

    always_ff @(posedge clk) begin
        if (rst || flush) first_code <= '0;
        else if (done) first_code <= joined ? code : '0;
    end

    assign read_done = done && !joined;
    assign read_code = code | first_code;

    assign out_valid    = there && !is_more && (from_kernel ? kernel_valid : memory_valid);
    assign out_data     = from_kernel ? kernel_data : memory_data;
    assign more_valid   = there && is_more && memory_valid;
    assign more_last    = memory_last;
    assign memory_ready = flush || there && !from_kernel && (is_more ? more_ready : out_ready);
    assign kernel_ready = there && from_kernel && out_ready;
    assign taken        = is_more ? more_valid && more_ready && memory_last
                        : out_valid && out_ready && (from_kernel ? kernel_last : memory_last);

endmodule

`default_nettype wire
