// A ring of what happens in the engine, with the cycles in which it does, for the host
// (records trace, trace_entry and trace_events): it reads each word through the word
// detail of the inspection. The ring keeps what it has while the control processor is
// halted, and while one of these words is chosen.
`default_nettype none

module trace (
    input  wire                                       clk,
    input  wire                                       rst,

    // A pulse chooses a word; it is shown until another one is chosen, 0 if it is none of these.
    input  wire                                       detail_choose,
    input  wire  [15:0]                               detail_number,
    output logic                                      detail_valid,
    output logic [31:0]                               detail_value,

    input  wire  [31:0]                               cycles,
    input  wire                                       halted,
    input  wire  [cclo_pkg::TRACE_EVENTS_WORDS-1:0]    happens,  // pulses, by event
    input  wire  [32*cclo_pkg::TRACE_EVENTS_WORDS-1:0] arguments // of these
);

    localparam int unsigned EVENTS = cclo_pkg::TRACE_EVENTS_WORDS;
    localparam int unsigned DEPTH  = cclo_pkg::PLATFORM_TRACE_DEPTH;
    localparam int unsigned INDEX  = $clog2(DEPTH);
    localparam int unsigned NUMBER = cclo_pkg::TRACE_EVENT_NUMBER_WIDTH;
    localparam int unsigned ENTRY  = 64 + NUMBER + 1; // cycles, argument, number, after a loss

    (* ram_style = "block" *) logic [ENTRY-1:0] memory [DEPTH];

    // The inputs come from everywhere in the engine. Of each kind one event waits for its turn.
    logic                 chosen, halting, halts, keeps, gap;
    logic [EVENTS-1:0]    comes, waiting, turn, full;
    logic [32*EVENTS-1:0] about, held;
    logic [NUMBER-1:0]    number;
    logic [31:0]          argument, written, lost;
    logic [5:0]           losses;

    assign keeps = chosen || halts;
    assign full  = waiting & ~turn;

    round_robin #(.N(EVENTS)) turns (
        .clk, .rst, .request(waiting), .advance(1'b1), .grant(turn), .index(number)
    );

    genvar i;
    generate for (i = 0; i < EVENTS; i++) begin : kinds
        always_ff @(posedge clk)
            if (!full[i]) held[32*i +: 32] <= about[32*i +: 32];
    end endgenerate

    always_comb begin
        argument = '0;
        losses   = '0;
        for (int unsigned e = 0; e < EVENTS; e++) begin
            argument = argument | (held[32*e +: 32] & {32{turn[e]}});
            losses   = losses + 6'(comes[e] && (keeps || full[e]));
        end
    end

    // Towards the ring.
    logic              write;
    logic [ENTRY-1:0]  entry;
    logic [5:0]        more_lost;

    always_ff @(posedge clk) begin
        comes     <= happens;
        about     <= arguments;
        halting   <= halted;
        halts     <= halting; // after the event that says so
        waiting   <= full | (keeps ? '0 : comes);
        write     <= waiting != '0;
        entry     <= {gap, number, argument, cycles};
        more_lost <= losses;
        lost      <= lost + 32'(more_lost);
        if (waiting != '0) gap <= 1'b0;
        if (more_lost != '0) gap <= 1'b1;
        if (write) begin
            memory[written[INDEX-1:0]] <= entry;
            written                    <= written + 32'd1;
        end
        if (rst) begin
            comes     <= '0;
            waiting   <= '0;
            write     <= 1'b0;
            more_lost <= '0;
            gap       <= 1'b0;
            written   <= '0;
            lost      <= '0;
        end
    end

    // The word that was chosen, once the ring has what came before.
    localparam logic [15:0] STATE = 16'(cclo_pkg::DETAIL_TRACE);
    localparam logic [15:0] FIRST = 16'(cclo_pkg::DETAIL_TRACE_EVENTS);

    logic [15:0]      at, entry_word;
    logic             settled;
    logic [2:0]       reading;
    logic [ENTRY-1:0] read;
    logic [31:0]      word;

    assign entry_word   = at - FIRST;
    assign detail_valid = reading == '0;

    always_comb begin
        word = '0;
        if (at >= FIRST)
            case (entry_word[1:0])
                2'(cclo_pkg::TRACE_ENTRY_CYCLES_WORD):   word = read[31:0];
                2'(cclo_pkg::TRACE_ENTRY_ARGUMENT_WORD): word = read[63:32];
                2'(cclo_pkg::TRACE_ENTRY_KIND_WORD): begin
                    word[cclo_pkg::TRACE_EVENT_NUMBER_LOW +: NUMBER] = read[64 +: NUMBER];
                    word[cclo_pkg::TRACE_EVENT_AFTER_LOSS_LOW]       = read[64 + NUMBER];
                end
                default: ;
            endcase
        else
            case (at)
                STATE + 16'(cclo_pkg::TRACE_CAPACITY_WORD): word = DEPTH;
                STATE + 16'(cclo_pkg::TRACE_WRITTEN_WORD):  word = written;
                STATE + 16'(cclo_pkg::TRACE_LOST_WORD):     word = lost;
                default: ;
            endcase
    end

    always_ff @(posedge clk) begin
        settled <= waiting == '0 && !write;
        read    <= memory[entry_word[2 +: INDEX]];
        if (detail_choose) begin
            at      <= detail_number;
            chosen  <= detail_number >= STATE;
            reading <= detail_number >= STATE ? 3'd5 : 3'd1;
        end else if (reading > 3'd1 || reading != '0 && (settled || !chosen)) reading <= reading - 3'd1;
        if (reading == 3'd1) detail_value <= word;
        if (rst) begin
            at           <= '0;
            chosen       <= 1'b0;
            reading      <= '0;
            detail_value <= '0;
        end
    end

    wire unused = &{1'b0, entry_word};

endmodule

`default_nettype wire
