`default_nettype none

// Three slots and whoever fills them, the stack, and two sessions and the engine
// itself, to which packets go. What a message owes to its receiver is counted
// here by what is sent.
module proof (
    input wire       clk,
    input wire       rst,
    input wire       go,
    input wire       loop_room,
    input wire       reset,
    input wire       closing,
    input wire       closing_session,
    input wire       ask_ready,
    input wire       answer_valid,
    input wire [1:0] answer_slot,
    input wire       answer_good,
    input wire       job_done
);

    localparam SLOTS = 3;
    localparam KIND  = 55;  // bits of what is said of a packet
    localparam WHOLE = 4096; // bytes of a slot

    wire             idle, leave, give_back, send, ask_valid, ask_written;
    wire             job_valid, job_row, job_fill, job_self, clear_ready, started;
    wire [SLOTS-1:0] asked;
    wire [1:0]       leave_slot, packet_slot, ask_slot, job_slot;
    wire [15:0]      ask_session, job_session;
    wire [12:0]      ask_bytes, job_bytes;
    wire             job_filler, own_valid = 0, own_session = 0; // the bench has fillers
    wire [63:0]      ask_vaddr;
    wire [7:0]       ask_host;

    // The slots. A new packet is said to be in one for some cycles before it is
    // complete; what the stack knows of stays.
    (* anyseq *) wire [SLOTS-1:0]      enters, front;
    (* anyseq *) wire [SLOTS*KIND-1:0] new_packets;
    reg  [SLOTS-1:0]      queued, doomed, closed;
    reg  [SLOTS*KIND-1:0] packets;
    reg  [2*SLOTS-1:0]    rests;    // cycles since a slot was left
    wire [SLOTS-1:0]      known  = asked | (ask_valid && ask_ready ? 3'd1 << ask_slot : 3'd0);
    wire [SLOTS-1:0]      leaves = leave ? 3'd1 << leave_slot : 3'd0;
    wire [SLOTS-1:0]      to_self, marks, of_session, forget, one_front;
    wire [2*SLOTS-1:0]    tags;
    genvar i;
    generate for (i = 0; i < SLOTS; i = i + 1) begin : slots
        wire [KIND-1:0] packet_ = packets[KIND*i +: KIND];
        assign to_self[i]       = packet_[0];
        assign marks[i]         = packet_[1];
        assign tags[2*i +: 2]   = packet_[0] ? 2'd2 : {1'b0, packet_[2]};
        assign of_session[i]    = !packet_[0] && packet_[2] == closing_session;
        assign forget[i]        = queued[i] && !known[i] && (reset || closing && of_session[i]);
        always @(posedge clk) begin
            queued[i] <= !rst && (queued[i] || enters[i]) && !forget[i] && !leaves[i];
            rests[2*i +: 2] <= queued[i] ? 0 : rests[2*i +: 2] == 3 ? 3 : rests[2*i +: 2] + 1'b1;
            if (queued[i] && (reset || closing && of_session[i])) doomed[i] <= 1'b1;
            if (closing && queued[i] && of_session[i]) closed[i] <= 1'b1;
            if (!queued[i] && rests[2*i +: 2] == 0) begin
                packets[KIND*i +: KIND] <= new_packets[KIND*i +: KIND];
                {doomed[i], closed[i]}  <= 0;
            end
            if (rst) {rests[2*i +: 2], doomed[i], closed[i]} <= 4'b1100;
        end
        // Bits: to itself, mark, session, headed, written, eager, bytes, count.
        always @* begin
            if (packet_[1]) assume (!packet_[3] && packet_[18:6] == 0);
            assume (packet_[18:6] <= (packet_[3] ? WHOLE - 64 : WHOLE));
            if (queued[i] || rests[2*i +: 2] != 3 || reset) assume (!enters[i]);
        end
    end endgenerate
    reg [SLOTS-1:0] was_front;
    always @(posedge clk) was_front <= rst ? 0 : front & ~forget & ~leaves;

    // A reset takes two cycles at least.
    reg was_reset, began;
    always @(posedge clk) begin
        was_reset <= reset && !rst;
        began     <= reset && !was_reset && !rst;
    end

    // The stack.
    reg  [SLOTS-1:0] pending;
    reg  [1:0]       jobs;    // that are not with the reader
    always @(posedge clk) begin
        pending <= (pending | (ask_valid && ask_ready ? 3'd1 << ask_slot : 3'd0))
            & ~(answer_valid ? 3'd1 << answer_slot : 3'd0);
        jobs    <= jobs + job_valid - job_done;
        if (rst) {pending, jobs} <= 0;
    end

    integer k, l;
    always @* begin
        assume ((front & ~queued) == 0 && (was_front & ~front) == 0);
        for (k = 0; k < SLOTS; k = k + 1) for (l = 0; l < k; l = l + 1)
            if (front[k] && front[l]) assume (tags[2*k +: 2] != tags[2*l +: 2]);
        if (began) assume (reset);
        if (reset) assume (!go);
        if (closing) assume (clear_ready);
        if (answer_valid) assume (answer_slot != 3 && pending[answer_slot]);
        if (job_done) assume (job_valid || jobs != 0);
    end

    engine_pkg::packet_t packet;
    wire [KIND-1:0] shown = packets[KIND*packet_slot +: KIND];
    always @* begin
        packet              = 0;
        packet.self         = shown[0];
        packet.session      = {15'd0, shown[2]};
        packet.headed       = shown[3];
        packet.written      = shown[4];
        packet.bytes        = shown[18:6];
        packet.header.kind  = shown[5] ? engine_pkg::TYPE_EAGER : engine_pkg::TYPE_ANNOUNCEMENT;
        packet.header.count = shown[50:19];
        packet.header.vaddr = {60'd0, shown[54:51]};
    end

    tx_schedule #(.TAG(2)) dut (.*, .clear_valid(closing), .clear_tag({1'b0, closing_session}));

    begins beginning (.*);

    // What is sent: of each receiver, the bytes that its message owes.
    reg  [95:0]     owes;
    // the packet that something is done with
    wire [1:0]      which    = job_valid ? job_slot : ask_valid ? ask_slot : leave_slot;
    wire [KIND-1:0] p        = packets[KIND*which +: KIND];
    wire            headed   = p[3];
    wire            beat     = headed && !(p[4] && !p[0]); // its header is sent
    wire [12:0]     payload  = p[18:6];
    wire [31:0]     count    = p[50:19];
    wire [1:0]      tag      = tags[2*which +: 2];
    wire [31:0]     debt     = owes[32*tag +: 32];
    wire [31:0]     rest     = p[5] && count > payload ? count - payload : 0;
    wire            fills    = debt != 0 && (headed || p[1]);
    wire [12:0]     size     = payload + (beat ? 13'd64 : 13'd0);
    wire            lost     = closed[which]; // its session is another one meanwhile
    wire [31:0]     behind   = job_fill ? debt - job_bytes : headed ? rest : debt - payload;
    (* hierconn *) wire [31:0] \dut.plan_next ;
    always @(posedge clk) begin
        if (job_valid && !lost) owes[32*tag +: 32] <= behind;
        if (closing) owes[32*closing_session +: 32] <= 0;
        if (rst) owes <= 0;
    end

    wire self_asked = (asked & to_self) != 0;
    always @* if (started && !rst) begin
        if (ask_valid) asks_for_the_first: assert (ask_slot != 3 && front[ask_slot] && !asked[ask_slot] && !p[0]);
        if (clear_ready) no_session_ends_meanwhile: assert (!ask_valid || !ask_ready);
        if (ask_valid && !job_valid)
            asks_with_its_length: assert (ask_session == {15'd0, p[2]} && ask_vaddr == {60'd0, p[54:51]}
            && ask_bytes == (!fills ? size : debt > WHOLE ? WHOLE : debt));
        knows_who_was_asked: assert (pending == (asked & ~to_self) && (asked & ~queued) == 0);
        what_is_granted_goes: assert (job_valid == (answer_valid ? answer_good : self_asked));
        if (job_valid)
            goes_once: assert (job_slot != 3 && asked[job_slot] && (!answer_valid || job_slot == answer_slot));
        if (job_valid) to_its_receiver: assert (job_self == p[0] && job_session == {15'd0, p[2]});
        if (job_valid && !job_fill)
            header_and_payload: assert (job_bytes == size && job_row == (headed && !beat) && size != 0);
        if (job_valid && !job_fill && !lost) messages_are_whole: assert (headed ? debt == 0 : debt >= payload);
        if (job_valid && job_fill && !lost)
            fills_what_is_owed: assert (job_bytes != 0 && job_bytes <= WHOLE && job_bytes <= debt);
        sent_when_it_goes:
            assert (send == (job_valid && !job_fill)
                && (!job_valid || !leave || leave_slot == job_slot) && (!send || leave));
        given_back_or_sent: assert (give_back == (leave && !send));
        if (leave && !send && !doomed[leave_slot])
            drops_what_cannot_be_sent: assert (front[leave_slot] && !asked[leave_slot] && !fills
            && (p[1] || size == 0 || !headed && debt < payload));
        if (job_valid && !lost) knows_what_is_owed: assert (\dut.plan_next == behind);
        room_for_all: assert (jobs + asked[0] + asked[1] + asked[2] < SLOTS);
        message_of_two: cover (job_valid && !job_fill && !lost && !headed && debt == payload && debt == 3 && go);
        fills_some: cover (job_valid && job_fill && headed && debt == 5);
        two_asked: cover (pending == 3'b110);
        closed_meanwhile: cover (job_valid && lost && !job_fill);
        drops_some: cover (leave && !send && !doomed[leave_slot] && !p[1]);
        refuses: cover (answer_valid && !answer_good && !leave);
    end

`ifndef INVARIANTS
    // Planted defects show with up to 7 bytes, where packets come when they can be
    // looked at, nothing waits and nothing is reset a second time: among these runs
    // they are found much sooner.
    reg [2:0] age = 0;
    always @(posedge clk) if (age != 7) age <= age + 1'b1;
    always @* begin
        if (age < 4) assume (enters == 0);
        assume (rst == !started && !reset && go && ask_ready && loop_room && job_done == (jobs != 0));
        for (k = 0; k < SLOTS; k = k + 1)
            assume (packets[KIND*k + 9 +: 10] == 0 && packets[KIND*k + 22 +: 29] == 0
                && packets[KIND*k + 51 +: 4] == 0);
    end
