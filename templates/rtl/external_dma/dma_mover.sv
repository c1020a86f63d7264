// What data mover kernels have in common: the registers, and the streams of an
// engine on one side of a channel to memory, whatever is behind that.
`default_nettype none

module dma_mover #(
    parameter int unsigned MEMORIES          = 1,   // 1 card; 2 card and host
    parameter int unsigned READ_BURST_BEATS  = 64,  // of 64 bytes, in a burst; a power of two, 2 to 64
    parameter int unsigned WRITE_BURST_BEATS = 16,  // as READ_BURST_BEATS
    parameter int unsigned READ_LINES        = 512, // of 64 bytes, room for read data; a power of two
    parameter int unsigned WRITE_LINES       = 512, // as READ_LINES; two bursts or more
    parameter int unsigned OUTSTANDING       = 64   // read commands, and write bursts, at a time
) (
    input  wire           clk,
    input  wire           rst,

    input  wire axilite_pkg::request_t control_request,
    output axilite_pkg::response_t control_response,

    input  wire           s_axis_s2mm_tvalid,
    output logic          s_axis_s2mm_tready,
    input  wire  [511:0]  s_axis_s2mm_tdata,
    input  wire  [63:0]   s_axis_s2mm_tkeep,
    input  wire           s_axis_s2mm_tlast,
    input  wire  [7:0]    s_axis_s2mm_tdest,

    input  wire           s_axis_s2mm_cmd_tvalid,
    output logic          s_axis_s2mm_cmd_tready,
    input  wire  [103:0]  s_axis_s2mm_cmd_tdata,
    input  wire  [7:0]    s_axis_s2mm_cmd_tdest,

    output logic          m_axis_s2mm_sts_tvalid,
    input  wire           m_axis_s2mm_sts_tready,
    output logic [31:0]   m_axis_s2mm_sts_tdata,
    output logic [3:0]    m_axis_s2mm_sts_tkeep,
    output logic          m_axis_s2mm_sts_tlast,

    output logic          m_axis_mm2s_tvalid,
    input  wire           m_axis_mm2s_tready,
    output logic [511:0]  m_axis_mm2s_tdata,
    output logic [63:0]   m_axis_mm2s_tkeep,
    output logic          m_axis_mm2s_tlast,

    input  wire           s_axis_mm2s_cmd_tvalid,
    output logic          s_axis_mm2s_cmd_tready,
    input  wire  [103:0]  s_axis_mm2s_cmd_tdata,
    input  wire  [7:0]    s_axis_mm2s_cmd_tdest,

    output logic          m_axis_mm2s_sts_tvalid,
    input  wire           m_axis_mm2s_sts_tready,
    output logic [7:0]    m_axis_mm2s_sts_tdata,
    output logic [0:0]    m_axis_mm2s_sts_tkeep,
    output logic          m_axis_mm2s_sts_tlast,

    output logic          ar_valid,
    input  wire           ar_ready,
    output logic [63:0]   ar_address,
    output logic [7:0]    ar_length,
    output logic          ar_memory,
    input  wire           r_valid,
    output logic          r_ready,
    input  wire  [511:0]  r_data,
    input  wire  [1:0]    r_response,

    output logic          aw_valid,
    input  wire           aw_ready,
    output logic [63:0]   aw_address,
    output logic [7:0]    aw_length,
    output logic          aw_memory,
    output logic          w_valid,
    input  wire           w_ready,
    output logic [511:0]  w_data,
    output logic [63:0]   w_strobes,
    output logic          w_last,
    input  wire           b_valid,
    output logic          b_ready,
    input  wire  [1:0]    b_response
);

    dma_control #(.ADDRESS_WIDTH(16)) control (.clk, .rst, .control_request, .control_response);

    dma_read #(
        .MEMORIES(MEMORIES), .BURST_BEATS(READ_BURST_BEATS), .LINES(READ_LINES), .COMMANDS(OUTSTANDING)
    ) reader (
        .clk, .rst,
        .command_valid(s_axis_mm2s_cmd_tvalid), .command_ready(s_axis_mm2s_cmd_tready),
        .command_data(s_axis_mm2s_cmd_tdata), .command_memory(s_axis_mm2s_cmd_tdest),
        .stream_valid(m_axis_mm2s_tvalid), .stream_ready(m_axis_mm2s_tready), .stream_data(m_axis_mm2s_tdata),
        .stream_keep(m_axis_mm2s_tkeep), .stream_last(m_axis_mm2s_tlast),
        .status_valid(m_axis_mm2s_sts_tvalid), .status_ready(m_axis_mm2s_sts_tready),
        .status_data(m_axis_mm2s_sts_tdata),
        .ar_valid, .ar_ready, .ar_address, .ar_length, .ar_memory, .r_valid, .r_ready, .r_data, .r_response
    );

    dma_write #(
        .MEMORIES(MEMORIES), .BURST_BEATS(WRITE_BURST_BEATS), .LINES(WRITE_LINES), .OUTSTANDING(OUTSTANDING)
    ) writer (
        .clk, .rst,
        .command_valid(s_axis_s2mm_cmd_tvalid), .command_ready(s_axis_s2mm_cmd_tready),
        .command_data(s_axis_s2mm_cmd_tdata), .command_memory(s_axis_s2mm_cmd_tdest),
        .stream_valid(s_axis_s2mm_tvalid), .stream_ready(s_axis_s2mm_tready), .stream_data(s_axis_s2mm_tdata),
        .stream_keep(s_axis_s2mm_tkeep), .stream_last(s_axis_s2mm_tlast),
        .status_valid(m_axis_s2mm_sts_tvalid), .status_ready(m_axis_s2mm_sts_tready),
        .status_data(m_axis_s2mm_sts_tdata),
        .aw_valid, .aw_ready, .aw_address, .aw_length, .aw_memory,
        .w_valid, .w_ready, .w_data, .w_strobes, .w_last, .b_valid, .b_ready, .b_response
    );

    // A status is a packet of one beat.
    assign m_axis_mm2s_sts_tkeep = '1;
    assign m_axis_mm2s_sts_tlast = 1'b1;
    assign m_axis_s2mm_sts_tkeep = '1;
    assign m_axis_s2mm_sts_tlast = 1'b1;

    wire _unused = &{1'b0, s_axis_s2mm_tdest};

endmodule

`default_nettype wire
