// In the place of the RDMA stack's kernel in the Coyote shell, with the same
// streams towards the engine.
//
// Out: a word of the engine's send queue becomes a request to the shell, and its
// data go to the requester's stream 0 if the remote address is in card memory, 1 if
// it is in host memory; the number of the stream goes along to the other side. The
// queue pair is the shell's process (bits 5:0) and region (9:6). Requests that the
// shell cannot express are dropped with their data: other opcodes than write and
// send, queue pairs beyond 10 bits, addresses beyond 48 and lengths beyond 28.
//
// In: the shell tells of every packet, then come its data on the responder's
// stream that the sender has chosen. Of a sent one the engine is told; a written
// one goes to memory, on the streams that no DMA engine has, for the process that
// has opened the device first: all buffers are its. What is read by a remote rank
// takes the same streams the other way. Answers to reads are not expected, as no
// engine reads: they are taken and dropped.
`default_nettype none

module coyote_rdma #(
    parameter int unsigned STREAM  = 2, // of the memory streams: for what comes from remote
    parameter int unsigned PACKETS = 16 // that are known of, their data outstanding
) (
    input  wire          ap_clk,
    input  wire          ap_rst_n,

    output logic         m_axis_notification_tvalid,
    input  wire          m_axis_notification_tready,
    output logic [63:0]  m_axis_notification_tdata,
    input  wire          s_axis_rdma_sq_tvalid,
    output logic         s_axis_rdma_sq_tready,
    input  wire  [127:0] s_axis_rdma_sq_tdata,
    input  wire          s_axis_tx_data_tvalid,
    output logic         s_axis_tx_data_tready,
    input  wire  [511:0] s_axis_tx_data_tdata,
    output logic         m_axis_rx_data_tvalid,
    input  wire          m_axis_rx_data_tready,
    output logic [511:0] m_axis_rx_data_tdata,
    output logic [63:0]  m_axis_rx_data_tkeep,
    output logic         m_axis_rx_data_tlast,
    output logic [15:0]  m_axis_rx_data_tdest,

    output logic         send_valid,
    input  wire          send_ready,
    output logic [97:0]  send_data,
    output logic         write_valid,
    input  wire          write_ready,
    output logic [97:0]  write_data,
    output logic         read_valid,
    input  wire          read_ready,
    output logic [97:0]  read_data,

    input  wire          rq_wr_valid,
    output logic         rq_wr_ready,
    input  wire  [97:0]  rq_wr_data,
    input  wire          rq_rd_valid,
    output logic         rq_rd_ready,
    input  wire  [97:0]  rq_rd_data,

    output logic         rreq_send_0_tvalid,
    input  wire          rreq_send_0_tready,
    output logic [511:0] rreq_send_0_tdata,
    output logic [63:0]  rreq_send_0_tkeep,
    output logic         rreq_send_0_tlast,
    output logic         rreq_send_1_tvalid,
    input  wire          rreq_send_1_tready,
    output logic [511:0] rreq_send_1_tdata,
    output logic [63:0]  rreq_send_1_tkeep,
    output logic         rreq_send_1_tlast,
    input  wire          rrsp_recv_0_tvalid,
    output logic         rrsp_recv_0_tready,
    input  wire  [511:0] rrsp_recv_0_tdata,
    input  wire          rrsp_recv_1_tvalid,
    output logic         rrsp_recv_1_tready,
    input  wire  [511:0] rrsp_recv_1_tdata,
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

    // Out: requests.
    cclo_pkg::rdma_send_queue_t wanted;
    coyote_pkg::request_t       sent;
    logic                       known, out_room, sq_take;

    assign wanted = s_axis_rdma_sq_tdata;
    assign known  =
        (wanted.opcode == 8'(cclo_pkg::RDMA_OPCODE_WRITE) || wanted.opcode == 8'(cclo_pkg::RDMA_OPCODE_SEND))
        && wanted.queue_pair[15:10] == '0 && wanted.vaddr[63:48] == '0 && wanted.length[31:28] == '0
        && wanted.host[7:1] == '0 && wanted.length != '0;

    always_comb begin
        sent        = '0;
        sent.opcode = wanted.opcode[4:0];
        sent.strm   = coyote_pkg::STRM_RDMA;
        sent.vfid   = wanted.queue_pair[9:6];
        sent.pid    = wanted.queue_pair[5:0];
        sent.dest   = 4'(wanted.host[0]);
        sent.last   = 1'b1;
        sent.vaddr  = wanted.vaddr[47:0];
        sent.len    = wanted.length[27:0];
    end

    assign send_valid            = s_axis_rdma_sq_tvalid && known && out_room;
    assign send_data             = sent;
    assign s_axis_rdma_sq_tready = out_room && (!known || send_ready);
    assign sq_take               = s_axis_rdma_sq_tvalid && s_axis_rdma_sq_tready;

    // Out: data.
    logic        out_work, out_finish, out_host, out_known, out_started, out_final, out_beat, out_ready;
    logic [31:0] out_bytes, out_left, out_now;
    logic        out_0_ready, out_1_ready;
    logic [63:0] out_keep;

    logic [$clog2(PACKETS+1)-1:0] _unused_out;
    fifo #(.WIDTH(34), .DEPTH(PACKETS)) going (
        .clk, .rst, .clear(1'b0),
        .in_valid(sq_take && wanted.length != '0), .in_ready(out_room),
        .in_data({wanted.length, wanted.host[0], known}),
        .out_valid(out_work), .out_ready(out_finish), .out_data({out_bytes, out_host, out_known}), .count(_unused_out)
    );

    assign out_now               = out_started ? out_left : out_bytes;
    assign out_final             = out_now <= 32'd64;
    assign out_keep              = out_final && out_now[5:0] != '0 ? ~(64'hFFFFFFFFFFFFFFFF << out_now[5:0]) : '1;
    assign out_ready             = !out_known || (out_host ? out_1_ready : out_0_ready);
    assign s_axis_tx_data_tready = out_work && out_ready;
    assign out_beat              = s_axis_tx_data_tvalid && s_axis_tx_data_tready;
    assign out_finish            = out_beat && out_final;

    always_ff @(posedge clk)
        if (rst) out_started <= 1'b0;
        else if (out_beat) begin
            out_started <= !out_final;
            out_left    <= out_now - 32'd64;
        end

    skid_buffer #(.WIDTH(577)) to_card_ranks (
        .clk, .rst,
        .in_valid(out_beat && out_known && !out_host), .in_ready(out_0_ready),
        .in_data({out_final, out_keep, s_axis_tx_data_tdata}),
        .out_valid(rreq_send_0_tvalid), .out_ready(rreq_send_0_tready),
        .out_data({rreq_send_0_tlast, rreq_send_0_tkeep, rreq_send_0_tdata})
    );

    skid_buffer #(.WIDTH(577)) to_host_ranks (
        .clk, .rst,
        .in_valid(out_beat && out_known && out_host), .in_ready(out_1_ready),
        .in_data({out_final, out_keep, s_axis_tx_data_tdata}),
        .out_valid(rreq_send_1_tvalid), .out_ready(rreq_send_1_tready),
        .out_data({rreq_send_1_tlast, rreq_send_1_tkeep, rreq_send_1_tdata})
    );

    // In: what the shell tells.
    coyote_pkg::request_t         told, written;
    cclo_pkg::rdma_notification_t note;
    logic                         is_send, is_write, in_room, note_ready, rq_take;

    assign told     = rq_wr_data;
    assign is_send  = told.opcode == coyote_pkg::SEND_FIRST || told.opcode == coyote_pkg::SEND_MIDDLE ||
                      told.opcode == coyote_pkg::SEND_LAST || told.opcode == coyote_pkg::SEND_ONLY;
    assign is_write = told.opcode == coyote_pkg::WRITE_FIRST || told.opcode == coyote_pkg::WRITE_MIDDLE ||
                      told.opcode == coyote_pkg::WRITE_LAST || told.opcode == coyote_pkg::WRITE_ONLY;

    always_comb begin
        written        = '0;
        written.opcode = coyote_pkg::LOCAL_WRITE;
        written.strm   = told.dest[0] ? coyote_pkg::STRM_HOST : coyote_pkg::STRM_CARD;
        written.dest   = 4'(STREAM);
        written.last   = told.last;
        written.vaddr  = told.vaddr;
        written.len    = told.len;
        note           = '0;
        note.session   = {6'b0, told.vfid, told.pid};
        note.length    = 32'(told.len);
    end

    assign write_valid = rq_wr_valid && is_write && told.len != '0 && in_room;
    assign write_data  = written;
    assign rq_take     = rq_wr_valid && rq_wr_ready;
    always_comb
        if (told.len == '0 || !(is_send || is_write)) rq_wr_ready = 1'b1;
        else if (is_send) rq_wr_ready = in_room && note_ready;
        else rq_wr_ready = in_room && write_ready;

    skid_buffer #(.WIDTH(64)) notes (
        .clk, .rst,
        .in_valid(rq_take && is_send && told.len != '0), .in_ready(note_ready), .in_data(note),
        .out_valid(m_axis_notification_tvalid), .out_ready(m_axis_notification_tready),
        .out_data(m_axis_notification_tdata)
    );

    // In: data.
    logic         in_work, in_finish, in_stream, in_sent, in_started, in_final, in_beat, in_valid, in_ready;
    logic [27:0]  in_bytes, in_left, in_now;
    logic [9:0]   in_pair;
    logic [63:0]  in_keep;
    logic [511:0] in_data;
    logic         rx_ready, host_ready, card_ready;

    logic [$clog2(PACKETS+1)-1:0] _unused_in;
    fifo #(.WIDTH(40), .DEPTH(PACKETS)) coming (
        .clk, .rst, .clear(1'b0),
        .in_valid(rq_take && (is_send || is_write) && told.len != '0), .in_ready(in_room),
        .in_data({told.len, told.vfid, told.pid, told.dest[0], is_send}),
        .out_valid(in_work), .out_ready(in_finish),
        .out_data({in_bytes, in_pair, in_stream, in_sent}), .count(_unused_in)
    );

    assign in_now             = in_started ? in_left : in_bytes;
    assign in_final           = in_now <= 28'd64;
    assign in_keep            = in_final && in_now[5:0] != '0 ? ~(64'hFFFFFFFFFFFFFFFF << in_now[5:0]) : '1;
    assign in_valid           = in_work && (in_stream ? rrsp_recv_1_tvalid : rrsp_recv_0_tvalid);
    assign in_data            = in_stream ? rrsp_recv_1_tdata : rrsp_recv_0_tdata;
    assign in_ready           = in_sent ? rx_ready : in_stream ? host_ready : card_ready;
    assign in_beat            = in_valid && in_ready;
    assign in_finish          = in_beat && in_final;
    assign rrsp_recv_0_tready = in_work && !in_stream && in_ready;
    assign rrsp_recv_1_tready = in_work && in_stream && in_ready;

    always_ff @(posedge clk)
        if (rst) in_started <= 1'b0;
        else if (in_beat) begin
            in_started <= !in_final;
            in_left    <= in_now - 28'd64;
        end

    skid_buffer #(.WIDTH(593)) to_engine (
        .clk, .rst,
        .in_valid(in_beat && in_sent), .in_ready(rx_ready), .in_data({6'b0, in_pair, in_final, in_keep, in_data}),
        .out_valid(m_axis_rx_data_tvalid), .out_ready(m_axis_rx_data_tready),
        .out_data({m_axis_rx_data_tdest, m_axis_rx_data_tlast, m_axis_rx_data_tkeep, m_axis_rx_data_tdata})
    );

    skid_buffer #(.WIDTH(577)) to_host (
        .clk, .rst,
        .in_valid(in_beat && !in_sent && in_stream), .in_ready(host_ready), .in_data({in_final, in_keep, in_data}),
        .out_valid(host_send_tvalid), .out_ready(host_send_tready),
        .out_data({host_send_tlast, host_send_tkeep, host_send_tdata})
    );

    skid_buffer #(.WIDTH(577)) to_card (
        .clk, .rst,
        .in_valid(in_beat && !in_sent && !in_stream), .in_ready(card_ready), .in_data({in_final, in_keep, in_data}),
        .out_valid(card_send_tvalid), .out_ready(card_send_tready),
        .out_data({card_send_tlast, card_send_tkeep, card_send_tdata})
    );

    // Reads of remote ranks: the data pass by this module.
    coyote_pkg::request_t asked, fetched;

    assign asked = rq_rd_data;
    always_comb begin
        fetched        = '0;
        fetched.opcode = coyote_pkg::LOCAL_READ;
        fetched.strm   = asked.dest[0] ? coyote_pkg::STRM_HOST : coyote_pkg::STRM_CARD;
        fetched.dest   = 4'(STREAM);
        fetched.last   = asked.last;
        fetched.vaddr  = asked.vaddr;
        fetched.len    = asked.len;
    end
    assign read_valid  = rq_rd_valid;
    assign rq_rd_ready = read_ready;
    assign read_data   = fetched;

    wire _unused = &{1'b0, told, asked, wanted};

endmodule

`default_nettype wire
