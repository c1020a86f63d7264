// Completes packets: those that are counted or numbered get their number, and
// all go behind the others of their session. Where the rest of a message will
// not come, a mark goes in its place, upon which the message is filled up.
`default_nettype none

module tx_commit (
    input  wire                                clk,
    input  wire                                rst,

    input  wire                                packet_commit_valid,
    output logic                               packet_commit_ready,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]  packet_commit_slot,
    input  wire                                packet_commit_good,

    input  wire                                packet_abandon_valid,
    output logic                               packet_abandon_ready,

    // The slots, and what was said of one when it was opened.
    input  wire  [engine_pkg::SLOTS-1:0]       used,
    input  wire                                free_valid,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]  free_slot,
    output logic                               take_free, // for the mark of an abandoned message
    output logic [engine_pkg::SLOT_WIDTH-1:0]  slot,
    input  wire                                counted,
    input  wire                                numbered,
    input  wire  [31:0]                        record,

    output engine_pkg::exchange_request_t      exchange_request,
    input  wire engine_pkg::exchange_response_t exchange_response,
    output logic                               number_valid, // with fields of the packet
    input  wire                                number_done,
    input  wire  [31:0]                        number_value,

    output logic                               number_take,
    output logic [31:0]                        number_taken,
    output logic                               enter,    // the packet is complete
    output logic                               mark,     // it is a mark
    output logic                               give_back,
    output logic                               idle
);

    typedef enum logic [2:0] {IDLE, CHECK, COUNT, NUMBER, ENTER} state_t;

    localparam logic [31:0] COUNTER = 4 * cclo_pkg::COMMUNICATORS_OUTBOUND_SEQ_WORD;

    state_t     state;
    logic       good, counts;

    assign idle                 = state == IDLE;
    assign packet_abandon_ready = idle && packet_abandon_valid && free_valid;
    assign packet_commit_ready  = idle && !packet_abandon_ready;
    assign take_free            = packet_abandon_ready;

    always_comb begin
        exchange_request           = '0;
        exchange_request.valid     = counts || state == COUNT;
        exchange_request.operation = engine_pkg::EXCHANGE_ADD;
        exchange_request.address   = record + COUNTER;
        exchange_request.wdata     = 32'd1;
    end

    assign number_valid   = state == NUMBER;
    assign number_take    = exchange_response.done && exchange_request.valid || number_done && number_valid;
    assign number_taken   = number_valid ? number_value : exchange_response.rdata;
    assign counts         = state == CHECK && used[slot] && good && counted;
    assign enter          = (state == ENTER || number_take) && used[slot];
    assign give_back      = state == CHECK && used[slot] && !good;

    always_ff @(posedge clk) begin
        if (rst) state <= IDLE;
        else case (state)
            IDLE:
                if (packet_abandon_ready) state <= ENTER;
                else if (packet_commit_valid) state <= CHECK;
            CHECK:
                if (!used[slot] || !good) state <= IDLE;
                else if (counted) state <= number_take ? IDLE : COUNT;
                else if (numbered) state <= NUMBER;
                else state <= ENTER;
            COUNT:   if (exchange_response.done) state <= IDLE;
            NUMBER:  if (number_done) state <= IDLE;
            default: state <= IDLE;
        endcase
        if (idle) begin
            slot <= packet_abandon_ready ? free_slot : packet_commit_slot;
            good <= packet_commit_good;
            mark <= packet_abandon_ready;
        end
    end

    wire unused = &{1'b0, exchange_response.ok};

endmodule

`default_nettype wire
