`default_nettype none

module proof (
    input wire        clk,
    input wire        rst,
    input wire        commit_valid,
    input wire [4:0]  commit_slot,
    input wire        commit_good,
    input wire        abandon_valid,
    input wire [31:0] used,
    input wire        free_valid,
    input wire [4:0]  free_slot,
    input wire [1:0]  kinds,      // of the packet in the slot: counted, numbered
    input wire [15:0] record,
    input wire        exchange_done,
    input wire        number_done,
    input wire [3:0]  value
);

    engine_pkg::exchange_request_t  exchange_request;
    engine_pkg::exchange_response_t exchange_response;

    wire        commit_ready, abandon_ready, take_free, number_valid;
    wire        number_take, enter, mark, give_back, idle, started;
    wire [4:0]  slot;
    wire [31:0] number_taken;

    always @* begin
        exchange_response       = 0;
        exchange_response.done  = exchange_done;
        exchange_response.rdata = {28'd1, value};
    end

    tx_commit dut (
        .clk, .rst,
        .packet_commit_valid(commit_valid), .packet_commit_ready(commit_ready),
        .packet_commit_slot(commit_slot), .packet_commit_good(commit_good),
        .packet_abandon_valid(abandon_valid), .packet_abandon_ready(abandon_ready),
        .used, .free_valid, .free_slot, .take_free, .slot,
        .counted(kinds[0]), .numbered(kinds[1]), .record({16'd0, record}),
        .exchange_request, .exchange_response, .number_valid, .number_done, .number_value({28'd2, value}),
        .number_take, .number_taken, .enter, .mark, .give_back, .idle
    );

    begins beginning (.*);
    stays_outside #(.WIDTH(6)) commit_in (
        .clk, .rst, .valid(commit_valid), .ready(commit_ready), .data({commit_good, commit_slot})
    );
    stays #(.WIDTH(66)) asks (
        .clk, .rst, .valid(exchange_request.valid), .ready(exchange_done),
        .data({exchange_request.address, exchange_request.wdata, exchange_request.operation})
    );
    stays numbers (.clk, .rst, .valid(number_valid), .ready(number_done), .data(1'b0));

    // The packet at work.
    reg       busy, good, marks;
    reg [4:0] at;
    reg [1:0] kind;
    reg       fresh;                          // its first cycle
    wire      commits  = commit_valid && commit_ready;
    wire      abandons = abandon_valid && abandon_ready;
    wire      lives    = used[at];
    wire      needs    = !marks && (kind[0] || kind[1]);
    always @(posedge clk) begin
        fresh <= commits || abandons;
        if (commits || abandons) begin
            busy  <= 1'b1;
            at    <= abandons ? free_slot : commit_slot;
            good  <= commit_good;
            marks <= abandons;
        end else if (enter || give_back || number_take || busy && fresh && (!lives || !good) && !marks) busy <= 1'b0;
        else if (busy && !fresh && !needs) busy <= 1'b0;
        else if (busy && marks) busy <= 1'b0;
        if (rst) {busy, fresh} <= 0;
    end

    // What is known of a packet stays while it is at work; so does its record.
    reg [17:0] was;
    always @(posedge clk) was <= {kinds, record};
    always @* begin
        if (busy && !fresh) assume (was == {kinds, record});
        if (exchange_done) assume (exchange_request.valid);
        if (number_done) assume (number_valid);
        kind = kinds;
        if (started && !rst) begin
            one_at_a_time: assert (!(commits && abandons) && (!busy || !commits && !abandons));
            idle_means_idle: assert (idle == !busy);
            takes_a_free_slot: assert (take_free == abandons && (!abandons || free_valid));
            if (busy) names_it: assert (slot == at);
            if (enter) enters_once: assert (busy && lives && mark == marks && (marks || good));
            if (enter) with_its_number: assert (number_take == needs);
            if (number_take && lives) enters_with_it: assert (enter);
            if (give_back) gives_back_what_failed: assert (busy && fresh && lives && !good && !marks);
            if (busy && fresh && lives && !good && !marks) gives_it_back: assert (give_back);
            if (busy && fresh && lives && marks) marks_at_once: assert (enter);
            if (busy && fresh && lives && good && !marks && !needs) nothing_else: assert (!number_take);
            if (number_take) once: assert (busy && needs);
            if (number_take) from_the_right_one: assert (number_taken == (kind[0] ? {28'd1, value} : {28'd2, value}));
            if (exchange_request.valid)
                counts_in_its_record: assert (busy && kind[0] && exchange_request.operation == engine_pkg::EXCHANGE_ADD
                && exchange_request.wdata == 1
                && exchange_request.address == {16'd0, record} + 4 * cclo_pkg::COMMUNICATORS_OUTBOUND_SEQ_WORD);
            enters_counted: cover (enter && number_take && kind[0]);
            enters_mark: cover (enter && marks);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire [2:0] \dut.state ;
    (* hierconn *) wire       \dut.good ;
    always @* if (started && !rst) begin
        assert (\dut.state <= 4 && (\dut.state == 0) == !busy);
        if (busy) assert (slot == at && \dut.good == good && mark == marks);
        if (\dut.state == 1) assert (fresh && !marks);
        if (\dut.state == 2) assert (!fresh && !marks && good && kind[0]);
        if (\dut.state == 3) assert (!fresh && !marks && good && kind[1] && !kind[0]);
        if (\dut.state == 4) assert (marks ? fresh : !fresh && good && !needs);
    end
`endif

endmodule

`default_nettype wire
