// One operand of the data path: from memory or from the kernel stream, slice by
// slice in order.
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

    output logic out_valid,
    input  wire  out_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0] out_data,

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

    logic there, from_kernel, taken, order_ready, read_ready;
    logic memory_valid, memory_ready, memory_last, some, reads;
    logic [engine_pkg::DATA_WIDTH-1:0] memory_data;
    logic [$clog2(DEPTH+1)-1:0] _unused_count;
    logic _unused_slice;

    assign _unused_slice = ^{slice.convert, slice.tdest, slice.release_, slice.buffer_};

    assign some        = slice.from != engine_pkg::FROM_NONE && slice.bytes != '0;
    assign reads       = some && slice.from == engine_pkg::FROM_MEMORY;
    assign slice_ready = order_ready && (!reads || read_ready);

    // Where each slice comes from.
    fifo #(.WIDTH(1), .DEPTH(DEPTH)) order (
        .clk, .rst(rst || flush), .clear(1'b0),
        .in_valid(slice_valid && slice_ready && some), .in_ready(order_ready), .in_data(slice.from == engine_pkg::FROM_KERNEL),
        .out_valid(there), .out_ready(taken), .out_data(from_kernel), .count(_unused_count)
    );

    dma_reader #(.DEPTH(DEPTH)) reader (
        .clk, .rst, .limit_cycles, .abandon, .idle,
        .read_valid(slice_valid && reads && order_ready), .read_ready, .read_address(slice.address), .read_host(slice.host), .read_bytes(slice.bytes),
        .data_valid(memory_valid), .data_ready(memory_ready), .data(memory_data), .data_last(memory_last),
        .done_valid(read_done), .done_code(read_code),
        .command_tvalid, .command_tready, .command_tdata, .command_tdest,
        .status_tvalid, .status_tready, .status_tdata,
        .stream_tvalid, .stream_tready, .stream_tdata, .stream_tlast
    );

    assign out_valid    = there && (from_kernel ? kernel_valid : memory_valid);
    assign out_data     = from_kernel ? kernel_data : memory_data;
    assign memory_ready = flush || there && !from_kernel && out_ready;
    assign kernel_ready = there && from_kernel && out_ready;
    assign taken        = out_valid && out_ready && (from_kernel ? kernel_last : memory_last);

endmodule

`default_nettype wire
