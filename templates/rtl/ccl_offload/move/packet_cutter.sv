// Cuts what a move sends: eager bytes into chunks, these into segments, which
// are messages, and these into packets; rendezvous data into packets.
`default_nettype none

module packet_cutter (
    input  wire                                clk,
    input  wire                                rst,

    input  wire                                start,  // a move
    input  wire                                forget, // the rest of it
    input  wire move_pkg::move_t               move,
    input  wire move_pkg::plan_t               plan,

    output logic                               pending,   // a packet is to be opened
    output logic                               too_large, // it must not be
    output engine_pkg::packet_t                packet,
    output logic                               ends,      // it is the last one of its message
    input  wire                                opened,

    output logic                               open,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] filled,   // bytes of the open packet
    output logic [engine_pkg::LENGTH_WIDTH-1:0] room,     // bytes that are still to come
    input  wire                                take,      // of these, bytes
    input  wire [engine_pkg::LENGTH_WIDTH-1:0] take_bytes
);

    typedef enum logic [2:0] {IDLE, CHUNK, MESSAGE, PACKET, PENDING, OPEN} state_t;

    localparam logic [31:0] PAYLOAD  = 32'(engine_pkg::PACKET_PAYLOAD);
    localparam logic [31:0] SLOT     = 32'(engine_pkg::SLOT_BYTES);
    localparam logic [31:0] TRANSFER = 32'hFFFFFFFF >> (32 - cclo_pkg::DMA_COMMAND_BYTES_WIDTH);

    state_t      state;
    logic [31:0] left;     // in no message yet
    logic [31:0] chunk;    // of these, of the chunk
    logic [31:0] message;  // bytes of the message
    logic [31:0] rest;     // of it, in no packet that was opened
    logic [31:0] bytes;    // of the packet
    logic [31:0] index;    // of the packet of rendezvous data, else 0
    logic [63:0] vaddr;    // 0 of eager bytes
    logic        headed, alone;
    logic [31:0] uncut, segment, most;
    logic        rest_fits, rest_halves, fine;
    logic [31:0] half, both;   // of what is left, what goes first of two packets, and what two take
    logic [31:0] next_bytes;

    engine_pkg::control_t control;

    assign control = engine_pkg::unpack_control(move.issue.control);
    assign segment = move.issue.segment_bytes != '0
        && move.issue.segment_bytes < chunk ? move.issue.segment_bytes : chunk;
    assign uncut   = state == IDLE ? plan.wire_bytes : left;
    // A compressed packet takes longer to fill than to send: it is cut as what it was
    // made from would be, so that it is on its way as soon.
    always_ff @(posedge clk) fine <= plan.eager && !engine_pkg::LOSSY && plan.wire_log2 < plan.largest_log2;

    assign half = fine ? SLOT / 4 : SLOT / 2;
    always_comb case ({fine, headed})
        2'b00: begin
            most = SLOT;
            both = SLOT + SLOT / 2;
        end
        2'b01: begin
            most = PAYLOAD;
            both = PAYLOAD + SLOT / 2;
        end
        2'b10: begin
            most = SLOT / 2;
            both = SLOT / 2 + SLOT / 4;
        end
        default: begin
            most = PAYLOAD / 2;
            both = PAYLOAD / 2 + SLOT / 4;
        end
    endcase

    assign pending   = state == PENDING;
    assign open      = state == OPEN;

    // What is little more than a packet goes as two of about the same size: a last
    // packet of few bytes would take as long as one of many.
    assign rest_fits   = rest <= most;
    assign rest_halves = !rest_fits && rest <= both;
    assign next_bytes  = rest_fits ? rest : rest_halves ? half : most;
    assign too_large = pending && !alone && !plan.data
        && (message > TRANSFER || engine_pkg::LOSSY && message > PAYLOAD);

    always_comb begin
        packet                 = '0;
        packet.session         = move.ranks.destination_session;
        packet.self            = move.ranks.destination_self;
        packet.headed          = headed;
        packet.counted         = headed && plan.eager && move.issue.strm == '0 && !control.notice;
        packet.numbered        = engine_pkg::LOSSY && engine_pkg::HAS_RENDEZVOUS
            && control.kind == engine_pkg::TYPE_ANNOUNCEMENT;
        packet.written         = engine_pkg::STACK_RDMA && plan.data && !move.ranks.destination_self;
        packet.record          = move.ranks.destination_record;
        packet.bytes           = engine_pkg::LENGTH_WIDTH'(bytes);
        packet.header.count    = alone && !plan.eager && !plan.data ? move.issue.header_count : message;
        packet.header.tag      = move.issue.tag;
        packet.header.src      = move.ranks.local_rank;
        packet.header.seq      = index;
        packet.header.strm     = move.issue.strm;
        packet.header.dst      = move.ranks.destination_session;
        packet.header.kind     = control.kind;
        packet.header.host     = plan.eager ? '0 : 8'(control.remote_host);
        packet.header.vaddr    = vaddr;
        packet.header.context_ = move.issue.context_;
        packet.header.notice   = control.notice;
        packet.header.collective = {
            move.issue.collective_number, move.issue.collective_count, move.issue.collective_shape
        };
    end

    always_ff @(posedge clk) begin
        if (rst || forget) begin
            state <= IDLE;
        end else begin
            case (state)
                IDLE: if (start && plan.to_network) state <= plan.empty ? PENDING : MESSAGE;
                CHUNK: state <= MESSAGE;
                MESSAGE: state <= PACKET;
                PACKET: state <= PENDING;
                PENDING: if (opened) state <= OPEN;
                default: if (take && room == take_bytes) begin
                    if (!ends) state <= PACKET;
                    else if (left == '0) state <= IDLE;
                    else state <= chunk == '0 ? CHUNK : MESSAGE;
                end
            endcase
        end
        if (state == IDLE || state == CHUNK)
            chunk <= !plan.data && move.issue.chunk_bytes != '0
                && move.issue.chunk_bytes < uncut ? move.issue.chunk_bytes : uncut;
        case (state)
            IDLE: begin
                left    <= plan.wire_bytes;
                bytes   <= '0;
                room    <= '0;
                filled  <= '0;
                alone   <= plan.empty;
                index   <= move.issue.packet_index;
                vaddr   <= move.issue.remote_address;
                message <= '0;
                rest    <= '0;
                ends    <= 1'b1;
                headed  <= 1'b1;
            end
            MESSAGE: begin
                message <= plan.data ? (left < PAYLOAD ? left : PAYLOAD) : segment;
                rest    <= plan.data ? (left < PAYLOAD ? left : PAYLOAD) : segment;
                headed  <= 1'b1;
            end
            PACKET: begin
                bytes  <= next_bytes;
                room   <= engine_pkg::LENGTH_WIDTH'(next_bytes);
                filled <= '0;
                ends   <= rest_fits;
                if (headed) begin
                    left  <= left - message;
                    chunk <= chunk - message;
                end
            end
            PENDING: if (opened) rest <= rest - bytes;
            OPEN: if (take) begin
                room   <= room - take_bytes;
                filled <= filled + take_bytes;
                if (room == take_bytes) begin
                    headed <= 1'b0;
                    if (plan.data) index <= index + 32'd1;
                    if (!plan.eager) vaddr <= move_pkg::sum(vaddr, 64'(bytes));
                end
            end
            default: ;
        endcase
        if (state == IDLE && !plan.data) index <= '0;
        if (state == IDLE && plan.eager) vaddr <= '0;
    end

    logic _unused;
    assign _unused = ^{move, plan, control};

endmodule

`default_nettype wire
