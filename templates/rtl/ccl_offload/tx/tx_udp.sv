// Sends packets to a UDP stack. It takes whole beats: the last one of a packet
// is padded, and its header says what is valid.
`default_nettype none

module tx_udp (
    input  wire                                clk,
    input  wire                                rst,

    input  wire                                ask_valid,
    output logic                               ask_ready,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]  ask_slot,
    output logic                               answer_valid,
    output logic [engine_pkg::SLOT_WIDTH-1:0]  answer_slot,
    output logic                               answer_good,

    input  wire                                send_valid,
    output logic                               send_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0]  send_data,
    input  wire                                send_last,
    input  wire  [15:0]                        send_session,
    input  wire                                send_headed,

    output logic                               tx_data_tvalid,
    input  wire                                tx_data_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0]  tx_data_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0]  tx_data_tkeep,
    output logic                               tx_data_tlast,
    output logic [15:0]                        tx_data_tdest,
    output logic                               tx_data_headed
);

    assign ask_ready   = 1'b1;
    assign answer_good = 1'b1;

    always_ff @(posedge clk) begin
        answer_valid <= ask_valid && !rst;
        answer_slot  <= ask_slot;
    end

    assign tx_data_tkeep = '1;

    skid_buffer #(.WIDTH(engine_pkg::DATA_WIDTH + 18)) out (
        .clk, .rst,
        .in_valid(send_valid), .in_ready(send_ready), .in_data({send_data, send_last, send_session, send_headed}),
        .out_valid(tx_data_tvalid), .out_ready(tx_data_tready),
        .out_data({tx_data_tdata, tx_data_tlast, tx_data_tdest, tx_data_headed})
    );

endmodule

`default_nettype wire
