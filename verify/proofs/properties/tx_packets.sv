`default_nettype none

// How packets become beats.
module proof (
    input wire         clk,
    input wire         rst,
    input wire         reset_network,
    input wire         network_enable,
    input wire         open_valid,
    input wire [15:0]  open_session,
    input wire         open_self,
    input wire         open_headed,
    input wire [385:0] open_header,
    input wire         closed_valid,
    input wire         send_ready,
    input wire         loop_ready
);

    wire         open_ready, open_slot, send_valid, send_last, send_headed, loop_valid, loop_last, ask_valid, started;
    wire [511:0] send_data, loop_data;
    wire [7:0]   send_keep, loop_keep;
    wire [15:0]  send_session;
    (* anyseq *) wire ask_ready;
    wire [1:0]   stuck = 0; // tx_refusals and the bench of network_transmit have that

    engine_pkg::packet_t open;
    always @* begin
        open         = 0;
        open.session = open_session;
        open.self    = open_self;
        open.headed  = open_headed;
        open.header  = open_header;
    end

    tx_packets dut (
        .clk, .rst, .reset_network, .network_enable, .transmit_idle(), .transmit_busy(),
        .packet_open_valid(open_valid), .packet_open_ready(open_ready), .packet_open(open),
        .packet_open_slot(open_slot),
        .packet_abandon_valid(1'b0), .packet_abandon_ready(),
        .packet_abandon_session(open_session), .packet_abandon_self(open_self),
        .slot_write_valid(1'b0), .slot_write_slot(1'b0), .slot_write_row(3'd0),
        .slot_write_data(512'd0), .slot_write_strobe(8'd0),
        .packet_commit_valid(1'b0), .packet_commit_ready(), .packet_commit_slot(1'b0), .packet_commit_good(1'b0),
        .exchange_request(), .exchange_response(34'd0), .number_valid(),
        .number_session(), .number_vaddr(), .number_host(),
        .number_done(1'b0), .number_value(32'd0), .session_closed_valid(closed_valid), .session_closed(16'd0),
        .own_valid(1'b0), .own_session(16'd0),
        .stuck, .used(),
        .ask_valid, .ask_ready, .ask_slot(), .ask_session(), .ask_bytes(), .ask_written(), .ask_vaddr(), .ask_host(),
        .answer_valid(1'b0), .answer_slot(1'b0), .answer_good(1'b0),
        .send_valid, .send_ready, .send_data, .send_keep, .send_last, .send_session, .send_headed,
        .loop_room(1'b1), .loop_valid, .loop_ready, .loop_data, .loop_keep, .loop_last
    );

    // What the parts that stand in say.
    (* hierconn *) wire        \dut.table_.open ;
    (* hierconn *) wire [1:0]  \dut.table_.used ;
    (* hierconn *) wire        \dut.table_.free_slot ;
    (* hierconn *) wire [1:0]  \dut.table_.release_ ;
    (* hierconn *) wire        \dut.commit.take_free ;
    (* hierconn *) wire        \dut.commit.slot ;
    (* hierconn *) wire        \dut.commit.number_take ;
    (* hierconn *) wire [31:0] \dut.commit.number_taken ;
    (* hierconn *) wire        \dut.commit.give_back ;
    (* hierconn *) wire [1:0]  \dut.schedule.asked ;
    (* hierconn *) wire        \dut.schedule.leave_slot ;
    (* hierconn *) wire        \dut.schedule.give_back ;
    (* hierconn *) wire        \dut.schedule.ask_slot ;
    (* hierconn *) wire        \dut.schedule.job_valid ;
    (* hierconn *) wire        \dut.schedule.job_slot ;
    (* hierconn *) wire        \dut.schedule.job_row ;
    (* hierconn *) wire [6:0]  \dut.schedule.job_bytes ;
    (* hierconn *) wire        \dut.schedule.job_fill ;
    (* hierconn *) wire        \dut.schedule.job_filler ;
    (* hierconn *) wire        \dut.schedule.job_self ;
    (* hierconn *) wire [15:0] \dut.schedule.job_session ;
    (* hierconn *) wire        \dut.rows.read ;
    (* hierconn *) wire [8:0]  \dut.rows.which ;
    wire       opens  = \dut.table_.open ;
    wire       slot   = \dut.table_.free_slot ;
    wire       push   = \dut.schedule.job_valid ;
    wire       read   = \dut.rows.read ;

    // What was said of the packets in the slots, with the numbers that they got.
    reg  [1:0]   headed, going;   // going: it is being sent
    reg  [771:0] headers;
    wire         opens_mark = \dut.commit.take_free ;
    always @(posedge clk) begin
        if (\dut.commit.number_take ) headers[386 * \dut.commit.slot + 258 +: 32] <= \dut.commit.number_taken ;
        if (opens) begin
            headed[slot] <= open_headed && !opens_mark;
            headers[386 * slot +: 386] <= opens_mark ? 386'd0 : open_header;
        end
    end

    // A bit of a header as it is sent.
    function in_header(input [385:0] header, input [8:0] which);
        reg [511:0] all;
        begin
            all = 0;
            all[cclo_pkg::MESSAGE_HEADER_COUNT_LOW +: 32]        = header[385:354];
            all[cclo_pkg::MESSAGE_HEADER_TAG_LOW +: 32]          = header[353:322];
            all[cclo_pkg::MESSAGE_HEADER_SRC_LOW +: 32]          = header[321:290];
            all[cclo_pkg::MESSAGE_HEADER_SEQ_LOW +: 32]          = header[289:258];
            all[cclo_pkg::MESSAGE_HEADER_STRM_LOW +: 32]         = header[257:226];
            all[cclo_pkg::MESSAGE_HEADER_DST_LOW +: 16]          = header[225:210];
            all[cclo_pkg::MESSAGE_HEADER_MSG_TYPE_LOW +: 8]      = header[209:202];
            all[cclo_pkg::MESSAGE_HEADER_HOST_LOW +: 8]          = header[201:194];
            all[cclo_pkg::MESSAGE_HEADER_VADDR_LOW +: 64]        = header[193:130];
            all[cclo_pkg::MESSAGE_HEADER_COMM_CONTEXT_LOW +: 32] = header[129:98];
            all[cclo_pkg::MESSAGE_HEADER_COLLECTIVE_NUMBER_LOW +: 32] = header[97:66];
            all[cclo_pkg::MESSAGE_HEADER_COLLECTIVE_COUNT_LOW +: 32]  = header[65:34];
            all[cclo_pkg::MESSAGE_HEADER_COLLECTIVE_SHAPE_LOW +: 32]  = header[33:2];
            all[cclo_pkg::MESSAGE_HEADER_NOTICE_LOW]                  = header[1];
            all[cclo_pkg::MESSAGE_HEADER_FILLER_LOW]                  = header[0];
            in_header = all[which];
        end
    endfunction
    wire [1:0] bits = {in_header(headers[771:386], \dut.rows.which ), in_header(headers[385:0], \dut.rows.which )};

    // Jobs of which rows are still to be read, the oldest first, and the row that
    // is read of that one.
    localparam JOB = 30;
    wire [JOB-1:0] job_new = {
        headed[\dut.schedule.job_slot ], bits[\dut.schedule.job_slot ], \dut.schedule.job_slot , \dut.schedule.job_row ,
        \dut.schedule.job_bytes , \dut.schedule.job_filler , \dut.schedule.job_fill , \dut.schedule.job_self ,
        \dut.schedule.job_session
    };
    reg  [JOB-1:0] job_0, job_1, job_2;
    reg  [1:0]     jobs;
    reg  [2:0]     rows;  // of the oldest that were read
    wire           has_header, bit_, at, first, filler, fill, self;
    wire [6:0]     bytes;
    wire [15:0]    session;
    assign {has_header, bit_, at, first, bytes, filler, fill, self, session} = job_0;
    // Whether what goes begins with a header.
    function with_header(input [JOB-1:0] job);
        with_header = job[17] ? job[18] : !job[26] && job[29];
    endfunction
    wire           begins_with_header = with_header(job_0);
    wire [6:0]     left     = bytes - {rows, 3'd0};
    wire [2:0]     row      = first + rows;
    wire           ends     = left <= 8;
    wire           finishes = read && ends;
    wire [7:0]     keep     = ends ? ~(8'hFF << left) : 8'hFF;
    wire           is_header = has_header && !first && rows == 0;
    wire           padding = in_header({26'd0, bytes[5:0], 353'd0, 1'b1}, \dut.rows.which ); // bit of a filler's header
    wire [4:0]     content  = fill ? filler && row == 0 ? {4'b1000, padding} : 5'b11001
        : is_header ? {4'b1000, bit_} : {1'b0, at, row};
    wire [1:0]     behind   = jobs - finishes;
    always @(posedge clk) begin
        jobs <= jobs + push - finishes;
        if (read) rows <= ends ? 0 : rows + 1'b1;
        if (finishes) {job_0, job_1} <= {job_1, job_2};
        if (push) case (behind)
            2'd0: job_0 <= job_new;
            2'd1: job_1 <= job_new;
            default: job_2 <= job_new;
        endcase
        going <= (going | (push && !\dut.schedule.job_fill ? 2'd1 << \dut.schedule.job_slot : 2'd0))
               & ~(finishes && !fill ? 2'd1 << at : 2'd0);
        if (rst) {jobs, rows, going} <= 0;
    end

    // What is known of the parts that stand in: a packet that is being sent is
    // neither asked for nor given back nor numbered, what is asked for has a slot,
    // and nothing is opened while a reset waits for a number.
    wire [1:0] busy = going | \dut.schedule.asked ;
    always @* begin
        assume (jobs <= 2 || !push);
        assume ((\dut.schedule.asked & (going | ~\dut.table_.used )) == 0);
        if (\dut.schedule.job_valid && \dut.schedule.job_row ) assume (headed[\dut.schedule.job_slot ]);
        if (\dut.commit.number_take )
            assume (!busy[\dut.commit.slot ] && (\dut.table_.used [\dut.commit.slot ] || !opens));
        if (\dut.commit.give_back ) assume (!busy[\dut.commit.slot ]);
        if (\dut.schedule.give_back ) assume (!going[\dut.schedule.leave_slot ]);
        if (ask_valid) assume (!going[\dut.schedule.ask_slot ]);
    end

    begins beginning (.*);
    wire [29:0] out   = {loop_data[4:0], loop_keep, loop_last, send_session};
    wire        valid = send_valid || loop_valid;
    wire        ready = loop_valid ? loop_ready : send_ready;
    wire        pop   = valid && ready;
    stays #(.WIDTH(32)) beats_stay (.clk, .rst, .valid, .ready, .data({send_headed, loop_valid, out}));
    wire [3:0]  inside, ahead;
    wire        watched;
    wire [31:0] data;
    in_order #(.WIDTH(32), .CAPACITY(8), .COUNT(4)) beats (
        .clk, .rst, .push(read), .in_data({begins_with_header, self, content, keep, ends, session}), .pop,
        .out_data({send_headed, loop_valid, out}),
        .inside, .watched, .ahead, .data
    );

    wire [1:0] given_back = (\dut.commit.give_back ? 2'd1 << \dut.commit.slot : 2'd0)
                          | (\dut.schedule.give_back ? 2'd1 << \dut.schedule.leave_slot : 2'd0);
    always @* if (started && !rst) begin
        if (read) only_for_a_job: assert (jobs != 0);
        if (jobs != 0 && inside < 8) no_gaps: assert (read);
        one_way: assert (!send_valid || !loop_valid);
        same_data: assert (send_data == loop_data && send_keep == loop_keep && send_last == loop_last);
        free_when_it_was_read:
            assert ((\dut.table_.release_ & ~given_back) == ((finishes && !fill ? 2'd1 << at : 2'd0) & ~given_back));
        header_and_payload:
            cover (pop && watched && ahead == 0 && data[29:28] == 2'b00
                && send_last && data[24:17] == 8'h07 && data[27:25] == 2);
        numbered:
            cover (pop && watched && ahead == 0 && data[29:28] == 2'b10 && data[25]
                && send_valid && \dut.rows.which == cclo_pkg::MESSAGE_HEADER_SEQ_LOW + 5);
        behind_one_another: cover (finishes && jobs == 3);
        takes_both_ways: cover (pop && loop_valid && send_last && inside > 1 && jobs != 0 && !self);
    end

`ifdef INVARIANTS
    (* hierconn *) wire [1:0]   \dut.sending ;
    (* hierconn *) wire [1:0]   \dut.numbered ;
    (* hierconn *) wire [445:0] \dut.packets[0] ;
    (* hierconn *) wire [445:0] \dut.packets[1] ;
    (* hierconn *) wire         \dut.heads[0] ;
    (* hierconn *) wire         \dut.heads[1] ;
    (* hierconn *) wire [31:0]  \dut.numbers[0] ;
    (* hierconn *) wire [31:0]  \dut.numbers[1] ;
    (* hierconn *) wire [1:0]   \dut.jobs.count ;
    (* hierconn *) wire         \dut.jobs.head ;
    (* hierconn *) wire         \dut.jobs.tail ;
    (* hierconn *) wire [28:0]  \dut.jobs.memory[0] ;
    (* hierconn *) wire [28:0]  \dut.jobs.memory[1] ;
    (* hierconn *) wire         \dut.reader.active ;
    (* hierconn *) wire [3:0]   \dut.reader.credits ;
    (* hierconn *) wire         \dut.reader.coming ;
    (* hierconn *) wire [3:0]   \dut.reader.left ;
    (* hierconn *) wire [2:0]   \dut.reader.end_ ;
    (* hierconn *) wire         \dut.reader.read_slot ;
    (* hierconn *) wire [2:0]   \dut.reader.read_row ;
    (* hierconn *) wire [19:0]  \dut.reader.read_side ;
    (* hierconn *) wire [5:0]   \dut.read_pad ;
    (* hierconn *) wire [23:0]  \dut.reader.around ;
    (* hierconn *) wire [4:0]   \dut.rows.row ;
    (* hierconn *) wire [3:0]   \dut.reader.beats.count ;
    (* hierconn *) wire [2:0]   \dut.reader.beats.head ;
    (* hierconn *) wire [2:0]   \dut.reader.beats.tail ;
    (* hierconn *) wire [535:0] \dut.reader.beats.memory[0] ;
    (* hierconn *) wire [535:0] \dut.reader.beats.memory[1] ;
    (* hierconn *) wire [535:0] \dut.reader.beats.memory[2] ;
    (* hierconn *) wire [535:0] \dut.reader.beats.memory[3] ;
    (* hierconn *) wire [535:0] \dut.reader.beats.memory[4] ;
    (* hierconn *) wire [535:0] \dut.reader.beats.memory[5] ;
    (* hierconn *) wire [535:0] \dut.reader.beats.memory[6] ;
    (* hierconn *) wire [535:0] \dut.reader.beats.memory[7] ;

    // A job as the block keeps it.
    wire [28:0] kept_1 = {job_1[27:17], with_header(job_1), job_1[16:0]};
    wire [28:0] kept_2 = {job_2[27:17], with_header(job_2), job_2[16:0]};
    wire [28:0] next_0 = \dut.jobs.head ? \dut.jobs.memory[1] : \dut.jobs.memory[0] ;
    wire [28:0] next_1 = \dut.jobs.head ? \dut.jobs.memory[0] : \dut.jobs.memory[1] ;

    // The bit of the header that a packet in a slot would be sent with.
    wire [891:0] packets = {\dut.packets[1] , \dut.packets[0] };
    wire [63:0]  numbers = {\dut.numbers[1] , \dut.numbers[0] };
    wire [1:0]   heads   = {packets[446 + 428], packets[428]};
    genvar s;
    generate for (s = 0; s < 2; s = s + 1) begin : slots
        wire [385:0] is  = packets[446*s +: 386];
        wire [385:0] was = headers[386*s +: 386];
        always @* if (started && !rst && \dut.table_.used [s]) begin
            assert (heads[s] == headed[s] && (s == 0 ? \dut.heads[0] : \dut.heads[1] ) == headed[s]);
            assert ({is[385:290], is[257:0]} == {was[385:290], was[257:0]});
            assert ((\dut.numbered [s] ? numbers[32*s +: 32] : is[289:258]) == was[289:258]);
        end
    end endgenerate
    // The watched beat: content, then last, end, fill, header row, self and session.
    wire [3:0]  queued = ahead - valid; // behind the one at the output
    wire [2:0]  place  = \dut.reader.beats.head + queued[2:0];
    reg  [28:0] there;
    always @* begin
        case (place)
            3'd0: there = \dut.reader.beats.memory[0] [28:0];
            3'd1: there = \dut.reader.beats.memory[1] [28:0];
            3'd2: there = \dut.reader.beats.memory[2] [28:0];
            3'd3: there = \dut.reader.beats.memory[3] [28:0];
            3'd4: there = \dut.reader.beats.memory[4] [28:0];
            3'd5: there = \dut.reader.beats.memory[5] [28:0];
            3'd6: there = \dut.reader.beats.memory[6] [28:0];
            default: there = \dut.reader.beats.memory[7] [28:0];
        endcase
        if (queued >= \dut.reader.beats.count ) there = {\dut.rows.row , \dut.reader.around };
    end
    wire [2:0] end_   = there[22:20];
    wire       active = \dut.reader.active ;
    always @* if (started && !rst) begin
        assert (jobs == active + \dut.jobs.count && \dut.jobs.count <= 2 && (active || jobs == 0));
        assert (\dut.jobs.tail == \dut.jobs.head ^ \dut.jobs.count [0]);
        if (jobs == 0) assert (rows == 0);
        if (jobs != 0) begin
            assert (bytes != 0 && bytes <= 64 && left != 0 && left <= 64 && {rows, 3'd0} < bytes);
            assert (left == {\dut.reader.left , \dut.reader.end_ } + 7'd1 && \dut.reader.read_row == row);
            assert (\dut.reader.read_slot == at
                && \dut.reader.read_side == {filler, fill, begins_with_header, self, session});
            if (filler) assert (\dut.read_pad == bytes[5:0]);
            if (!fill) assert (headed[at] == has_header && bits[at] == bit_);
        end
        if (jobs > 1) assert (next_0 == kept_1 && job_1[25:19] != 0 && job_1[25:19] <= 64);
        if (jobs > 1 && !job_1[17]) assert (headed[job_1[27]] == job_1[29] && bits[job_1[27]] == job_1[28]);
        if (jobs > 2) assert (next_1 == kept_2 && job_2[25:19] != 0 && job_2[25:19] <= 64);
        if (jobs > 2 && !job_2[17]) assert (headed[job_2[27]] == job_2[29] && bits[job_2[27]] == job_2[28]);
        assert (going == ((jobs > 0 && !fill ? 2'd1 << at : 2'd0) | (jobs > 1 && !job_1[17] ? 2'd1 << job_1[27] : 2'd0)
                        | (jobs > 2 && !job_2[17] ? 2'd1 << job_2[27] : 2'd0)));
        if (jobs > 1 && !fill && !job_1[17]) assert (at != job_1[27]);
        if (jobs > 2 && !fill && !job_2[17]) assert (at != job_2[27]);
        if (jobs > 2 && !job_1[17] && !job_2[17]) assert (job_1[27] != job_2[27]);
        assert (\dut.sending == going && (going & ~\dut.table_.used ) == 0);
        assert (\dut.reader.beats.count <= 8
            && \dut.reader.beats.tail == 3'(\dut.reader.beats.head + \dut.reader.beats.count ));
        assert (valid || \dut.reader.beats.count == 0);
        assert (inside == valid + \dut.reader.beats.count + \dut.reader.coming );
        assert (\dut.reader.credits == 8 - inside);
        if (watched && valid && ahead == 0) assert ({send_headed, loop_valid, out} == data);
        else if (watched)
            assert ({there[17], there[16], there[28:24], ~(8'hFE << end_), there[23], there[15:0]} == data);
    end
`endif

endmodule

`default_nettype wire
