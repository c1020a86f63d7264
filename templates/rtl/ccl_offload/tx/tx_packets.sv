// Packets that are to be sent. A packet is opened, filled by the data path and
// completed, and goes when the network stack takes it; packets of a session
// keep their order. Those to the engine itself leave by the loop.
`default_nettype none

module tx_packets (
    input  wire                                 clk,
    input  wire                                 rst,
    input  wire                                 reset_network,
    input  wire                                 network_enable,
    output logic                                transmit_idle, // nothing is left but what the stack was promised
    output logic                                transmit_busy, // there is some packet

    // If there are many packets the session's are counted first: one is ready in the third
    // cycle if it has room. One that does not wait for that leaves a cycle to the next.
    input  wire                                 packet_open_valid,
    output logic                                packet_open_ready,
    input  wire engine_pkg::packet_t            packet_open,
    output logic [engine_pkg::SLOT_WIDTH-1:0]   packet_open_slot,

    // The rest of the message will not come, if one is under way.
    input  wire                                 packet_abandon_valid,
    output logic                                packet_abandon_ready,
    input  wire  [15:0]                         packet_abandon_session,
    input  wire                                 packet_abandon_self,

    input  wire                                 slot_write_valid,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]   slot_write_slot,
    input  wire  [engine_pkg::ROW_WIDTH-1:0]    slot_write_row,
    input  wire  [engine_pkg::DATA_WIDTH-1:0]   slot_write_data,
    input  wire  [engine_pkg::KEEP_WIDTH-1:0]   slot_write_strobe,

    input  wire                                 packet_commit_valid,
    output logic                                packet_commit_ready,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]   packet_commit_slot,
    input  wire                                 packet_commit_good,

    output engine_pkg::exchange_request_t       exchange_request,
    input  wire engine_pkg::exchange_response_t exchange_response,
    output logic                                number_valid,
    output logic [15:0]                         number_session,
    output logic [63:0]                         number_vaddr,
    output logic [7:0]                          number_host,
    input  wire                                 number_done,
    input  wire  [31:0]                         number_value,

    input  wire                                 session_closed_valid,
    input  wire  [15:0]                         session_closed,
    input  wire                                 own_valid, // the session leads to an engine of this make
    input  wire  [15:0]                         own_session,

    // Packets that the stack has refused for too long: their sessions stand still.
    input  wire  [engine_pkg::SLOTS-1:0]        stuck,
    output logic [engine_pkg::SLOTS-1:0]        used,

    // The back end: may a packet go? Good answers are sent in their order.
    output logic                                ask_valid,
    input  wire                                 ask_ready,
    output logic [engine_pkg::SLOT_WIDTH-1:0]   ask_slot,
    output logic [15:0]                         ask_session,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] ask_bytes,
    output logic                                ask_written,
    output logic [63:0]                         ask_vaddr,
    output logic [7:0]                          ask_host,
    input  wire                                 answer_valid,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]   answer_slot,
    input  wire                                 answer_good,

    output logic                                send_valid,
    input  wire                                 send_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0]   send_data,
    output logic [engine_pkg::KEEP_WIDTH-1:0]   send_keep,
    output logic                                send_last,
    output logic [15:0]                         send_session,
    output logic                                send_headed,   // its packet begins with a header

    input  wire                                 loop_room, // for a packet, when none is on its way
    output logic                                loop_valid,
    input  wire                                 loop_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0]   loop_data,
    output logic [engine_pkg::KEEP_WIDTH-1:0]   loop_keep,
    output logic                                loop_last
);

    localparam int unsigned SLOTS  = engine_pkg::SLOTS;
    localparam int unsigned SLOT   = engine_pkg::SLOT_WIDTH;
    localparam int unsigned TAG    = engine_pkg::SESSION_WIDTH + 1; // to itself, session
    localparam int unsigned PACKET = $bits(packet_open);
    localparam int unsigned SIDE   = 20;
    localparam int unsigned JOB    = SLOT + 1 + engine_pkg::LENGTH_WIDTH + SIDE;

    // Slots.
    logic [SLOTS-1:0] queued, front, asked, forget, cut, same, release_;
    logic [SLOTS-1:0] to_self, marks, doomed, ended, numbered;
    logic [TAG-1:0]   open_tag, query_tag;
    logic [1:0]       stood;  // the packet to be opened was asked about in the last cycles
    logic             looked; // the closed session was, in the last one
    logic             barred, some_stuck; // a packet of the session that was asked about is stuck; any is
    logic             query_room, query_none, free_valid, few, open, enter, leave;
    logic [SLOT-1:0]  free_slot, leave_slot, commit_slot;

    // What was said of the packets, and their numbers.
    logic [PACKET-1:0]   packets [SLOTS];
    logic                heads [SLOTS]; // they begin with their headers
    logic [31:0]         numbers [SLOTS];
    engine_pkg::packet_t committed, looked_at, read_from, opened;
    logic [SLOT-1:0]     look_slot;

    logic        take_free, number_take, mark, commit_idle, schedule_idle, go;
    logic [31:0] number_taken;
    logic        commit_release, schedule_release, send;

    // Sessions that were closed.
    logic                                 closed_valid, closed_ready, closed_room, clear_valid, clear_ready, closing;
    logic                                 entered; // a packet, a cycle ago: it is not in its order yet
    logic [engine_pkg::SESSION_WIDTH-1:0] closed;
    logic [3:0]                           closed_count;

    // Jobs of the reader.
    logic                                job_push, job_room, job_waits;
    logic                                job_valid, job_ready, job_row, job_fill, job_self;
    logic                                job_filler, job_headed, read_filler;
    logic [5:0]                          read_pad; // of a filler: bytes behind its header
    logic [JOB-1:0]                      job_new, job_next;
    logic [SLOT-1:0]                     job_slot, next_slot, read_slot;
    logic [engine_pkg::LENGTH_WIDTH-1:0] job_bytes, next_bytes;
    logic [15:0]                         job_session;
    logic                                next_row, read, read_last, read_fill;
    logic                                out_valid, out_ready, out_self, self_going;
    logic [SIDE-1:0]                     next_side, read_side, out_side;
    logic [engine_pkg::ROW_WIDTH-1:0]    read_row;
    logic [engine_pkg::DATA_WIDTH-1:0]   read_data, read_header;
    logic [5:0]                          job_count;
    engine_pkg::header_t                 header;

    assign go        = network_enable && !reset_network;
    assign closing   = closed_valid && looked && clear_ready && !take_free && !entered;
    // All to itself are one order.
    assign open_tag  = opened.self ? {1'b1, (TAG - 1)'(0)} : {1'b0, opened.session[TAG-2:0]};
    assign query_tag = closed_valid ? {1'b0, closed} : open_tag;

    assign packet_open_ready = go && free_valid && !closed_valid && !take_free
        && (few && !some_stuck || query_room && stood[1] && !barred);
    assign packet_open_slot  = free_slot;
    assign open              = packet_open_valid && packet_open_ready || take_free;

    packet_table #(.SLOTS(SLOTS), .TAG(TAG), .LIMIT(engine_pkg::SESSION_SLOTS)) table_ (
        .clk, .rst, .forget, .cut,
        .query(closed_valid || packet_open_valid), .query_tag, .same, .query_room, .query_none,
        .free_valid, .few, .free_slot, .open, .open_tag,
        .commit(enter), .commit_slot, .leave, .leave_slot, .release_, .used, .queued, .front
    );

    // On a reset everything goes but what the back end knows of, of a closed
    // session what is complete.
    logic [SLOTS-1:0] sending, known;
    always_comb begin
        known = asked | sending;
        forget = '0;
        if (reset_network) forget = used & ~known;
        else if (closing) forget = same & queued & ~known;
        cut      = reset_network ? '1 : closing ? same : '0; // what is known is the first of its session
        release_ = '0;
        if (commit_release) release_[commit_slot] = 1'b1;
        if (schedule_release) release_[leave_slot] = 1'b1;
        if (read && read_last && !read_fill) release_[read_slot] = 1'b1;
    end

    always_comb begin
        opened = packet_open;
        if (take_free) begin
            opened         = '0;
            opened.session = packet_abandon_session;
            opened.self    = packet_abandon_self;
        end
    end

    always_ff @(posedge clk) begin
        entered    <= enter;
        looked     <= closed_valid && !closing;
        barred     <= (same & stuck) != '0;
        some_stuck <= stuck != '0;
        if (rst) begin
            stood   <= '0;
            sending <= '0;
            doomed  <= '0;
        end else begin
            stood   <= packet_open_valid && !closed_valid && !open ? {stood[0], 1'b1} : '0;
            sending <= sending & ~release_;
            if (send) sending[leave_slot] <= 1'b1;
            doomed  <= doomed | used & (reset_network ? '1 : closing ? same & queued : '0);
            if (open) doomed[free_slot] <= 1'b0;
        end
        if (closing) ended <= ended | same & queued;
        if (open) ended[free_slot] <= 1'b0;
        if (open) begin
            packets[free_slot]  <= opened;
            heads[free_slot]    <= opened.headed;
            to_self[free_slot]  <= opened.self;
            marks[free_slot]    <= 1'b0;
            numbered[free_slot] <= 1'b0;
        end
        if (number_take) begin
            numbers[commit_slot]  <= number_taken;
            numbered[commit_slot] <= 1'b1;
        end
        if (enter) marks[commit_slot] <= mark;
    end

    assign committed      = packets[commit_slot];
    assign looked_at      = packets[look_slot];
    assign read_from      = packets[read_slot];
    assign number_session = committed.session;
    assign number_vaddr   = committed.header.vaddr;
    assign number_host    = committed.header.host;

    tx_commit commit (
        .clk, .rst,
        .packet_commit_valid, .packet_commit_ready, .packet_commit_slot, .packet_commit_good,
        .packet_abandon_valid, .packet_abandon_ready,
        .used, .free_valid, .free_slot, .take_free, .slot(commit_slot),
        .counted(committed.counted), .numbered(committed.numbered), .record(committed.record),
        .exchange_request, .exchange_response, .number_valid, .number_done, .number_value,
        .number_take, .number_taken, .enter, .mark, .give_back(commit_release), .idle(commit_idle)
    );

    tx_schedule #(.TAG(TAG)) schedule (
        .clk, .rst, .go, .loop_room(loop_room && !self_going), .idle(schedule_idle),
        .queued, .front(front & ~stuck), .to_self, .marks, .doomed, .closed(ended),
        .asked, .leave, .leave_slot, .give_back(schedule_release), .send,
        .packet_slot(look_slot), .packet(looked_at),
        .ask_valid, .ask_ready, .ask_slot, .ask_session, .ask_bytes, .ask_written, .ask_vaddr, .ask_host,
        .answer_valid, .answer_slot, .answer_good,
        .job_valid(job_push), .job_slot, .job_row, .job_bytes, .job_fill, .job_filler, .job_self, .job_session,
        .job_done(job_valid && job_ready),
        .own_valid, .own_session(own_session[engine_pkg::SESSION_WIDTH-1:0]),
        .clear_valid, .clear_ready, .clear_tag({1'b0, closed})
    );

    fifo #(.WIDTH(engine_pkg::SESSION_WIDTH), .DEPTH(8)) closed_sessions (
        .clk, .rst, .clear(1'b0),
        .in_valid(session_closed_valid), .in_ready(closed_room),
        .in_data(session_closed[engine_pkg::SESSION_WIDTH-1:0]),
        .out_valid(closed_valid), .out_ready(closed_ready), .out_data(closed), .count(closed_count)
    );
    assign closed_ready = closing;
    assign clear_valid  = closing;

    // What goes, at once if nothing else is to be read.
    assign job_headed = job_fill ? job_filler : !job_row && heads[job_slot];
    assign job_new    = {job_slot, job_row, job_bytes, job_filler, job_fill, job_headed, job_self, job_session};
    fifo #(.WIDTH(JOB), .DEPTH(SLOTS)) jobs (
        .clk, .rst, .clear(1'b0),
        .in_valid(job_push && (job_waits || !job_ready)), .in_ready(job_room), .in_data(job_new),
        .out_valid(job_waits), .out_ready(job_ready), .out_data(job_next), .count(job_count)
    );
    assign job_valid = job_waits || job_push;
    assign {next_slot, next_row, next_bytes, next_side} = job_waits ? job_next : job_new;

    slot_reader #(.SIDE(SIDE)) reader (
        .clk, .rst,
        .job_valid, .job_ready, .job_slot(next_slot), .job_row(engine_pkg::ROW_WIDTH'(next_row)),
        .job_bytes(next_bytes), .job_side(next_side),
        .read, .read_slot, .read_row, .read_side, .read_last, .absent(1'b0), .read_data,
        .out_valid, .out_ready, .out_data(send_data), .out_keep(send_keep), .out_last(send_last), .out_side
    );

    // The first row of a packet with a header is the header. What fills up a
    // message is no header of anything; a filler has its own one.
    always_comb begin
        header = read_from.header;
        if (numbered[read_slot]) header.seq = numbers[read_slot];
        if (read_fill) begin
            header        = '0;
            header.count  = 32'(read_pad);
            header.filler = 1'b1;
        end
        read_header = read_fill && !(read_filler && read_row == 0) ? '1 : engine_pkg::pack_header(header);
    end
    assign {read_filler, read_fill} = read_side[19:18];
    always_ff @(posedge clk) if (job_ready) read_pad <= next_bytes[5:0];

    slot_memory rows (
        .clk,
        .write(slot_write_valid), .write_slot(slot_write_slot), .write_row(slot_write_row),
        .write_data(slot_write_data), .write_strobe(slot_write_strobe),
        .read, .read_slot, .read_row,
        .replace(read_fill || read_row == 0 && read_side[17]),
        .replace_data(read_header), .read_data
    );

    assign out_self     = out_side[16];
    assign send_session = out_side[15:0];
    assign send_headed  = out_side[17];
    assign send_valid   = out_valid && !out_self;
    assign loop_valid   = out_valid && out_self;
    assign out_ready    = out_self ? loop_ready : send_ready;
    assign loop_data    = send_data;
    assign loop_keep    = send_keep;
    assign loop_last    = send_last;

    // One packet to the engine itself is on its way at a time.
    logic self_asked;
    assign self_asked = |(asked & to_self);
    always_ff @(posedge clk) begin
        if (rst) self_going <= 1'b0;
        else if (self_asked) self_going <= 1'b1;
        else if (loop_valid && loop_ready && loop_last) self_going <= 1'b0;
    end

    assign transmit_idle = commit_idle && schedule_idle && (used & ~(asked | sending)) == 0;
    assign transmit_busy = used != 0 || out_valid || !commit_idle;

    wire unused = &{
        1'b0, query_none, closed_room, closed_count, job_room, job_count,
        session_closed, own_session, read_side, out_side, committed, read_from
    };

endmodule

`default_nettype wire
