// Sends packets to an RDMA stack: with the header as messages, or without it as
// writes to where it says.
`default_nettype none

module tx_rdma (
    input  wire                                 clk,
    input  wire                                 rst,

    input  wire                                 ask_valid,
    output logic                                ask_ready,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]   ask_slot,
    input  wire  [15:0]                         ask_session,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] ask_bytes,
    input  wire                                 ask_written,
    input  wire  [63:0]                         ask_vaddr,
    input  wire  [7:0]                          ask_host,
    output logic                                answer_valid,
    output logic [engine_pkg::SLOT_WIDTH-1:0]   answer_slot,
    output logic                                answer_good,

    input  wire                                 send_valid,
    output logic                                send_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0]   send_data,
    input  wire  [engine_pkg::KEEP_WIDTH-1:0]   send_keep,
    input  wire                                 send_last,
    input  wire  [15:0]                         send_session,
    input  wire                                 send_headed,

    output logic                                rdma_sq_tvalid,
    input  wire                                 rdma_sq_tready,
    output logic [127:0]                        rdma_sq_tdata,
    output logic                                tx_data_tvalid,
    input  wire                                 tx_data_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0]   tx_data_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0]   tx_data_tkeep,
    output logic                                tx_data_tlast,
    output logic [15:0]                         tx_data_tdest,
    output logic                                tx_data_headed
);

    cclo_pkg::rdma_send_queue_t request;

    always_comb begin
        request            = '0;
        request.opcode     = ask_written ? 8'(cclo_pkg::RDMA_OPCODE_WRITE) : 8'(cclo_pkg::RDMA_OPCODE_SEND);
        request.queue_pair = ask_session;
        request.length     = 32'(ask_bytes);
        if (ask_written) begin
            request.host  = ask_host;
            request.vaddr = ask_vaddr;
        end
    end

    skid_buffer #(.WIDTH(128)) requests (
        .clk, .rst,
        .in_valid(ask_valid), .in_ready(ask_ready), .in_data(request),
        .out_valid(rdma_sq_tvalid), .out_ready(rdma_sq_tready), .out_data(rdma_sq_tdata)
    );

    // What was requested goes.
    assign answer_good = 1'b1;
    always_ff @(posedge clk) begin
        answer_valid <= ask_valid && ask_ready && !rst;
        answer_slot  <= ask_slot;
    end

    skid_buffer #(.WIDTH(engine_pkg::DATA_WIDTH + engine_pkg::KEEP_WIDTH + 18)) out (
        .clk, .rst,
        .in_valid(send_valid), .in_ready(send_ready),
        .in_data({send_data, send_keep, send_last, send_session, send_headed}),
        .out_valid(tx_data_tvalid), .out_ready(tx_data_tready),
        .out_data({tx_data_tdata, tx_data_tkeep, tx_data_tlast, tx_data_tdest, tx_data_headed})
    );

endmodule

`default_nettype wire
