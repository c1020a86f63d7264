// Reads what a TCP stack has notified. Of each session only as much is read as
// it may have slots for: the notifications of others go ahead. Requests are on
// their way while data come. A notification is a packet, unless it is larger
// than a slot. One that comes alone is read at once; what is left of it waits like
// any other.
`default_nettype none

module rx_tcp (
    input  wire                                 clk,
    input  wire                                 rst,
    output logic                                busy,

    input  wire                                 notification_tvalid,
    output logic                                notification_tready,
    input  wire  [127:0]                        notification_tdata,
    output logic                                read_pkg_tvalid,
    input  wire                                 read_pkg_tready,
    output logic [31:0]                         read_pkg_tdata,

    // A slot of the session, or whether it has any.
    output logic                                need_valid,
    output logic                                need_take,
    output logic [15:0]                         need_session,
    input  wire                                 need_known,
    input  wire                                 need_ready,
    input  wire                                 need_none,    // there is nothing of it
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]   need_slot,

    output logic                                expect_valid,
    input  wire                                 expect_ready,
    output logic [engine_pkg::SLOT_WIDTH-1:0]   expect_slot,
    output logic [15:0]                         expect_session,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] expect_bytes,

    output logic                                session_closed_valid,
    output logic [15:0]                         session_closed
);

    localparam int unsigned PENDING = 64; // notifications that wait for slots
    localparam int unsigned ENTRY   = 6;
    localparam int unsigned TAG     = engine_pkg::SESSION_WIDTH;

    typedef enum logic [1:0] {
        PICK,
        LOOK,
        READ,
        KEEP  // the rest of what was read at once
    } state_t;

    localparam logic [15:0] WHOLE = 16'(engine_pkg::SLOT_BYTES);

    cclo_pkg::tcp_notification_t notification;
    cclo_pkg::tcp_read_request_t request;

    logic [PENDING-1:0] used, queued, front, same, blocked, granted, eligible, released;
    logic               query_room, query_none, free_valid, few, take, known, requested, request_ready, ended;
    logic [ENTRY-1:0]   free_entry, entered, pick, entry;
    logic               entering, open, at_once;
    logic               direct; // what is read has no entry

    state_t      state;
    logic [4:0]  patience; // until sessions without room are tried again
    logic [32:0] notes [PENDING]; // closed, length, session
    logic        closed;
    logic [15:0] session, left, part;

    assign notification        = notification_tdata;
    assign notification_tready = free_valid && (state == PICK || state == LOOK);
    assign take                = notification_tvalid && notification_tready
        && (notification.closed || notification.length != 0);
    assign eligible            = front & ~blocked;
    assign busy                = used != 0 || direct || state == KEEP || notification_tvalid;
    assign at_once             = take && state == PICK && used == '0;
    assign open                = take && !at_once || state == KEEP;

    packet_table #(.SLOTS(PENDING), .TAG(TAG), .LIMIT(PENDING)) table_ (
        .clk, .rst, .forget('0), .cut('0), .query(1'b0), .query_tag('0), .same, .query_room, .query_none,
        .free_valid, .few, .free_slot(free_entry),
        .open, .open_tag(state == KEEP ? session[TAG-1:0] : notification.session[TAG-1:0]),
        .commit(entering), .commit_slot(entered),
        .leave(ended && !direct), .leave_slot(entry), .release_(released), .used, .queued, .front
    );

    round_robin #(.N(PENDING)) turn (
        .clk, .rst, .request(eligible), .advance(state == PICK), .grant(granted), .index(pick)
    );

    assign part         = left > WHOLE ? WHOLE : left;
    assign need_session = state == PICK ? notification.session : session; // it is asked for as it is read
    assign need_valid   = (at_once || state == READ) && request_ready && expect_ready;
    assign need_take    = state == READ && !closed;
    assign known        = need_valid && need_known;
    assign requested    = known && need_ready;
    assign ended        = known && (closed ? need_none : requested && part == left);

    always_comb begin
        released = '0;
        if (ended && !direct) released[entry] = 1'b1;
        request         = '0;
        request.session = session;
        request.length  = part;
    end

    assign expect_valid   = requested;
    assign expect_slot    = need_slot;
    assign expect_session = session;
    assign expect_bytes   = part[engine_pkg::LENGTH_WIDTH-1:0];

    skid_buffer #(.WIDTH(32)) requests (
        .clk, .rst,
        .in_valid(requested), .in_ready(request_ready), .in_data(request),
        .out_valid(read_pkg_tvalid), .out_ready(read_pkg_tready), .out_data(read_pkg_tdata)
    );

    always_ff @(posedge clk) begin
        if (rst) begin
            state                <= PICK;
            blocked              <= '0;
            patience             <= '0;
            direct               <= 1'b0;
            entering             <= 1'b0;
            session_closed_valid <= 1'b0;
        end else begin
            direct               <= at_once || direct && !known;
            entering             <= open;
            session_closed_valid <= ended && closed;
            case (state)
                PICK:    if (at_once) state <= READ;
                         else if (eligible != 0) state <= LOOK;
                LOOK:    state <= READ;
                READ:    if (known && direct) state <= ended ? PICK : KEEP;
                         else if (known && (!requested || part == left)) state <= PICK;
                default: state <= PICK;
            endcase
            patience <= patience + 5'd1;
            if (patience == '1) blocked <= '0;
            if (known && !direct && !ended && !requested) blocked[entry] <= 1'b1;
        end
        entered <= free_entry;
        if (take) notes[free_entry] <= {notification.closed, notification.length, notification.session};
        else if (state == KEEP) notes[free_entry] <= {closed, left, session};
        else if (requested && !direct) notes[entry] <= {1'b0, left - part, session};
        if (state == PICK) entry <= pick;
        if (at_once) {closed, left, session} <= {notification.closed, notification.length, notification.session};
        else if (state == LOOK) {closed, left, session} <= notes[entry];
        else if (requested) left <= left - part;
        session_closed <= session;
    end

    wire unused = &{1'b0, granted, few, query_room, query_none, same, queued, notification};

endmodule

`default_nettype wire
