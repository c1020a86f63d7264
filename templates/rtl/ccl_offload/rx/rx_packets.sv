// Packets that have come, from the network stack or from the engine itself,
// until the inbound side has taken them.
`default_nettype none

module rx_packets (
    input  wire                                 clk,
    input  wire                                 rst,
    input  wire                                 reset_network,
    input  wire                                 network_enable,
    output logic                                receive_idle,  // nothing is left, or what comes does not end
    output logic                                receive_busy,  // there is some packet
    output logic [engine_pkg::SLOTS-1:0]        used,
    input  wire                                 source_busy,   // the front end has something coming

    // The front end asks for slots and fills them. A request stands until it is known
    // whether there is room, or what its session has.
    input  wire                                 need_valid,
    input  wire                                 need_take,  // a slot, if there is room
    input  wire  [15:0]                         need_session,
    output logic                                need_known, // with ready and none
    output logic                                need_ready, // the slot is taken
    output logic                                need_none,  // the session had none
    output logic [engine_pkg::SLOT_WIDTH-1:0]   need_slot,
    input  wire                                 row_valid,
    output logic                                row_ready,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]   row_slot,
    input  wire  [engine_pkg::ROW_WIDTH-1:0]    row_number,
    input  wire  [engine_pkg::DATA_WIDTH-1:0]   row_data,
    input  wire  [engine_pkg::KEEP_WIDTH-1:0]   row_keep,
    input  wire                                 row_last,
    input  wire                                 row_good,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] row_bytes,
    input  wire  [15:0]                         row_session,

    output logic                                loop_room,
    input  wire                                 loop_valid,
    output logic                                loop_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0]   loop_data,
    input  wire  [engine_pkg::KEEP_WIDTH-1:0]   loop_keep,
    input  wire                                 loop_last,

    output logic                                rx_valid,
    output logic [15:0]                         rx_session,
    output logic                                rx_loop,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] rx_bytes,
    output logic [engine_pkg::DATA_WIDTH-1:0]   rx_beat,
    input  wire                                 rx_verdict_valid,
    input  wire  [1:0]                          rx_verdict,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] rx_take_bytes,
    input  wire  [5:0]                          rx_before,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] rx_rest,
    input  wire                                 rx_retry,

    output logic                                rx_data_valid,
    input  wire                                 rx_data_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0]   rx_data,
    output logic [engine_pkg::KEEP_WIDTH-1:0]   rx_data_keep,
    output logic                                rx_data_last
);

    localparam int unsigned SLOTS  = engine_pkg::SLOTS;
    localparam int unsigned SLOT   = engine_pkg::SLOT_WIDTH;
    localparam int unsigned ROW    = engine_pkg::ROW_WIDTH;
    localparam int unsigned DATA   = engine_pkg::DATA_WIDTH;
    localparam int unsigned KEEP   = engine_pkg::KEEP_WIDTH;
    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned TAG    = engine_pkg::SESSION_WIDTH + 1; // loop, session
    localparam int unsigned JOB    = SLOT + 2 * LENGTH + 2;

    // Where sessions can wait, one that is held does not take all slots.
    localparam bit LIMITED = !engine_pkg::STACK_UDP && !engine_pkg::STACK_RDMA;

    // Where the front end knows what comes, a packet is complete for the inbound side with
    // its first row: it is read while it comes.
    localparam bit TOLD = !engine_pkg::STACK_UDP;

    // A slot is filled, then it waits for its verdict, then it may be read.
    logic [SLOTS-1:0] queued, front, same, forget, release_;
    logic [SLOTS-1:0] filling, told; // told: what comes is known
    // over: free when they are filled; taken: the verdict counts, they are streamed to the end
    logic [SLOTS-1:0] over, taken;
    logic [1:0]       stood;    // the request did in the last cycles
    logic             answered;
    logic             query_room, query_none, free_valid, few, open, leave, drop, go, drain;
    logic [SLOT-1:0]  free_slot, leave_slot;

    // Packets to the engine itself.
    logic              loop_need, loop_turn, loop_grant, loop_busy, loop_oversize;
    logic [TAG-1:0]    query_tag;
    logic [3:0]        patience;
    logic              own_valid, own_ready, own_last, own_good;
    logic [SLOT-1:0]   own_slot;
    logic [ROW-1:0]    own_number;
    logic [DATA-1:0]   own_data;
    logic [KEEP-1:0]   own_keep;
    logic [LENGTH-1:0] own_bytes;
    logic [15:0]       own_session;

    // The row that is written.
    logic              own, own_before, write, write_last, write_good, write_own, write_told, commit, spoil;
    logic [SLOT-1:0]   write_slot;
    logic [ROW-1:0]    write_number;
    logic [DATA-1:0]   write_data;
    logic [LENGTH-1:0] write_bytes;
    logic [15:0]       write_session;

    // What is read.
    logic              job_push, job_room, job_final, job_look, job_waits, job_valid, job_ready, read, read_last;
    logic [JOB-1:0]    job, job_oldest, next;
    logic [SLOT-1:0]   job_slot, next_slot, read_slot;
    logic [ROW-1:0]    read_row;
    logic [LENGTH-1:0] job_from, job_bytes, next_from, next_bytes;
    logic              next_final, next_look;
    logic              read_final, growing, absent; // growing: the slot that is read is being filled
    logic [ROW-1:0]    come;                        // last row that has come of it
    // the last of its slot, for a look, bytes of the first row that are left out
    logic [7:0]        read_side, out_side;
    logic [DATA-1:0]   read_data;
    logic              out_valid, out_ready, out_last, data_valid, data_ready, look_ready;
    logic [DATA-1:0]   out_data;
    logic [KEEP-1:0]   out_keep;
    logic [5:0]        job_count;

    logic              something;
    logic [7:0]        quiet;
    logic [15:0]       since;

    assign drain = network_enable || reset_network; // packets are taken in
    assign go    = network_enable && !reset_network;

    // A slot for the loop when nobody else asks, or when it has waited for long.
    assign loop_grant = loop_turn && free_valid && (few || query_room && stood[1]);
    assign need_known = !loop_turn && (stood[1] || need_ready);
    assign need_ready = !loop_turn && need_take && free_valid && drain && (few || (query_room || !LIMITED) && stood[1]);
    assign answered   = loop_turn ? loop_grant || stood[1] : need_valid && need_known;
    assign need_none  = query_none;
    assign need_slot  = free_slot;
    assign open       = loop_grant || need_valid && need_ready;
    assign query_tag  = loop_turn ? {1'b1, (TAG - 1)'(0)} : {1'b0, need_session[TAG-2:0]};

    packet_table #(.SLOTS(SLOTS), .TAG(TAG), .LIMIT(engine_pkg::SESSION_SLOTS)) table_ (
        .clk, .rst, .forget, .cut(reset_network ? '1 : '0),
        .query(loop_turn || need_valid), .query_tag, .same, .query_room, .query_none,
        .free_valid, .few, .free_slot, .open, .open_tag(query_tag),
        .commit, .commit_slot(write_slot), .leave, .leave_slot, .release_, .used, .queued, .front
    );

    always_ff @(posedge clk) begin
        if (rst) begin
            stood     <= '0;
            patience  <= '0;
            loop_turn <= 1'b0;
        end else begin
            stood <= (loop_turn || need_valid) && !answered ? {stood[0], 1'b1} : '0;
            if (answered || !loop_turn && !need_valid)
                loop_turn <= loop_need && !loop_grant && (!need_valid || patience == '1);
            if (!loop_need || loop_turn) patience <= '0;
            else if (patience != '1) patience <= patience + 4'd1;
        end
    end

    assign read_final = read && read_last && read_side[7];

    always_comb begin
        forget   = ~filling & (over | (reset_network ? used & ~taken : '0));
        release_ = '0;
        if (spoil) release_[write_slot] = 1'b1;
        if (drop && !filling[leave_slot]) release_[leave_slot] = 1'b1;
        if (read_final && !filling[read_slot]) release_[read_slot] = 1'b1;
    end

    rx_stream #(.LOOP(1'b1)) loop (
        .clk, .rst, .reset_network, .busy(loop_busy), .room(loop_room), .oversize(loop_oversize),
        .in_valid(loop_valid), .in_ready(loop_ready), .in_data(loop_data),
        .in_keep(loop_keep), .in_last(loop_last), .in_session('0),
        .need_valid(loop_need), .need_ready(loop_grant), .need_slot(free_slot),
        .row_valid(own_valid), .row_ready(own_ready), .row_slot(own_slot), .row_number(own_number), .row_data(own_data),
        .row_keep(own_keep), .row_last(own_last), .row_good(own_good), .row_bytes(own_bytes), .row_session(own_session)
    );

    // Rows of both sides take turns. What is not kept of a beat is 0.
    assign own       = own_valid && !(row_valid && own_before);
    assign own_ready = own;
    assign row_ready = !own;

    always_ff @(posedge clk) begin
        write <= (own || row_valid) && !rst;
        if (own || row_valid) begin
            own_before    <= own;
            write_own     <= own;
            write_slot    <= own ? own_slot : row_slot;
            write_number  <= own ? own_number : row_number;
            write_last    <= own ? own_last : row_last;
            write_good    <= own ? own_good : row_good;
            write_bytes   <= own ? own_bytes : row_bytes;
            write_session <= own ? own_session : row_session;
            for (int unsigned i = 0; i < KEEP; i++)
                write_data[8*i +: 8] <= (own ? own_data[8*i +: 8] : row_data[8*i +: 8])
                    & {8{own ? own_keep[i] : row_keep[i]}};
        end
    end

    assign write_told = TOLD && !write_own;
    assign commit     = write && !reset_network
        && (write_told ? write_number == 0 && !over[write_slot] : write_last && write_good);
    assign spoil      = write && write_last && !write_told && !commit;

    always_ff @(posedge clk) begin
        if (rst) begin
            filling <= '0;
            taken   <= '0;
            over    <= '0;
        end else begin
            taken <= taken & ~release_;
            if (read && read_last) taken[read_slot] <= 1'b0;
            if (job_push && !job_look) taken[job_slot] <= 1'b1;
            over <= over & filling | (reset_network ? filling & told & ~taken : '0);
            if (drop && filling[leave_slot]) over[leave_slot] <= 1'b1;
            if (read_final && filling[read_slot]) over[read_slot] <= 1'b1;
            if (write && write_last) filling[write_slot] <= 1'b0;
            if (open) filling[free_slot] <= 1'b1;
        end
        if (open) told[free_slot] <= TOLD && !loop_grant;
    end

    // Only what the network writes now can be growing. A stack that never gives the rest
    // does not hold up a reset.
    assign absent = growing && read_row > come && !since[15];

    always_ff @(posedge clk) begin
        if (write && write_told) come <= write_number;
        if (job_ready) growing <= TOLD && filling[next_slot];
        if (write && write_last && (job_ready ? next_slot : read_slot) == write_slot) growing <= 1'b0;
    end

    rx_offer offer (
        .clk, .rst, .go, .reset_network, .front(front & ~over), .leave, .leave_slot, .give_back(drop),
        .first_valid(write && write_number == 0), .first_slot(write_slot), .first_data(write_data),
        .about_valid(commit), .about_slot(write_slot), .about_session(write_session), .about_loop(write_own),
        .about_bytes(write_bytes),
        .rx_valid, .rx_session, .rx_loop, .rx_bytes, .rx_beat,
        .rx_verdict_valid, .rx_verdict, .rx_take_bytes, .rx_before,
        .rx_rest, .rx_retry, .job_valid(job_push), .job_slot, .job_from, .job_bytes, .job_final, .job_look, .job_room,
        .look_valid(data_valid && out_side[6]), .look_ready, .look_data(rx_data)
    );

    // What was let in is read at once if nothing else is.
    fifo #(.WIDTH(JOB), .DEPTH(SLOTS)) jobs (
        .clk, .rst, .clear(1'b0),
        .in_valid(job_push && (job_waits || !job_ready)), .in_ready(job_room), .in_data(job),
        .out_valid(job_waits), .out_ready(job_ready), .out_data(job_oldest), .count(job_count)
    );
    assign job       = {job_slot, job_from, job_bytes, job_final, job_look};
    assign job_valid = job_waits || job_push;
    assign next      = job_waits ? job_oldest : job;
    assign {next_slot, next_from, next_bytes, next_final, next_look} = next;

    slot_reader #(.SIDE(8)) reader (
        .clk, .rst,
        .job_valid, .job_ready, .job_slot(next_slot), .job_row(next_from[6 +: ROW]),
        .job_bytes(LENGTH'(next_from[5:0]) + next_bytes),
        .job_side({next_final, next_look, next_from[5:0]}),
        .read, .read_slot, .read_row, .read_side, .read_last, .absent, .read_data,
        .out_valid, .out_ready, .out_data, .out_keep, .out_last, .out_side
    );

    generate
        if (engine_pkg::STREAMS) begin : anywhere
            rx_shift shift (
                .clk, .rst,
                .in_valid(out_valid), .in_ready(out_ready), .in_data(out_data),
                .in_keep(out_keep), .in_last(out_last), .in_shift(out_side[5:0]),
                .out_valid(data_valid), .out_ready(data_ready), .out_data(rx_data),
                .out_keep(rx_data_keep), .out_last(rx_data_last)
            );
        end else begin : whole
            assign data_valid   = out_valid;
            assign out_ready    = data_ready;
            assign rx_data      = out_data;
            assign rx_data_keep = out_keep;
            assign rx_data_last = out_last;
        end
    endgenerate
    assign rx_data_valid = data_valid && !out_side[6];
    assign data_ready    = out_side[6] ? look_ready : rx_data_ready;

    slot_memory rows (
        .clk, .write, .write_slot, .write_row(write_number), .write_data, .write_strobe('1),
        .read, .read_slot, .read_row, .replace(1'b0), .replace_data('0), .read_data
    );

    // A reset drops what can still come, but not for ever.
    assign something    = source_busy || loop_busy || write || (used & ~filling) != 0;
    assign receive_busy = something || rx_data_valid;
    assign receive_idle = reset_network && (quiet == '1 || since[15]);

    always_ff @(posedge clk) begin
        quiet <= reset_network && !something ? quiet == '1 ? quiet : quiet + 8'd1 : '0;
        since <= reset_network ? since[15] ? since : since + 16'd1 : '0;
        if (rst) quiet <= '0;
    end

    wire unused = &{1'b0, same, queued, job_count, read_side, out_side, next_from, loop_oversize, need_session};

endmodule

`default_nettype wire
