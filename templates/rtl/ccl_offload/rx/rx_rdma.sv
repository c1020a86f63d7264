// Takes messages of an RDMA stack, which tells of each before its data. The
// stack gives them in one order: here the sessions cannot pass each other.
`default_nettype none

module rx_rdma (
    input  wire                                 clk,
    input  wire                                 rst,
    output logic                                busy,

    input  wire                                 notification_tvalid,
    output logic                                notification_tready,
    input  wire  [63:0]                         notification_tdata,

    output logic                                need_valid,
    output logic [15:0]                         need_session,
    input  wire                                 need_ready,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]   need_slot,

    output logic                                expect_valid,
    input  wire                                 expect_ready,
    output logic [engine_pkg::SLOT_WIDTH-1:0]   expect_slot,
    output logic [15:0]                         expect_session,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] expect_bytes
);

    cclo_pkg::rdma_notification_t notification;
    logic                         told, last;
    logic [15:0]                  session;
    logic [31:0]                  left;

    localparam logic [31:0] WHOLE = engine_pkg::SLOT_BYTES;

    assign notification        = notification_tdata;
    assign notification_tready = !told || last && need_ready && need_valid;
    assign busy                = told || notification_tvalid;
    assign last                = left <= WHOLE;
    assign need_valid          = told && expect_ready;
    assign need_session        = session;
    assign expect_valid        = need_valid && need_ready;
    assign expect_slot         = need_slot;
    assign expect_session      = session;
    assign expect_bytes        = engine_pkg::LENGTH_WIDTH'(last ? left : WHOLE);

    always_ff @(posedge clk) begin
        if (rst) told <= 1'b0;
        else if (notification_tready) told <= notification_tvalid && notification.length != 0;
        if (notification_tready) begin
            session <= notification.session;
            left    <= notification.length;
        end else if (expect_valid) left <= left - WHOLE;
    end

    wire unused = &{1'b0, notification};

endmodule

`default_nettype wire
