// What became of moves, by queue: how many have ended and with which errors.
// Every move that was issued is counted once.
`default_nettype none

module move_status (
    input  wire                            clk,
    input  wire                            rst,
    input  wire                            reset_moves,

    input  wire engine_pkg::reg_request_t  request,
    output engine_pkg::reg_response_t      response,

    // From the registers of moves.
    input  wire                            deciding,
    input  wire [engine_pkg::QUEUES-1:0]   accepted,
    input  wire [engine_pkg::QUEUES-1:0]   dropped,
    input  wire [engine_pkg::QUEUES-1:0]   overflowed,
    output logic [engine_pkg::QUEUES-1:0]  refuses,
    output logic [engine_pkg::QUEUES-1:0]  full,

    // From the queues: how many moves of each have not started.
    input  wire [8*engine_pkg::QUEUES-1:0] waiting,
    output logic [engine_pkg::QUEUES-1:0]  abort,

    // From the channels: a move has completed; one has failed with a code, and
    // with it all that its queue has.
    input  wire [engine_pkg::QUEUES-1:0]    completed,
    input  wire [engine_pkg::QUEUES-1:0]    failed,
    input  wire [32*engine_pkg::QUEUES-1:0] failure,
    input  wire [96*engine_pkg::QUEUES-1:0] failing, // source, tag and bytes of that move

    output logic                           event_move,
    output logic                           at_rest     // no queue has a move or an error; a cycle behind event_move
);

    localparam int unsigned QUEUES = engine_pkg::QUEUES;
    localparam int unsigned DEPTH  = cclo_pkg::MOVE_QUEUE_DEPTH;

    // Offset of a queue's registers from those of queue 0.
    localparam logic [7:0] STRIDE        =
        8'(cclo_pkg::MOVE_STATUS_COMPLETED_1_OFFSET - cclo_pkg::MOVE_STATUS_COMPLETED_0_OFFSET);
    localparam logic [7:0] FAILED_STRIDE =
        8'(cclo_pkg::MOVE_STATUS_FAILED_SOURCE_1_OFFSET - cclo_pkg::MOVE_STATUS_FAILED_SOURCE_0_OFFSET);

    logic [32*QUEUES-1:0] totals, errors; // totals without those of the cycle before
    logic [96*QUEUES-1:0] moves;          // those that failed last: source, tag and bytes
    logic [8*QUEUES-1:0]  occupied, room, gone;
    logic [QUEUES-1:0]    changed, cleared, busy;
    logic                 read, write, known, writable, readable, stall;
    logic [31:0]          value;

    // Aborts follow what was issued before.
    assign stall = deciding && request.address == 8'(cclo_pkg::MOVE_STATUS_ABORT_OFFSET);
    assign read  = request.valid && !response.ready && !stall;
    assign write = read && request.write;
    assign known = request.write ? writable : readable;

    always_comb begin
        value    = '0;
        readable = 1'b0;
        writable = 1'b0;
        cleared  = '0;
        if (request.address == 8'(cclo_pkg::MOVE_STATUS_ROOM_OFFSET)) begin
            value    = 32'(room);
            readable = 1'b1;
        end
        if (request.address == 8'(cclo_pkg::MOVE_STATUS_STATE_OFFSET)) begin
            value[cclo_pkg::MOVE_STATE_BUSY_LOW +: QUEUES]   = busy;
            value[cclo_pkg::MOVE_STATE_FAILED_LOW +: QUEUES] = refuses;
            readable = 1'b1;
        end
        if (request.address == 8'(cclo_pkg::MOVE_STATUS_ABORT_OFFSET)) writable = 1'b1;
        for (int unsigned i = 0; i < QUEUES; i++) begin
            if (request.address == 8'(cclo_pkg::MOVE_STATUS_COMPLETED_0_OFFSET) + 8'(i) * STRIDE) begin
                value    = totals[32*i +: 32] + 32'(gone[8*i +: 8]);
                readable = 1'b1;
            end
            if (request.address == 8'(cclo_pkg::MOVE_STATUS_ERROR_0_OFFSET) + 8'(i) * STRIDE) begin
                value      = errors[32*i +: 32];
                readable   = 1'b1;
                writable   = 1'b1;
                cleared[i] = write;
            end
            if (request.address == 8'(cclo_pkg::MOVE_STATUS_FAILED_SOURCE_0_OFFSET) + 8'(i) * FAILED_STRIDE) begin
                value    = moves[96*i + 64 +: 32];
                readable = 1'b1;
            end
            if (request.address == 8'(cclo_pkg::MOVE_STATUS_FAILED_TAG_0_OFFSET) + 8'(i) * FAILED_STRIDE) begin
                value    = moves[96*i + 32 +: 32];
                readable = 1'b1;
            end
            if (request.address == 8'(cclo_pkg::MOVE_STATUS_FAILED_BYTES_0_OFFSET) + 8'(i) * FAILED_STRIDE) begin
                value    = moves[96*i +: 32];
                readable = 1'b1;
            end
        end
    end

    always_ff @(posedge clk) begin
        response.ready <= read && !rst;
        response.error <= !known;
        response.rdata <= value;
        abort <= '0;
        if (write && !rst && request.address == 8'(cclo_pkg::MOVE_STATUS_ABORT_OFFSET))
            abort <= request.wdata[QUEUES-1:0];
    end

    genvar q;
    generate for (q = 0; q < QUEUES; q++) begin : queues
        logic [7:0] ended;

        always_comb begin
            if (failed[q]) ended = occupied[8*q +: 8];
            else if (abort[q]) ended = waiting[8*q +: 8] + 8'(completed[q]);
            else ended = 8'(completed[q]);
        end

        assign refuses[q]      = errors[32*q +: 32] != '0 || reset_moves;
        assign busy[q]         = occupied[8*q +: 8] != '0;
        assign full[q]         = occupied[8*q +: 8] == 8'(DEPTH);
        assign room[8*q +: 8]  = 8'(DEPTH) - occupied[8*q +: 8];
        assign changed[q]      = ended != '0 || dropped[q] || overflowed[q];

        always_ff @(posedge clk) begin
            if (rst) begin
                totals[32*q +: 32]  <= '0;
                gone[8*q +: 8]      <= '0;
                errors[32*q +: 32]  <= '0;
                moves[96*q +: 96]   <= '0;
                occupied[8*q +: 8]  <= '0;
            end else begin
                if (failed[q] && failure[32*q +: 32] != '0) moves[96*q +: 96] <= failing[96*q +: 96]; // not at a reset
                totals[32*q +: 32] <= totals[32*q +: 32] + 32'(gone[8*q +: 8]);
                gone[8*q +: 8]     <= ended + 8'(dropped[q] || overflowed[q]);
                occupied[8*q +: 8] <= occupied[8*q +: 8] + 8'(accepted[q]) - ended;
                if (reset_moves) errors[32*q +: 32] <= '0;
                else errors[32*q +: 32] <= (cleared[q] ? '0 : errors[32*q +: 32])
                    | (failed[q] ? failure[32*q +: 32] : '0)
                    | (overflowed[q] ? cclo_pkg::RETURN_CODE_CONFIG_SWITCH : '0);
            end
        end
    end endgenerate

    always_ff @(posedge clk) begin
        event_move <= changed != '0 && !rst;
        at_rest    <= busy == '0 && refuses == '0 && !deciding && !rst;
    end

    logic _unused;
    assign _unused = ^request.wdata[31:QUEUES];

endmodule

`default_nettype wire
