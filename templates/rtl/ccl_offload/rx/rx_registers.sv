// The processor's registers of rx buffers and received messages.
`default_nettype none

module rx_registers (
    input  wire          clk,
    input  wire          rst,

    input  wire engine_pkg::reg_request_t     reg_request,
    output engine_pkg::reg_response_t         reg_response,
    input  wire engine_pkg::selection_t       selection,
    output engine_pkg::peer_request_t         peer_request,
    input  wire engine_pkg::peer_response_t   peer_response,

    output logic         enqueue_valid,
    input  wire          enqueue_ready,
    output logic [15:0]  enqueue_record,
    output logic [63:0]  enqueue_address,
    output logic [31:0]  enqueue_bytes,
    input  wire  [engine_pkg::BUFFER_WIDTH:0] free_count,

    output logic         seek_valid,    // held until done
    output engine_pkg::match_request_t        seek_request,
    input  wire          seek_done,
    input  wire          sought,
    input  wire  [31:0]  sought_bytes,
    input  wire  [15:0]  sought_record,
    input  wire  [31:0]  other_source,
    input  wire engine_pkg::collective_t      other_collective,
    output logic         discard_valid, // held until done
    input  wire          discard_done
);

    localparam logic [7:0] ADDRESS      = 8'(cclo_pkg::RX_ADDRESS_OFFSET);
    localparam logic [7:0] ADDRESS_HIGH = 8'(cclo_pkg::RX_ADDRESS_HIGH_OFFSET);
    localparam logic [7:0] BYTES        = 8'(cclo_pkg::RX_BYTES_OFFSET);
    localparam logic [7:0] ENQUEUE      = 8'(cclo_pkg::RX_ENQUEUE_OFFSET);
    localparam logic [7:0] FREE         = 8'(cclo_pkg::RX_FREE_OFFSET);
    localparam logic [7:0] SEEK         = 8'(cclo_pkg::RX_SEEK_OFFSET);
    localparam logic [7:0] FOUND        = 8'(cclo_pkg::RX_FOUND_OFFSET);
    localparam logic [7:0] DISCARD      = 8'(cclo_pkg::RX_DISCARD_OFFSET);
    localparam logic [7:0] OTHER_SOURCE = 8'(cclo_pkg::RX_OTHER_SOURCE_OFFSET);
    localparam logic [7:0] OTHER_NUMBER = 8'(cclo_pkg::RX_OTHER_NUMBER_OFFSET);
    localparam logic [7:0] OTHER_COUNT  = 8'(cclo_pkg::RX_OTHER_COUNT_OFFSET);
    localparam logic [7:0] OTHER_SHAPE  = 8'(cclo_pkg::RX_OTHER_SHAPE_OFFSET);

    localparam logic [31:0] LAST_RECORD = cclo_pkg::EXCHANGE_BYTES - 32'(cclo_pkg::RX_BUFFERS_RECORD_BYTES);

    typedef enum logic [2:0] {
        IDLE,
        LOOK_UP,   // the sender
        SEEKING,
        ENQUEUING,
        DROPPING,
        READY
    } state_t;

    state_t      state;
    logic [63:0] address;
    logic [31:0] bytes, rdata;
    logic        error, write, a_record;
    logic        unused_bits;

    assign unused_bits = ^{selection.destination, peer_response.local_rank, peer_response.self};

    assign write    = reg_request.write;
    assign a_record = reg_request.wdata[1:0] == '0 && reg_request.wdata - cclo_pkg::EXCHANGE_BASE <= LAST_RECORD;

    assign enqueue_valid   = state == ENQUEUING;
    assign enqueue_address = address;
    assign enqueue_bytes   = bytes;
    assign seek_valid      = state == SEEKING;
    assign discard_valid   = state == DROPPING;

    always_comb begin
        peer_request = '0;
        peer_request.valid = state == LOOK_UP;
        peer_request.comm  = selection.comm;
        peer_request.rank  = selection.source;
        reg_response = '0;
        reg_response.ready = state == READY;
        reg_response.error = error;
        reg_response.rdata = rdata;
    end

    always_ff @(posedge clk) begin
        case (state)
            IDLE: if (reg_request.valid) begin
                error <= 1'b0;
                rdata <= '0;
                state <= READY;
                enqueue_record <= reg_request.wdata[15:0];
                case (reg_request.address)
                    ADDRESS: begin
                        rdata <= address[31:0];
                        if (write) address[31:0] <= reg_request.wdata;
                    end
                    ADDRESS_HIGH: begin
                        rdata <= address[63:32];
                        if (write) address[63:32] <= reg_request.wdata;
                    end
                    BYTES: begin
                        rdata <= bytes;
                        if (write) bytes <= reg_request.wdata;
                    end
                    ENQUEUE: begin
                        error <= !write || !a_record;
                        if (write && a_record) state <= ENQUEUING;
                    end
                    FREE: begin
                        error <= write;
                        rdata <= 32'(free_count);
                    end
                    SEEK: begin
                        error <= write;
                        if (!write) state <= LOOK_UP;
                    end
                    FOUND: begin
                        error <= write;
                        rdata <= sought ? 32'(sought_record) : '0;
                    end
                    DISCARD: begin
                        error <= !write;
                        if (write) state <= DROPPING;
                    end
                    OTHER_SOURCE: begin
                        error <= write;
                        rdata <= other_source;
                    end
                    OTHER_NUMBER: begin
                        error <= write;
                        rdata <= other_collective.number;
                    end
                    OTHER_COUNT: begin
                        error <= write;
                        rdata <= other_collective.count;
                    end
                    OTHER_SHAPE: begin
                        error <= write;
                        rdata <= other_collective.shape;
                    end
                    default: error <= 1'b1;
                endcase
            end
            LOOK_UP: if (peer_response.done) begin
                seek_request            <= '0;
                seek_request.valid      <= peer_response.ok; // else there is nobody, and nothing found
                seek_request.record     <= peer_response.record;
                seek_request.session    <= peer_response.session;
                seek_request.rank       <= selection.source;
                seek_request.context_   <= selection.context_;
                seek_request.tag        <= selection.tag;
                seek_request.collective <= selection.collective;
                state <= SEEKING;
            end
            SEEKING: if (seek_done) begin
                rdata <= sought ? sought_bytes + 1'b1 : '0;
                state <= READY;
            end
            ENQUEUING: if (enqueue_ready) state <= READY;
            DROPPING: if (discard_done) state <= READY;
            default: state <= IDLE;
        endcase
        if (rst) state <= IDLE;
    end

endmodule

`default_nettype wire
