// Takes the messages that an operand is made of, one at a time, and gives back
// the buffer of one that is not read to its end.
`default_nettype none

module message_source (
    input  wire                                clk,
    input  wire                                rst,

    input  wire move_pkg::move_t               move,
    input  wire                                want,   // the next message
    input  wire                                drop,   // until idle
    input  wire engine_pkg::post_t             post,   // where it may go if it is not here yet
    output logic                               held,   // there is one
    output logic                               mismatch, // there is one of another collective: the move fails
    output logic                               landed, // what was posted has ended: bytes lie there
    output logic                               lands,  // a message of it has come
    output logic [31:0]                        landed_code,
    output logic                               idle,
    output logic [31:0]                        bytes,  // of it that are left
    output logic [63:0]                        address,
    output logic                               stored,
    output logic [engine_pkg::BUFFER_WIDTH-1:0] buffer_,

    input  wire                                landed_take,
    input  wire                                take,
    input  wire [engine_pkg::LENGTH_WIDTH-1:0] take_bytes, // with the last ones the buffer is handed over

    output engine_pkg::match_request_t         match_request,
    input  wire engine_pkg::match_response_t   match_response,
    input  wire                                messages_changed,

    output logic                               release_valid,
    input  wire                                release_ready,
    output logic [engine_pkg::BUFFER_WIDTH-1:0] release_buffer
);

    typedef enum logic [3:0] {NONE, ASK, MISSING, POSTED, CANCEL, LANDED, HELD, RELEASE, OTHER} state_t;

    state_t     state;
    logic       changed; // since it was asked for
    logic       offered; // it was asked for with a place where it may go

    assign held           = state == HELD;
    assign mismatch       = state == OTHER;
    assign landed         = state == LANDED;
    assign lands          = state == POSTED && match_response.lands;
    assign idle           = state == NONE; // what is missing may come while it is given up
    assign release_valid  = state == RELEASE;
    assign release_buffer = buffer_;

    assign match_request.valid      = state == ASK;
    assign match_request.waits      = state == MISSING;
    assign match_request.cancels    = state == CANCEL;
    assign match_request.post       = post;
    assign match_request.record     = move.ranks.source_record;
    assign match_request.session    = move.ranks.source_session;
    assign match_request.rank       = move.issue.source;
    assign match_request.context_   = move.issue.context_;
    assign match_request.tag        = move.issue.tag;
    assign match_request.collective = {
        move.issue.collective_number, move.issue.collective_count, move.issue.collective_shape
    };

    always_ff @(posedge clk) begin
        if (messages_changed) changed <= 1'b1;
        if (rst) begin
            state   <= NONE;
            changed <= 1'b0;
        end else begin
            case (state)
                NONE: if (want && !drop) begin
                    state   <= ASK;
                    changed <= messages_changed;
                end
                ASK:
                    if (match_response.done)
                        state <= match_response.found ? HELD : match_response.mismatch ? OTHER
                            : match_response.posted ? POSTED : MISSING;
                MISSING: if (match_response.done) begin
                    state <= HELD;
                end else if (drop || !want) begin
                    state <= NONE;
                end else if (changed || messages_changed || post.offered && !offered) begin
                    state   <= ASK;
                    changed <= 1'b0;
                end
                POSTED: if (match_response.landed) state <= LANDED;
                    else if (!match_response.posted) state <= NONE;
                    else if (drop || !want) state <= CANCEL;
                CANCEL: if (!match_response.posted) state <= NONE;
                LANDED: if (drop || landed_take) state <= NONE;
                HELD: begin
                    if (drop) state <= stored ? RELEASE : NONE;
                    else if (take && bytes == 32'(take_bytes)) state <= NONE;
                end
                OTHER: if (drop || !want) state <= NONE;
                default: if (release_ready) state <= NONE;
            endcase
        end
        if (state == ASK) offered <= post.offered;
        if (state == ASK || state == MISSING) begin
            bytes   <= match_response.bytes;
            address <= match_response.address;
            stored  <= match_response.stored;
            buffer_ <= match_response.buffer_;
        end else if (state == POSTED) begin
            bytes       <= match_response.landed_bytes;
            landed_code <= match_response.landed_code;
        end else if (take) begin
            bytes   <= bytes - 32'(take_bytes);
            address <= move_pkg::sum(address, 64'(take_bytes));
        end
    end

    logic _unused;
    assign _unused = ^move;

endmodule

`default_nettype wire
