// Keeps the records of rx buffers in the exchange memory: what has arrived in a
// buffer is written there while its message can be found already, and that a
// buffer waits again before it can get another message.
`default_nettype none

module message_recorder (
    input  wire          clk,
    input  wire          rst,
    input  wire          stop,       // begin nothing, drop what is given back
    input  wire          clear,
    output logic         idle,

    // All bytes of a message have been written, or not.
    input  wire          complete_valid,
    output logic         complete_ready,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] complete_buffer,
    input  wire  [1:0]   complete_result,

    // A new buffer, with the number of the next addition.
    input  wire          enqueue_valid,
    output logic         enqueue_ready,

    // Buffers that were read.
    input  wire          lend,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] lend_number,
    input  wire          release_valid,
    output logic         release_ready,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] release_buffer,
    input  wire          channel_release_valid,
    output logic         channel_release_ready,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] channel_release_buffer,
    input  wire          discard_valid,
    output logic         discard_ready,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] discard_buffer,

    // The message in a buffer: what it is, that it can be taken, that it is gone.
    output logic [engine_pkg::BUFFER_WIDTH-1:0] number,
    input  wire  [15:0]  session,
    input  wire  [31:0]  src,
    input  wire  [31:0]  seq,
    input  wire  [31:0]  tag,
    input  wire  [31:0]  bytes,
    output logic         completed,
    output logic         remove_valid, // held until done
    output logic [15:0]  remove_session,
    output logic [31:0]  remove_src,
    output logic [31:0]  remove_seq,
    input  wire          remove_done,

    output logic         add,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] add_number,
    input  wire          full,
    output logic         put,
    input  wire  [15:0]  record,       // of the buffer

    output engine_pkg::exchange_request_t       exchange_request,
    input  wire engine_pkg::exchange_response_t exchange_response
);

    localparam int unsigned NUMBER = engine_pkg::BUFFER_WIDTH;

    // What has become of a message: complete_result.
    localparam logic [1:0] GOOD      = 2'd0;
    localparam logic [1:0] FAILED    = 2'd1; // the buffer is lost
    // otherwise it was abandoned

    typedef enum logic [2:0] {IDLE, READ, CHOOSE, WRITE, REMOVE, ENDED} state_t;

    // Words of a record, in the order in which they are written.
    localparam logic [2:0] WORD_TAG    = 3'd0;
    localparam logic [2:0] WORD_BYTES  = 3'd1;
    localparam logic [2:0] WORD_SRC    = 3'd2;
    localparam logic [2:0] WORD_SEQ    = 3'd3;
    localparam logic [2:0] WORD_STATUS = 3'd4;

    state_t                  state;
    logic [2:0]              word;
    logic                    posting;  // the buffer waits for a message again
    logic [1:0]              result;
    logic [255:0]            lent;     // buffers that somebody reads
    logic                    take_complete, take_enqueue, take_discard, take_release, take_channel_release;
    logic                    known;    // the buffer that is given back was lent
    logic                    kept;     // the matcher has given one back while it was waited for
    logic [NUMBER-1:0]       kept_buffer;
    logic [NUMBER-1:0]       given_back;
    logic                    begins;
    logic [31:0]             status, held_tag, held_bytes, unused_rdata;
    logic                    unused_ok;

    assign unused_rdata = exchange_response.rdata;
    assign unused_ok    = exchange_response.ok;

    assign take_complete        = complete_valid;
    assign take_enqueue         = !take_complete && enqueue_valid && !stop;
    assign take_discard         = !take_complete && !take_enqueue && discard_valid;
    assign take_release         = !take_complete && !take_enqueue && !discard_valid && release_valid;
    assign take_channel_release = !take_complete && !take_enqueue
        && !discard_valid && !release_valid && channel_release_valid;
    assign given_back           = kept ? kept_buffer : discard_valid ? discard_buffer
        : release_valid ? release_buffer : channel_release_buffer;
    assign known                = lent[given_back] && !stop;

    assign begins                = state == IDLE && !kept;
    assign complete_ready        = begins;
    assign enqueue_ready         = begins && take_enqueue;
    assign discard_ready         = begins && take_discard || state == REMOVE && !kept;
    assign release_ready         = begins && take_release;
    assign channel_release_ready = begins && take_channel_release;

    assign add          = enqueue_ready && !full;
    assign put          = state == ENDED && posting;
    assign completed    = state == READ && !posting && result == GOOD; // who looks for it comes later than the record
    assign remove_valid = state == REMOVE;
    assign idle         = begins && !complete_valid;

    assign status = posting ? 32'(cclo_pkg::RX_STATUS_ENQUEUED)
        : result == GOOD ? 32'(cclo_pkg::RX_STATUS_RESERVED) : 32'(cclo_pkg::RX_STATUS_ERROR);

    always_comb begin
        exchange_request = '0;
        exchange_request.valid     = state == WRITE;
        exchange_request.operation = engine_pkg::EXCHANGE_WRITE;
        case (word)
            WORD_TAG: begin
                exchange_request.address = 32'(record) + 32'(4 * cclo_pkg::RX_BUFFERS_RX_TAG_WORD);
                exchange_request.wdata   = held_tag;
            end
            WORD_BYTES: begin
                exchange_request.address = 32'(record) + 32'(4 * cclo_pkg::RX_BUFFERS_RX_LEN_WORD);
                exchange_request.wdata   = held_bytes;
            end
            WORD_SRC: begin
                exchange_request.address = 32'(record) + 32'(4 * cclo_pkg::RX_BUFFERS_RX_SRC_WORD);
                exchange_request.wdata   = remove_src;
            end
            WORD_SEQ: begin
                exchange_request.address = 32'(record) + 32'(4 * cclo_pkg::RX_BUFFERS_SEQ_WORD);
                exchange_request.wdata   = remove_seq;
            end
            default: begin
                exchange_request.address = 32'(record) + 32'(4 * cclo_pkg::RX_BUFFERS_STATUS_WORD);
                exchange_request.wdata   = status;
            end
        endcase
    end

    always_ff @(posedge clk) begin
        case (state)
            IDLE: begin
                posting <= kept || !take_complete;
                word    <= !kept && take_complete ? WORD_TAG : WORD_STATUS;
                result  <= complete_result;
                if (kept) begin
                    kept             <= 1'b0;
                    number           <= kept_buffer;
                    lent[given_back] <= 1'b0;
                    state            <= known ? READ : IDLE;
                end else if (take_complete) begin
                    number <= complete_buffer;
                    state  <= READ;
                end else if (take_enqueue) begin
                    number <= add_number;
                    state  <= full ? IDLE : READ;
                end else if (take_discard || take_release || take_channel_release) begin
                    number           <= given_back;
                    lent[given_back] <= 1'b0;
                    state            <= known ? READ : IDLE;
                end
            end
            READ: state <= CHOOSE;
            CHOOSE: begin
                remove_session <= session;
                remove_src     <= src;
                remove_seq     <= seq;
                held_tag       <= tag;
                held_bytes     <= bytes;
                state <= posting || result == GOOD || result == FAILED ? WRITE : REMOVE;
            end
            WRITE: if (exchange_response.done) begin
                word <= word + 1'b1;
                if (word == WORD_STATUS) state <= !posting && result == FAILED ? REMOVE : ENDED;
            end
            REMOVE: if (remove_done) begin
                posting <= result != FAILED;
                word    <= WORD_STATUS;
                state   <= result == FAILED ? IDLE : WRITE;
            end
            default: state <= IDLE;
        endcase
        if (state == REMOVE && discard_valid && !kept) begin
            kept        <= 1'b1;
            kept_buffer <= discard_buffer;
        end
        if (lend) lent[lend_number] <= 1'b1;
        if (rst || clear) lent <= '0;
        if (rst) begin
            state <= IDLE;
            kept  <= 1'b0;
        end
    end

endmodule

`default_nettype wire
