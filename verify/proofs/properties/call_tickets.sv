`default_nettype none

// Any one ticket is looked at.
module proof (
    input wire        clk,
    input wire        rst,
    input wire        take,
    input wire        client,
    input wire [31:0] ticket,
    input wire        answer,
    input wire [1:0]  code_bits,
    input wire        out_ready
);

    localparam DEPTH = 4;

    wire        idle, full, available, known, out_valid, out_client, started;
    wire [31:0] next, cycles, out_code;
    wire [31:0] code = {30'd0, code_bits};
    wire        drop = 1'b0; // the processor does not restart: a bench has that
    (* anyconst *) wire [31:0] which;

    call_tickets #(.DEPTH(DEPTH), .CLIENT_WIDTH(1)) dut (.*);

    begins beginning (.*);
    stays #(.WIDTH(3)) out (.clk, .rst, .valid(out_valid), .ready(out_ready), .data({out_client, out_code[1:0]}));

    // Calls of each client that are not answered, or whose answer has not gone;
    // the one with the ticket, and those of its client that came before it.
    reg         inside, open, whose;
    reg  [31:0] age;
    reg  [1:0]  answered;
    reg  [2:0]  ahead, calls_0, calls_1;
    wire        pops  = out_valid && out_ready;
    wire        gives = take && next == which;
    wire        mine  = out_client == whose;
    always @(posedge clk) begin
        calls_0 <= calls_0 + (take && !client) - (pops && !out_client);
        calls_1 <= calls_1 + (take && client) - (pops && out_client);
        age     <= age + 1'b1;
        if (inside && pops && mine) begin
            ahead  <= ahead - 1'b1;
            inside <= ahead != 0;
        end
        if (answer && ticket == which && open) {open, answered} <= {1'b0, code_bits};
        if (gives) begin
            {inside, open, whose, age} <= {3'b110, 32'd1};
            whose <= client;
            ahead <= (client ? calls_1 : calls_0) - (pops && out_client == client);
        end
        if (rst) {inside, open, calls_0, calls_1} <= 0;
    end

    // An answer that nothing of its client is in front of, while it may leave.
    reg  [2:0] passed;
    wire       at_output = out_valid && mine && ahead == 0;
    wire       may_leave = inside && !open && ahead == 0 && !at_output;
    always @(posedge clk)
        if (rst || !may_leave) passed <= 0;
        else if (!take && !answer && (!out_valid || out_ready)) passed <= passed + 1'b1;

    // The search for the next ticket.
    reg  [3:0]  searched;
    reg  [31:0] was_next;
    reg         was_offered;
    always @(posedge clk) begin
        searched    <= rst || available || full ? 0 : searched + 1'b1;
        was_next    <= next;
        was_offered <= available && !take && !rst;
    end

    wire [3:0] listed = calls_0 + calls_1 - out_valid; // whose answers are not at the output

    always @* begin
        if (take) assume (available);
        if (started && !rst) begin
            if (ticket == which) knows_open_tickets: assert (known == open);
            if (ticket == which && open) knows_the_age: assert (cycles == age);
            if (gives) given_once: assert (next != 0 && (!inside || at_output));
            if (pops) nothing_of_its_own: assert ((out_client ? calls_1 : calls_0) != 0);
            if (inside && pops && mine && ahead == 0)
                in_order_with_its_code: assert (!open && out_code == {30'd0, answered});
            idle_without_calls: assert (idle == (calls_0 == 0 && calls_1 == 0));
            full_without_places: assert (full == (listed == DEPTH));
            if (may_leave) leaves_soon: assert (passed < 4);
            if (!full) finds_a_ticket: assert (searched < 2 * DEPTH);
            if (was_offered) offer_stays: assert (available && next == was_next);
            fourth_of_its_client: cover (pops && inside && mine && ahead == 0 && which == 4 && out_code == 3 && whose);
            answered_out_of_order: cover (inside && !open && ahead == 1 && !out_valid);
            gets_full: cover (full);
            leaves_out_tickets: cover (take && next == 6);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire [31:0] \dut.clock ;
    (* hierconn *) wire [3:0]  \dut.used ;
    (* hierconn *) wire [3:0]  \dut.answered ;
    (* hierconn *) wire [3:0]  \dut.dropped ;
    (* hierconn *) wire [1:0]  \dut.has_calls ;
    (* hierconn *) wire [1:0]  \dut.ready ;
    (* hierconn *) wire        \dut.picked ;
    (* hierconn *) wire        \dut.pick ;
    (* hierconn *) wire [1:0]  \dut.turns.behind ;
    (* hierconn *) wire [1:0]  \dut.firsts[0] ;
    (* hierconn *) wire [1:0]  \dut.firsts[1] ;
    (* hierconn *) wire [1:0]  \dut.lasts[0] ;
    (* hierconn *) wire [1:0]  \dut.lasts[1] ;
    (* hierconn *) wire [1:0]  \dut.followers[0] ;
    (* hierconn *) wire [1:0]  \dut.followers[1] ;
    (* hierconn *) wire [1:0]  \dut.followers[2] ;
    (* hierconn *) wire [1:0]  \dut.followers[3] ;
    (* hierconn *) wire        \dut.owners[0] ;
    (* hierconn *) wire        \dut.owners[1] ;
    (* hierconn *) wire        \dut.owners[2] ;
    (* hierconn *) wire        \dut.owners[3] ;
    (* hierconn *) wire [29:0] \dut.uppers[0] ;
    (* hierconn *) wire [29:0] \dut.uppers[1] ;
    (* hierconn *) wire [29:0] \dut.uppers[2] ;
    (* hierconn *) wire [29:0] \dut.uppers[3] ;
    (* hierconn *) wire [31:0] \dut.stamps[0] ;
    (* hierconn *) wire [31:0] \dut.stamps[1] ;
    (* hierconn *) wire [31:0] \dut.stamps[2] ;
    (* hierconn *) wire [31:0] \dut.stamps[3] ;
    (* hierconn *) wire [31:0] \dut.codes[0] ;
    (* hierconn *) wire [31:0] \dut.codes[1] ;
    (* hierconn *) wire [31:0] \dut.codes[2] ;
    (* hierconn *) wire [31:0] \dut.codes[3] ;
    wire [7:0]   followers = {\dut.followers[3] , \dut.followers[2] , \dut.followers[1] , \dut.followers[0] };
    wire [3:0]   owners    = {\dut.owners[3] , \dut.owners[2] , \dut.owners[1] , \dut.owners[0] };
    wire [119:0] uppers    = {\dut.uppers[3] , \dut.uppers[2] , \dut.uppers[1] , \dut.uppers[0] };
    wire [127:0] stamps    = {\dut.stamps[3] , \dut.stamps[2] , \dut.stamps[1] , \dut.stamps[0] };
    wire [127:0] codes     = {\dut.codes[3] , \dut.codes[2] , \dut.codes[1] , \dut.codes[0] };

    // The lists: their places from the first call on.
    wire [15:0] lists;
    wire [5:0]  counts;
    wire [3:0]  firsts = {\dut.firsts[1] , \dut.firsts[0] };
    wire [3:0]  lasts  = {\dut.lasts[1] , \dut.lasts[0] };
    wire [7:0]  masks;
    genvar c;
    generate for (c = 0; c < 2; c = c + 1) begin : clients
        wire [1:0] list_0 = firsts[2*c +: 2];
        wire [1:0] list_1 = followers[2*list_0 +: 2];
        wire [1:0] list_2 = followers[2*list_1 +: 2];
        wire [1:0] list_3 = followers[2*list_2 +: 2];
        wire [7:0] list   = {list_3, list_2, list_1, list_0};
        wire [2:0] count  = (c == 0 ? calls_0 : calls_1) - (out_valid && out_client == c);
        wire [3:0] mask   = (count > 0 ? 4'd1 << list_0 : 4'd0) | (count > 1 ? 4'd1 << list_1 : 4'd0)
                          | (count > 2 ? 4'd1 << list_2 : 4'd0) | (count > 3 ? 4'd1 << list_3 : 4'd0);
        wire [1:0] end_   = count - 1'b1;
        assign lists[8*c +: 8]  = list;
        assign counts[3*c +: 3] = count;
        assign masks[4*c +: 4]  = mask;
        always @* if (started && !rst) begin
            assert (count <= DEPTH && 3'(mask[0]) + 3'(mask[1]) + 3'(mask[2]) + 3'(mask[3]) == count);
            assert ((mask & (c == 0 ? owners : ~owners)) == 0);
            assert (\dut.has_calls [c] == (count != 0));
            assert (\dut.ready [c] == (count != 0 && \dut.answered [list_0]));
            if (count != 0) assert (lasts[2*c +: 2] == list[2*end_ +: 2]);
        end
    end endgenerate

    wire [1:0] place    = which[1:0];
    wire       same     = \dut.used [place] && uppers[30*place +: 30] == which[31:2];
    wire [2:0] position = ahead - (out_valid && mine);
    wire       turn     = whose ? \dut.turns.behind [1] : \dut.turns.behind == 0; // that of its client

    // How far the next ticket is.
    reg [3:0] distance;
    integer   k;
    always @* begin
        distance = 8;
        for (k = 7; k >= 0; k = k - 1) if (!\dut.used [2'(next + k)] && 32'(next + k) != 0) distance = k;
    end

    always @* if (started && !rst) begin
        assert ((masks[7:4] | masks[3:0]) == \dut.used );
        assert ((\dut.dropped & \dut.used ) == 0);
        if (\dut.picked ) assert (\dut.ready [\dut.pick ] && \dut.turns.behind [1] == !\dut.pick );
        if (out_valid) assert ((out_client ? calls_1 : calls_0) != 0);
        if (open) assert (inside && !at_output);
        if (inside) assert (ahead < (whose ? calls_1 : calls_0));
        if (inside && at_output) assert (out_code == {30'd0, answered});
        assert (same == (inside && !at_output));
        if (same) begin
            assert (owners[place] == whose && lists[8*whose + 2*position[1:0] +: 2] == place
                && position < counts[3*whose +: 3]);
            assert (\dut.answered [place] == !open);
            assert (32'(\dut.clock - stamps[32*place +: 32]) == age);
            if (!open) assert (codes[32*place +: 32] == {30'd0, answered});
        end
        assert (!\dut.turns.behind [0]);
        if (may_leave) assert (passed + (\dut.picked ? (\dut.pick == whose ? 3'd1 : 3'd3) : turn ? 3'd2 : 3'd4) <= 4);
        if (!full && !available) assert (distance < 8 && searched + distance < 2 * DEPTH);
        else if (!full) assert (searched < 2 * DEPTH);
    end
`endif

endmodule

`default_nettype wire
