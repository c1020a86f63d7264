// Looks up ranks of communicators in the exchange memory, for one client at a
// time. What is no communicator, or no rank of it, is not ok.
`default_nettype none

module peer_lookup (
    input  wire                                clk,
    input  wire                                rst,

    input  wire engine_pkg::peer_request_t     moves_request,
    output engine_pkg::peer_response_t         moves_response,
    input  wire engine_pkg::peer_request_t     messages_request,
    output engine_pkg::peer_response_t         messages_response,
    input  wire engine_pkg::peer_request_t     rendezvous_request,
    output engine_pkg::peer_response_t         rendezvous_response,

    output engine_pkg::exchange_request_t      exchange_request,
    input  wire engine_pkg::exchange_response_t exchange_response
);

    localparam int unsigned CLIENTS = 3;

    // no communicator has more ranks
    localparam logic [31:0] LARGEST = cclo_pkg::EXCHANGE_BYTES / cclo_pkg::COMMUNICATORS_RECORD_BYTES;

    // What is done.
    typedef enum logic [2:0] {IDLE, SIZE, LOCAL_RANK, SESSION, ANSWER} state_t;

    state_t             state;
    logic [CLIENTS-1:0] request, grant, client;
    logic [1:0]         grant_index;

    assign request = {rendezvous_request.valid, messages_request.valid, moves_request.valid};

    round_robin #(.N(CLIENTS)) turns (
        .clk(clk), .rst(rst), .request(request), .advance(state == IDLE), .grant(grant), .index(grant_index)
    );

    engine_pkg::peer_request_t asked;
    logic [31:0]               comm, rank, record, local_rank;
    logic [15:0]               session;
    logic                      ok;
    logic [2:0]                done;

    always_comb begin
        asked = moves_request;
        if (grant_index == 2'd1) asked = messages_request;
        if (grant_index == 2'd2) asked = rendezvous_request;
    end

    // The header lies in the memory, and all of the record; nothing wraps around.
    function logic lies_inside(input logic [31:0] offset, input logic [31:0] bytes);
        lies_inside = offset[1:0] == 2'b00 && offset - cclo_pkg::EXCHANGE_BASE <= cclo_pkg::EXCHANGE_BYTES - bytes;
    endfunction

    function logic [31:0] word_at(input logic [31:0] base, input logic [31:0] number);
        word_at = base + 32'd4 * number;
    endfunction

    always_comb begin
        exchange_request           = '0;
        exchange_request.operation = engine_pkg::EXCHANGE_READ;
        case (state)
            SIZE: begin
                exchange_request.valid   = 1'b1;
                exchange_request.address = word_at(comm, cclo_pkg::COMMUNICATORS_SIZE_WORD);
            end
            LOCAL_RANK: begin
                exchange_request.valid   = 1'b1;
                exchange_request.address = word_at(comm, cclo_pkg::COMMUNICATORS_LOCAL_RANK_WORD);
            end
            SESSION: begin
                exchange_request.valid   = 1'b1;
                exchange_request.address = word_at(record, cclo_pkg::COMMUNICATORS_SESSION_WORD);
            end
            default: ;
        endcase
    end

    always_ff @(posedge clk) begin
        // stands long before it is used
        record <= comm + cclo_pkg::COMMUNICATORS_HEADER_BYTES + rank * cclo_pkg::COMMUNICATORS_RECORD_BYTES;
        case (state)
            IDLE: begin
                client <= grant;
                comm   <= asked.comm;
                rank   <= asked.rank;
                ok     <= 1'b0;
                if (request != '0)
                    state <= lies_inside(asked.comm, cclo_pkg::COMMUNICATORS_HEADER_BYTES) && asked.rank < LARGEST
                        ? SIZE
                        : ANSWER;
            end
            SIZE: if (exchange_response.done) begin
                if (rank < exchange_response.rdata && lies_inside(record, cclo_pkg::COMMUNICATORS_RECORD_BYTES))
                    state <= LOCAL_RANK;
                else state <= ANSWER;
            end
            LOCAL_RANK: if (exchange_response.done) begin
                state      <= SESSION;
                local_rank <= exchange_response.rdata;
            end
            SESSION: if (exchange_response.done) begin
                state   <= ANSWER;
                ok      <= 1'b1;
                session <= 16'(exchange_response.rdata);
            end
            default: state <= IDLE;
        endcase
        if (rst) state <= IDLE;
    end

    assign done = state == ANSWER ? client : '0;

    assign moves_response      = {done[0], ok, record, local_rank, session, local_rank == rank};
    assign messages_response   = {done[1], ok, record, local_rank, session, local_rank == rank};
    assign rendezvous_response = {done[2], ok, record, local_rank, session, local_rank == rank};

    wire unused = &{1'b0, asked.valid, exchange_response.ok}; // what lies inside is always ok

endmodule

`default_nettype wire
