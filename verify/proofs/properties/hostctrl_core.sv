`default_nettype none

// Any one word of calls is looked at, and any one answer.
module proof (
    input wire       clk,
    input wire       rst,
    input wire       bus_valid,
    input wire       bus_write,
    input wire [8:0] bus_address,
    input wire [3:0] bus_strobe,
    input wire [1:0] bits,
    input wire       call_ready,
    input wire       answer_valid,
    input wire [1:0] code
);

    localparam WORDS    = cclo_pkg::CALL_WORDS;
    localparam CAPACITY = cclo_pkg::HOSTCTRL_ANSWERS_COUNT;
    localparam ANSWERS  = cclo_pkg::HOSTCTRL_ANSWERS_OFFSET / 4;
    localparam FIRST    = cclo_pkg::HOSTCTRL_SCENARIO_OFFSET / 4;
    localparam LAST     = cclo_pkg::HOSTCTRL_ADDR_2_HIGH_OFFSET / 4;

    wire        bus_ready, call_valid, answer_ready, started;
    wire [31:0] bus_rdata, call_data;
    wire [31:0] bus_wdata   = {24'd0, bits[1], 6'd0, bits[0]}; // the bits of the control register that are written
    wire [31:0] answer_data = {30'd0, code};

    (* anyconst *) wire [1:0]  which;
    (* anyconst *) wire [31:0] watched;

    hostctrl_core #(.ADDRESS_WIDTH(9)) dut (.*);

    begins beginning (.*);
    stays #(.WIDTH(32)) out (.clk, .rst, .valid(call_valid), .ready(call_ready), .data(call_data));

    wire [6:0] register_ = bus_address[8:2];
    wire       writes    = bus_valid && bus_write;
    wire       starts    = writes && bus_strobe[0] && register_ == 0 && bits[0];
    wire       posts     = writes && bus_strobe != 0 && register_ == cclo_pkg::HOSTCTRL_POST_OFFSET / 4;

    // What waits, what is sent, and what was counted.
    reg         start, again, post, of_post, waiting;
    reg  [1:0]  word;
    reg  [31:0] posted, answered;
    wire [31:0] open   = posted - answered;
    wire        idle   = !call_valid && !waiting && !post && open == 0;
    wire        takes  = call_valid && call_ready;
    wire        ends   = takes && word == WORDS - 1;
    wire        counts = answer_valid && open != 0;
    reg         was_valid, may_post, may_start;
    always @(posedge clk) begin
        was_valid <= call_valid && !rst;
        may_post  <= post && !call_valid && !waiting && !rst;
        may_start <= start && idle && !rst;
        if (takes) word <= ends ? 0 : word + 1'b1;
        if (!call_valid) of_post <= post; // a call that begins is posted, if there is such a one
        if (ends && !of_post) start <= again;
        if (starts) start <= 1'b1;
        if (writes && bus_strobe[0] && register_ == 0) again <= bits[1];
        if (posts && open != CAPACITY) post <= 1'b1;
        if (ends && of_post) {post, posted} <= {1'b0, posted + 1'b1};
        if (answer_valid) waiting <= 1'b0;
        if (ends && !of_post) waiting <= 1'b1;
        if (counts) answered <= answered + 1'b1;
        if (rst) {start, again, post, waiting, word, posted, answered} <= 0;
    end

    // The word, and the answer until so many others have come.
    reg  [1:0] written, kept;
    reg        stands;
    reg  [1:0] later;
    wire [6:0] place = which == 0 ? cclo_pkg::HOSTCTRL_SCENARIO_OFFSET / 4
        : which == 1 ? cclo_pkg::HOSTCTRL_COUNT_OFFSET / 4 : cclo_pkg::HOSTCTRL_COMM_OFFSET / 4;
    always @(posedge clk) begin
        if (writes && bus_strobe[0] && register_ == place) written <= bits;
        if (counts) later <= later + 1'b1;
        if (counts && later == CAPACITY - 1) stands <= 1'b0;
        if (counts && answered == watched) {stands, kept, later} <= {1'b1, code, 2'd0};
        if (rst) {written, stands} <= 0;
    end

    always @* begin
        assume (which < WORDS);
        if (start || post) assume (!writes || register_ < FIRST || register_ > LAST); // the words of a call stay
        if (started && !rst) begin
            nothing_waits: assert (bus_ready && answer_ready);
            if (call_valid && !was_valid) nothing_of_its_own: assert (may_post || may_start);
            if (may_post || may_start) begins_soon: assert (call_valid);
            if (waiting || call_valid && !of_post) start_is_alone: assert (open == 0);
            no_more_than_fit: assert (open <= CAPACITY - post);
            if (takes && word == which) words_are_sent: assert (call_data == {24'd0, written[1], 6'd0, written[0]});
            if (register_ == 0) says_start: assert (bus_rdata[0] == start && bus_rdata[2] == (idle && !start));
            if (register_ == cclo_pkg::HOSTCTRL_POSTED_OFFSET / 4) says_posted: assert (bus_rdata == posted);
            if (register_ == cclo_pkg::HOSTCTRL_ANSWERED_OFFSET / 4) says_answered: assert (bus_rdata == answered);
            if (register_ == cclo_pkg::HOSTCTRL_CAPACITY_OFFSET / 4) says_capacity: assert (bus_rdata == CAPACITY);
            if (register_ == cclo_pkg::HOSTCTRL_POST_OFFSET / 4) says_nothing: assert (bus_rdata == 0);
            if (stands && register_ == ANSWERS + watched % CAPACITY) answer_stands: assert (bus_rdata == {30'd0, kept});
            place_again: cover (stands && watched == 2 && kept == 2);
            post_behind_a_start: cover (post && waiting);
            start_behind_a_post: cover (start && open == 1 && !call_valid && !post);
            overlap: cover (call_valid && of_post && word == 2 && open == 1);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire        \dut.post ;
    (* hierconn *) wire        \dut.posting ;
    (* hierconn *) wire        \dut.waiting ;
    (* hierconn *) wire [3:0]  \dut.sent ;
    (* hierconn *) wire [31:0] \dut.posted ;
    (* hierconn *) wire [31:0] \dut.answered ;
    (* hierconn *) wire        \dut.start ;
    (* hierconn *) wire        \dut.registers.auto_restart ;
    (* hierconn *) wire [95:0] \dut.words ;
    (* hierconn *) wire [31:0] \dut.answers[0] ;
    (* hierconn *) wire [31:0] \dut.answers[1] ;
    wire [31:0] answer = watched[0] ? \dut.answers[1] : \dut.answers[0] ;
    always @* if (started && !rst) begin
        assert (\dut.post == post && \dut.waiting == waiting && \dut.sent == word
            && \dut.posted == posted && \dut.answered == answered);
        assert (\dut.start == start && \dut.registers.auto_restart == again);
        assert (\dut.posting == (call_valid && of_post) && word < WORDS);
        if (call_valid) assert (of_post ? post : start);
        else assert (word == 0);
        if (waiting) assert (!call_valid);
        assert (\dut.words [32*which +: 32] == {24'd0, written[1], 6'd0, written[0]});
        if (stands) assert (answer == {30'd0, kept} && answered - watched - 1 == later && later < CAPACITY);
    end
`endif

endmodule

`default_nettype wire
