// In the place of a DMA engine's kernel in the Coyote shell, with the same
// streams: the shell moves the data.
`default_nettype none

module coyote_dma #(
    parameter int unsigned DMA = 0 // the shell's streams of this number are for it alone
) (
    input  wire          ap_clk,
    input  wire          ap_rst_n,

    input  wire          s_axis_s2mm_tvalid,
    output logic         s_axis_s2mm_tready,
    input  wire  [511:0] s_axis_s2mm_tdata,
    input  wire  [63:0]  s_axis_s2mm_tkeep,
    input  wire          s_axis_s2mm_tlast,
    input  wire          s_axis_s2mm_cmd_tvalid,
    output logic         s_axis_s2mm_cmd_tready,
    input  wire  [103:0] s_axis_s2mm_cmd_tdata,
    input  wire  [7:0]   s_axis_s2mm_cmd_tdest,
    output logic         m_axis_s2mm_sts_tvalid,
    input  wire          m_axis_s2mm_sts_tready,
    output logic [31:0]  m_axis_s2mm_sts_tdata,
    output logic         m_axis_mm2s_tvalid,
    input  wire          m_axis_mm2s_tready,
    output logic [511:0] m_axis_mm2s_tdata,
    output logic [63:0]  m_axis_mm2s_tkeep,
    output logic         m_axis_mm2s_tlast,
    input  wire          s_axis_mm2s_cmd_tvalid,
    output logic         s_axis_mm2s_cmd_tready,
    input  wire  [103:0] s_axis_mm2s_cmd_tdata,
    input  wire  [7:0]   s_axis_mm2s_cmd_tdest,
    output logic         m_axis_mm2s_sts_tvalid,
    input  wire          m_axis_mm2s_sts_tready,
    output logic [7:0]   m_axis_mm2s_sts_tdata,

    output logic         rd_valid,
    input  wire          rd_ready,
    output logic [97:0]  rd_data,
    output logic         wr_valid,
    input  wire          wr_ready,
    output logic [97:0]  wr_data,
    input  wire          rd_host_done,
    input  wire          rd_card_done,
    input  wire          wr_host_done,
    input  wire          wr_card_done,

    input  wire          host_recv_tvalid,
    output logic         host_recv_tready,
    input  wire  [511:0] host_recv_tdata,
    input  wire          card_recv_tvalid,
    output logic         card_recv_tready,
    input  wire  [511:0] card_recv_tdata,
    output logic         host_send_tvalid,
    input  wire          host_send_tready,
    output logic [511:0] host_send_tdata,
    output logic [63:0]  host_send_tkeep,
    output logic         host_send_tlast,
    output logic         card_send_tvalid,
    input  wire          card_send_tready,
    output logic [511:0] card_send_tdata,
    output logic [63:0]  card_send_tkeep,
    output logic         card_send_tlast
);

    wire clk = ap_clk;
    wire rst = !ap_rst_n;

    coyote_pkg::request_t read_request, write_request;
    logic                 read_host, write_host;
    logic [47:0]          read_address, write_address;
    logic [27:0]          read_bytes, write_bytes;

    // All memory belongs to the process that has opened the device first.
    always_comb begin
        read_request        = '0;
        read_request.opcode = coyote_pkg::LOCAL_READ;
        read_request.strm   = read_host ? coyote_pkg::STRM_HOST : coyote_pkg::STRM_CARD;
        read_request.dest   = 4'(DMA);
        read_request.last   = 1'b1;
        read_request.vaddr  = read_address;
        read_request.len    = read_bytes;

        write_request        = '0;
        write_request.opcode = coyote_pkg::LOCAL_WRITE;
        write_request.strm   = write_host ? coyote_pkg::STRM_HOST : coyote_pkg::STRM_CARD;
        write_request.dest   = 4'(DMA);
        write_request.last   = 1'b1;
        write_request.vaddr  = write_address;
        write_request.len    = write_bytes;
    end

    assign rd_data = read_request;
    assign wr_data = write_request;

    coyote_read read (
        .clk, .rst,
        .command_valid(s_axis_mm2s_cmd_tvalid), .command_ready(s_axis_mm2s_cmd_tready),
        .command_data(s_axis_mm2s_cmd_tdata), .command_memory(s_axis_mm2s_cmd_tdest),
        .stream_valid(m_axis_mm2s_tvalid), .stream_ready(m_axis_mm2s_tready), .stream_data(m_axis_mm2s_tdata),
        .stream_keep(m_axis_mm2s_tkeep), .stream_last(m_axis_mm2s_tlast),
        .status_valid(m_axis_mm2s_sts_tvalid), .status_ready(m_axis_mm2s_sts_tready),
        .status_data(m_axis_mm2s_sts_tdata),
        .request_valid(rd_valid), .request_ready(rd_ready), .request_host(read_host),
        .request_address(read_address), .request_bytes(read_bytes),
        .host_done(rd_host_done), .card_done(rd_card_done),
        .host_valid(host_recv_tvalid), .host_ready(host_recv_tready), .host_data(host_recv_tdata),
        .card_valid(card_recv_tvalid), .card_ready(card_recv_tready), .card_data(card_recv_tdata)
    );

    coyote_write write (
        .clk, .rst,
        .command_valid(s_axis_s2mm_cmd_tvalid), .command_ready(s_axis_s2mm_cmd_tready),
        .command_data(s_axis_s2mm_cmd_tdata), .command_memory(s_axis_s2mm_cmd_tdest),
        .stream_valid(s_axis_s2mm_tvalid), .stream_ready(s_axis_s2mm_tready), .stream_data(s_axis_s2mm_tdata),
        .stream_keep(s_axis_s2mm_tkeep), .stream_last(s_axis_s2mm_tlast),
        .status_valid(m_axis_s2mm_sts_tvalid), .status_ready(m_axis_s2mm_sts_tready),
        .status_data(m_axis_s2mm_sts_tdata),
        .request_valid(wr_valid), .request_ready(wr_ready), .request_host(write_host),
        .request_address(write_address), .request_bytes(write_bytes),
        .host_done(wr_host_done), .card_done(wr_card_done),
        .host_valid(host_send_tvalid), .host_ready(host_send_tready), .host_data(host_send_tdata),
        .host_keep(host_send_tkeep), .host_last(host_send_tlast),
        .card_valid(card_send_tvalid), .card_ready(card_send_tready), .card_data(card_send_tdata),
        .card_keep(card_send_tkeep), .card_last(card_send_tlast)
    );

endmodule

`default_nettype wire
