// Places calls of the host: sends the words that stand in its registers. A call that
// is started ends when its answer has come. Calls that are posted go one behind the
// other; their answers are kept. A start waits until posted calls have their answers,
// and a post until a started call has its own: so every answer is clear.
`default_nettype none

module hostctrl_core #(
    parameter int unsigned ADDRESS_WIDTH = 12, // bits of a byte address
    parameter logic [31:0] EARLIER       = '0  // where counts of posted calls begin, for benches
) (
    input  wire                      clk,
    input  wire                      rst,

    input  wire                      bus_valid,
    input  wire                      bus_write,
    input  wire  [ADDRESS_WIDTH-1:0] bus_address,
    input  wire  [31:0]              bus_wdata,
    input  wire  [3:0]               bus_strobe,
    output logic                     bus_ready,
    output logic [31:0]              bus_rdata,

    output logic                     call_valid,
    input  wire                      call_ready,
    output logic [31:0]              call_data,
    input  wire                      answer_valid,
    output logic                     answer_ready,
    input  wire  [31:0]              answer_data
);

    localparam logic [31:0] FIRST = cclo_pkg::HOSTCTRL_SCENARIO_OFFSET;
    localparam int unsigned CALL  = cclo_pkg::CALL_WORDS;
    localparam int unsigned WORDS = (cclo_pkg::HOSTCTRL_ADDR_2_HIGH_OFFSET - FIRST) / 4 + 1;

    // Place of each word of a call among the registers.
    function logic [31:0] register_of(input logic [3:0] number);
        case (32'(number))
            cclo_pkg::CALL_SCENARIO_WORD: register_of          = cclo_pkg::HOSTCTRL_SCENARIO_OFFSET;
            cclo_pkg::CALL_COUNT_WORD: register_of             = cclo_pkg::HOSTCTRL_COUNT_OFFSET;
            cclo_pkg::CALL_COMM_WORD: register_of              = cclo_pkg::HOSTCTRL_COMM_OFFSET;
            cclo_pkg::CALL_ROOT_SRC_DST_WORD: register_of      = cclo_pkg::HOSTCTRL_ROOT_SRC_DST_OFFSET;
            cclo_pkg::CALL_FUNCTION_CODE_WORD: register_of     = cclo_pkg::HOSTCTRL_FUNCTION_CODE_OFFSET;
            cclo_pkg::CALL_TAG_WORD: register_of               = cclo_pkg::HOSTCTRL_TAG_OFFSET;
            cclo_pkg::CALL_ARITHCFG_WORD: register_of          = cclo_pkg::HOSTCTRL_ARITHCFG_OFFSET;
            cclo_pkg::CALL_COMPRESSION_FLAGS_WORD: register_of = cclo_pkg::HOSTCTRL_COMPRESSION_FLAGS_OFFSET;
            cclo_pkg::CALL_STREAM_FLAGS_WORD: register_of      = cclo_pkg::HOSTCTRL_STREAM_FLAGS_OFFSET;
            cclo_pkg::CALL_ADDR_0_LOW_WORD: register_of        = cclo_pkg::HOSTCTRL_ADDR_0_OFFSET;
            cclo_pkg::CALL_ADDR_0_HIGH_WORD: register_of       = cclo_pkg::HOSTCTRL_ADDR_0_HIGH_OFFSET;
            cclo_pkg::CALL_ADDR_1_LOW_WORD: register_of        = cclo_pkg::HOSTCTRL_ADDR_1_OFFSET;
            cclo_pkg::CALL_ADDR_1_HIGH_WORD: register_of       = cclo_pkg::HOSTCTRL_ADDR_1_HIGH_OFFSET;
            cclo_pkg::CALL_ADDR_2_LOW_WORD: register_of        = cclo_pkg::HOSTCTRL_ADDR_2_OFFSET;
            cclo_pkg::CALL_ADDR_2_HIGH_WORD: register_of       = cclo_pkg::HOSTCTRL_ADDR_2_HIGH_OFFSET;
            default: register_of = FIRST;
        endcase
    endfunction

    // Registers that are words of a call, and the words in the call's order.
    logic [32*WORDS-1:0] arguments;
    logic [32*CALL-1:0]  words;

    function logic [WORDS-1:0] writable(input logic [31:0] first);
        begin
            writable = '0;
            for (int unsigned i = 0; i < CALL; i++)
                writable = writable | WORDS'(1) << ((register_of(4'(i)) - first) / 4);
        end
    endfunction

    for (genvar i = 0; i < CALL; i++) begin : gather
        assign words[32*i +: 32] = arguments[8*(register_of(4'(i))-FIRST) +: 32];
    end

    logic        start, taken, done, idle;
    logic [31:0] control_rdata;

    control_registers #(
        .ADDRESS_WIDTH(ADDRESS_WIDTH), .ARGUMENTS(FIRST), .WORDS(WORDS), .WRITABLE(writable(FIRST))
    ) registers (.bus_rdata(control_rdata), .results('0), .*);

    // Posted calls. Answers that the host has not read are the last ones.
    localparam int unsigned CAPACITY = cclo_pkg::HOSTCTRL_ANSWERS_COUNT;
    localparam int unsigned NUMBER   = $clog2(CAPACITY);
    localparam int unsigned INDEX    = ADDRESS_WIDTH - 2;

    logic [31:0]      answers [CAPACITY];
    logic [31:0]      posted, answered;
    logic [NUMBER:0]  open;             // posted calls without an answer
    logic             post;             // one waits, or its words are being sent
    logic [INDEX-1:0] index, number;    // of the register, and among the answers

    assign index  = bus_address[ADDRESS_WIDTH-1:2];
    assign number = index - INDEX'(cclo_pkg::HOSTCTRL_ANSWERS_OFFSET / 4);
    assign open   = posted[NUMBER:0] - answered[NUMBER:0];

    always_comb begin
        bus_rdata = control_rdata;
        if (index == INDEX'(cclo_pkg::HOSTCTRL_POSTED_OFFSET / 4)) bus_rdata = posted;
        if (index == INDEX'(cclo_pkg::HOSTCTRL_ANSWERED_OFFSET / 4)) bus_rdata = answered;
        if (index == INDEX'(cclo_pkg::HOSTCTRL_CAPACITY_OFFSET / 4)) bus_rdata = CAPACITY;
        if (number < INDEX'(CAPACITY)) bus_rdata = answers[number[NUMBER-1:0]];
    end

    // The call. An answer that nobody waits for is dropped.
    logic [3:0] sent;
    logic       waiting;    // a started call does
    logic       posting;    // the words are those of a posted call
    logic       sent_all, asked, kept;

    assign idle         = !call_valid && !waiting && !post && open == 0;
    assign answer_ready = 1'b1;
    assign call_data    = words[32*sent +: 32];
    assign sent_all     = call_valid && call_ready && sent == 4'(CALL - 1);
    assign taken        = sent_all && !posting;
    assign done         = waiting && answer_valid;
    assign asked        = bus_valid && bus_write && bus_strobe != 0
        && index == INDEX'(cclo_pkg::HOSTCTRL_POST_OFFSET / 4);
    assign kept         = answer_valid && open != 0;

    always_ff @(posedge clk) begin
        if (kept) answers[answered[NUMBER-1:0]] <= answer_data;
        if (rst) begin
            call_valid <= 1'b0;
            sent       <= '0;
            waiting    <= 1'b0;
            post       <= 1'b0;
            posting    <= 1'b0;
            posted     <= EARLIER;
            answered   <= EARLIER;
        end else begin
            if (idle && start) call_valid <= 1'b1;
            if (post && !call_valid && !waiting) begin
                call_valid <= 1'b1;
                posting    <= 1'b1;
            end
            if (call_valid && call_ready) sent <= sent + 4'd1;
            if (sent_all) begin
                call_valid <= 1'b0;
                posting    <= 1'b0;
                sent       <= '0;
                waiting    <= !posting;
            end
            if (done) waiting <= 1'b0;
            if (asked && open != (NUMBER + 1)'(CAPACITY)) post <= 1'b1;
            if (sent_all && posting) begin
                post   <= 1'b0;
                posted <= posted + 32'd1;
            end
            if (kept) answered <= answered + 32'd1;
        end
    end

    wire unused = &{1'b0, arguments}; // gaps between the registers

endmodule

`default_nettype wire