`endif

`ifdef INVARIANTS
    localparam PLAN = 7 + 2 + 32 + 13 + 3 + 16;
    (* hierconn *) wire [1:0]      \dut.state ;
    (* hierconn *) wire [1:0]      \dut.slot ;
    (* hierconn *) wire [2:0]      \dut.around ;
    (* hierconn *) wire [31:0]     \dut.debt ;
    (* hierconn *) wire [31:0]     \dut.after ;
    (* hierconn *) wire [12:0]     \dut.asked_bytes ;
    (* hierconn *) wire            \dut.asked_row ;
    (* hierconn *) wire            \dut.asked_fill ;
    (* hierconn *) wire            \dut.self_valid ;
    (* hierconn *) wire [1:0]      \dut.self_slot ;
    (* hierconn *) wire            \dut.swept ;
    (* hierconn *) wire [1:0]      \dut.sweep ;
    (* hierconn *) wire [31:0]     \dut.owed[0] ;
    (* hierconn *) wire [31:0]     \dut.owed[1] ;
    (* hierconn *) wire [31:0]     \dut.owed[2] ;
    (* hierconn *) wire [PLAN-1:0] \dut.plans[0] ;
    (* hierconn *) wire [PLAN-1:0] \dut.plans[1] ;
    (* hierconn *) wire [PLAN-1:0] \dut.plans[2] ;
    wire [3*PLAN-1:0] plans = {\dut.plans[2] , \dut.plans[1] , \dut.plans[0] };
    wire [95:0]       owed  = {\dut.owed[2] , \dut.owed[1] , \dut.owed[0] };

    // Of each slot, what is to be done with its packet.
    localparam TODO = 32 + 13 + 2;
    wire [SLOTS*TODO-1:0] todos;
    wire [SLOTS-1:0]      drops;
    wire [SLOTS*32-1:0]   debts;
    wire [SLOTS-1:0]      chosen = (\dut.state == 0) ? 3'd0 : 3'd1 << \dut.slot ;
    generate for (i = 0; i < SLOTS; i = i + 1) begin : todo
        wire [KIND-1:0] q     = packets[KIND*i +: KIND];
        wire            part  = q[3] && !(q[4] && !q[0]);
        wire [31:0]     here  = owes[32*tags[2*i +: 2] +: 32];
        wire            fill  = here != 0 && (q[3] || q[1]);
        wire [12:0]     bytes = !fill ? q[18:6] + (part ? 13'd64 : 13'd0) : here > WHOLE ? WHOLE : here;
        wire [31:0]     after = fill ? here - bytes : !q[3] ? here - q[18:6]
            : q[5] && q[50:19] > q[18:6] ? q[50:19] - q[18:6] : 0;
        wire [PLAN-1:0] plan  = plans[PLAN*i +: PLAN];
        assign debts[32*i +: 32]     = here;
        assign todos[TODO*i +: TODO] = {after, bytes, q[3] && !part, fill};
        assign drops[i] = !fill && (q[1] || q[18:6] == 0 && !part || !q[3] && here < q[18:6]);
        always @* if (started && !rst) begin
            if (asked[i])
                assert (queued[i] && front[i] && !chosen[i]
                    && plan[16:0] == {q[0], 15'd0, q[2]} && plan[65:64] == tags[2*i +: 2]);
            if (asked[i] && !closed[i]) assert (plan[63:17] == todos[TODO*i +: TODO] && !drops[i]);
            if (asked[i] && !plan[17])
                assert (plan[31:19] == q[18:6] + (part ? 13'd64 : 13'd0)
                    && plan[18] == (q[3] && !part) && plan[31:19] != 0);
            if (asked[i]) assert (plan[31:19] <= WHOLE);
            if (queued[i] && !asked[i]) assert ((!doomed[i] || began) && !closed[i]);
            if (queued[i]) assert (rests[2*i +: 2] == 0 || rests[2*i +: 2] == 3);
            else if (rests[2*i +: 2] != 0) assert (!doomed[i] && !closed[i]);
            if (was_reset && queued[i]) assert (doomed[i]);
            if (closed[i]) assert (doomed[i] && !q[0]);
        end
    end endgenerate

    wire [1:0] since = rests[2*\dut.slot +: 2];
    wire       still = queued[\dut.slot ];
    always @* if (started && !rst) begin
        assert (\dut.around == jobs + asked[0] + asked[1] + asked[2] && jobs < SLOTS);
        assert ((asked & to_self) == (\dut.self_valid ? 3'd1 << \dut.self_slot : 3'd0));
        if (\dut.self_valid ) assert (\dut.self_slot != 3);
        if (\dut.swept ) assert (owed == owes);
        else begin
            assert (owes == 0 && \dut.state == 0 && asked == 0 && jobs == 0);
            for (k = 0; k < 3; k = k + 1) if (k < \dut.sweep ) assert (owed[32*k +: 32] == 0);
        end
        if (\dut.state != 0) begin
            assert (\dut.slot != 3 && \dut.around < SLOTS - 1);
            if (still) assert (front[\dut.slot ]);
            else assert (since < (\dut.state == 2 ? 2 : 1));
        end
        if (\dut.state == 2 && still) assert (\dut.debt == debts[32*\dut.slot +: 32]);
        if (\dut.state == 3 && still)
            assert ({\dut.after , \dut.asked_bytes , \dut.asked_row , \dut.asked_fill } == todos[TODO*\dut.slot +: TODO]
                && !drops[\dut.slot ]);
    end
`endif

endmodule

`default_nettype wire
