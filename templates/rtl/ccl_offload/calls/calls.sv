// Calls of all clients: brings them to the processor in the order in which they
// come, and gives each client its answers in the order of its calls.
//
// Arbiters in front of the engine put the number of the client into the bits of
// a call's first word that no operation needs, and find it in its answer.
`default_nettype none

module calls #(
    parameter int unsigned QUEUE   = engine_pkg::CALLS, // calls that wait, and the one in the window
    parameter int unsigned TICKETS = 128  // calls that were taken and whose answers have not gone
) (
    input  wire                              clk,
    input  wire                              rst,

    input  wire                              call_valid,
    output logic                             call_ready,
    input  wire  [31:0]                      call_data,

    output logic                             answer_valid,
    input  wire                              answer_ready,
    output logic [31:0]                      answer_data,

    input  wire engine_pkg::reg_request_t    calls_request,  // page calls
    output engine_pkg::reg_response_t        calls_response,
    input  wire engine_pkg::reg_request_t    window_request, // page call window
    output engine_pkg::reg_response_t        window_response,

    // The processor's read of system.next.
    output logic                             next_offered,    // takes a call,
    output logic                             next_delayed,    // soon,
    output logic                             next_refused,    // not: a reset is among them
    output logic [cclo_pkg::WAKE_OPERATION_WIDTH-1:0] next_operation,
    input  wire                              next_take,

    // All calls that were taken and not answered are dropped: the processor restarts.
    input  wire                              drop,

    output logic                             taken,      // pulse: the processor has taken a call
    output logic [23:0]                      taken_operation,
    output logic [$clog2(QUEUE)-1:0]         waiting,    // calls
    output logic                             event_call,
    output logic                             calls_idle // no call has come that is not answered
);

    localparam int unsigned CLIENT_WIDTH = cclo_pkg::CALL_HEAD_CLIENT_WIDTH;
    localparam int unsigned SHOWN        = cclo_pkg::CALL_STATUS_WAITING_WIDTH;

    localparam int unsigned ANSWER_CLIENT = cclo_pkg::CALL_ANSWER_CLIENT_LOW;

    localparam logic [7:0] STATUS = 8'(cclo_pkg::CALLS_STATUS_OFFSET);
    localparam logic [7:0] TAKE   = 8'(cclo_pkg::CALLS_TAKE_OFFSET);
    localparam logic [7:0] TICKET = 8'(cclo_pkg::CALLS_TICKET_OFFSET);
    localparam logic [7:0] ANSWER = 8'(cclo_pkg::CALLS_ANSWER_OFFSET);
    localparam logic [7:0] CYCLES = 8'(cclo_pkg::CALLS_CYCLES_OFFSET);

    logic [SHOWN-1:0]        waiting_shown;
    logic [CLIENT_WIDTH-1:0] client, out_client;
    logic [31:0]             word_data, next, ticket, out_code, cycles;
    logic [23:0]             operation;
    logic                    reset_requested, arrived, full, available, known;
    logic                    access, take, answer, hold, queue_idle, tickets_idle;

    call_queue #(.DEPTH(QUEUE), .CLIENT_WIDTH(CLIENT_WIDTH)) queue_of_calls (
        .idle(queue_idle), .word(window_request.address[5:2]), .*
    );

    call_tickets #(
        .DEPTH(TICKETS), .CLIENT_WIDTH(CLIENT_WIDTH), .DROPPED(cclo_pkg::RETURN_CODE_NOT_READY)
    ) tickets (
        .idle(tickets_idle), .code(calls_request.wdata), .out_valid(answer_valid), .out_ready(answer_ready), .*
    );

    always_comb begin
        answer_data                                = out_code;
        answer_data[ANSWER_CLIENT +: CLIENT_WIDTH] = out_client;
    end

    // Calls that cannot be taken do not keep the processor awake.
    logic can_take, could_take;

    assign can_take = waiting != '0 && !full;

    localparam logic [31:0] MOST = (32'd1 << SHOWN) - 32'd1;

    assign waiting_shown = !can_take ? '0 : 32'(waiting) > MOST ? '1 : SHOWN'(waiting);

    // Page calls. A call that could be taken waits until its ticket is found.
    assign access = calls_request.valid && !calls_response.ready;
    assign hold   = can_take && !available;
    assign take   = access && !calls_request.write && calls_request.address == TAKE && can_take && available
        || next_take;
    assign answer = access && calls_request.write && calls_request.address == ANSWER;

    assign next_offered   = can_take && available && !reset_requested;
    assign next_delayed   = hold && !reset_requested;
    assign next_refused   = can_take && reset_requested;
    assign next_operation = operation[cclo_pkg::WAKE_OPERATION_WIDTH-1:0];

    logic [31:0] status;

    always_comb begin
        status = '0;
        status[cclo_pkg::CALL_STATUS_WAITING_LOW +: SHOWN] = waiting_shown;
        status[cclo_pkg::CALL_STATUS_RESET_REQUESTED_LOW]  = reset_requested;
    end

    always_ff @(posedge clk) begin
        calls_response.ready <= access;
        calls_response.error <= 1'b0;
        calls_response.rdata <= '0;
        if (access)
            case ({calls_request.write, calls_request.address})
                {1'b0, STATUS}: calls_response.rdata <= status;
                {1'b0, TAKE}: begin
                    calls_response.ready <= !hold;
                    if (can_take) calls_response.rdata <= next;
                end
                {1'b0, TICKET}: calls_response.rdata <= ticket;
                {1'b1, TICKET}: ticket <= calls_request.wdata;
                {1'b1, ANSWER}: calls_response.error <= !known;
                {1'b0, CYCLES}: calls_response.rdata <= cycles;
                default: calls_response.error <= 1'b1;
            endcase
        if (take) ticket <= next;
        taken           <= take && !rst;
        taken_operation <= operation;
        if (rst) begin
            calls_response <= '0;
            ticket         <= '0;
        end
    end

    // The call window.
    logic window_ready, window_error, window_shows;

    always_ff @(posedge clk) begin
        window_ready <= !rst && window_request.valid && !window_ready;
        window_error <= window_request.write || 32'(window_request.address) >= cclo_pkg::CALL_WINDOW_BYTES;
        window_shows <= 32'(window_request.address) < 4 * cclo_pkg::CALL_WORDS;
    end

    assign window_response = {window_ready, window_error, window_shows ? word_data : 32'd0};

    always_ff @(posedge clk) begin
        could_take <= !rst && can_take;
        event_call <= !rst && (arrived || can_take && !could_take);
    end

    assign calls_idle = queue_idle && tickets_idle;

    wire unused = &{1'b0, window_request.wdata, window_request.address[1:0]};

endmodule

`default_nettype wire
