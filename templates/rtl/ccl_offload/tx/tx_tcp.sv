// Sends packets to a TCP stack, which is asked for each: several requests are on
// their way while data are sent. The stack answers them in order.
`default_nettype none

module tx_tcp (
    input  wire                                 clk,
    input  wire                                 rst,

    input  wire                                 ask_valid,
    output logic                                ask_ready,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]   ask_slot,
    input  wire  [15:0]                         ask_session,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] ask_bytes,
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

    output logic                                tx_meta_tvalid,
    input  wire                                 tx_meta_tready,
    output logic [31:0]                         tx_meta_tdata,
    input  wire                                 tx_status_tvalid,
    output logic                                tx_status_tready,
    input  wire  [63:0]                         tx_status_tdata,
    output logic                                tx_data_tvalid,
    input  wire                                 tx_data_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0]   tx_data_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0]   tx_data_tkeep,
    output logic                                tx_data_tlast,
    output logic [15:0]                         tx_data_tdest,
    output logic                                tx_data_headed
);

    cclo_pkg::tcp_tx_meta_t            meta;
    cclo_pkg::tcp_tx_status_t          status;
    logic                              meta_ready, waiting_ready, waiting_valid, answered;
    logic [engine_pkg::SLOT_WIDTH-1:0] waiting_slot;
    logic [5:0]                        waiting;

    assign ask_ready = meta_ready && waiting_ready;

    always_comb begin
        meta         = '0;
        meta.session = ask_session;
        meta.length  = 16'(ask_bytes);
    end

    skid_buffer #(.WIDTH(32)) requests (
        .clk, .rst,
        .in_valid(ask_valid && waiting_ready), .in_ready(meta_ready), .in_data(meta),
        .out_valid(tx_meta_tvalid), .out_ready(tx_meta_tready), .out_data(tx_meta_tdata)
    );

    fifo #(.WIDTH(engine_pkg::SLOT_WIDTH), .DEPTH(engine_pkg::SLOTS)) order (
        .clk, .rst, .clear(1'b0),
        .in_valid(ask_valid && meta_ready), .in_ready(waiting_ready), .in_data(ask_slot),
        .out_valid(waiting_valid), .out_ready(answered), .out_data(waiting_slot), .count(waiting)
    );

    assign status           = tx_status_tdata;
    assign tx_status_tready = 1'b1;
    assign answered         = tx_status_tvalid && waiting_valid; // a status that nobody asked for is none

    always_ff @(posedge clk) begin
        answer_valid <= answered && !rst;
        answer_slot  <= waiting_slot;
        answer_good  <= status.error == 0;
    end

    skid_buffer #(.WIDTH(engine_pkg::DATA_WIDTH + engine_pkg::KEEP_WIDTH + 18)) out (
        .clk, .rst,
        .in_valid(send_valid), .in_ready(send_ready),
        .in_data({send_data, send_keep, send_last, send_session, send_headed}),
        .out_valid(tx_data_tvalid), .out_ready(tx_data_tready),
        .out_data({tx_data_tdata, tx_data_tkeep, tx_data_tlast, tx_data_tdest, tx_data_headed})
    );

    wire unused = &{1'b0, waiting, status};

endmodule

`default_nettype wire
