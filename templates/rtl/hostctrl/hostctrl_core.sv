// Places a call when the host starts it: sends the words of its registers, and
// ends when the answer has come. One call at a time.
`default_nettype none

module hostctrl_core #(
    parameter int unsigned ADDRESS_WIDTH = 12
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
    output logic                     answer_ready
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
            for (int unsigned i = 0; i < CALL; i++) writable = writable | WORDS'(1) << ((register_of(4'(i)) - first) / 4);
        end
    endfunction

    for (genvar i = 0; i < CALL; i++) begin : gather
        assign words[32*i +: 32] = arguments[8*(register_of(4'(i))-FIRST) +: 32];
    end

    logic start, taken, done, idle;

    control_registers #(
        .ADDRESS_WIDTH(ADDRESS_WIDTH), .ARGUMENTS(FIRST), .WORDS(WORDS), .WRITABLE(writable(FIRST))
    ) registers (.results('0), .*);

    // The call. An answer that nobody waits for is dropped.
    logic [3:0] sent;
    logic       waiting;

    assign idle         = !call_valid && !waiting;
    assign answer_ready = 1'b1;
    assign call_data    = words[32*sent +: 32];
    assign taken        = call_valid && call_ready && sent == 4'(CALL - 1);
    assign done         = waiting && answer_valid;

    always_ff @(posedge clk) begin
        if (rst) begin
            call_valid <= 1'b0;
            sent       <= '0;
            waiting    <= 1'b0;
        end else begin
            if (idle && start) call_valid <= 1'b1;
            if (call_valid && call_ready) sent <= sent + 4'd1;
            if (taken) begin
                call_valid <= 1'b0;
                sent       <= '0;
                waiting    <= 1'b1;
            end
            if (done) waiting <= 1'b0;
        end
    end

    wire unused = &{1'b0, arguments}; // gaps between the registers

endmodule

`default_nettype wire
