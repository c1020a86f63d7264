// Calls the engine: a put of the kernel stream to a remote kernel stream.
`default_nettype none

module vadd_put_call (
    input  wire         clk,
    input  wire         rst,

    input  wire         start,       // pulse
    input  wire  [31:0] count,
    input  wire  [31:0] destination,
    input  wire  [31:0] comm_adr,
    input  wire  [31:0] dpcfg_adr,
    output logic        busy,
    output logic        failed,      // the last call

    output logic        call_valid,
    input  wire         call_ready,
    output logic [31:0] call_data,
    output logic        call_last,

    input  wire         answer_valid,
    output logic        answer_ready,
    input  wire  [31:0] answer_data
);

    localparam logic [31:0] TAG = 32'd9; // engines of before 2024 reserve the tags below

    localparam logic [3:0] FINAL = 4'(cclo_pkg::CALL_WORDS - 1);

    logic [3:0] word;

    assign call_last    = word == FINAL;
    assign answer_ready = busy && !call_valid;

    // Words not named here have no meaning for a put from a stream.
    always_comb
        case (32'(word))
            cclo_pkg::CALL_SCENARIO_WORD:     call_data = 32'(cclo_pkg::OPERATION_SEND);
            cclo_pkg::CALL_COUNT_WORD:        call_data = count;
            cclo_pkg::CALL_COMM_WORD:         call_data = comm_adr;
            cclo_pkg::CALL_ROOT_SRC_DST_WORD: call_data = destination;
            cclo_pkg::CALL_TAG_WORD:          call_data = TAG;
            cclo_pkg::CALL_ARITHCFG_WORD:     call_data = dpcfg_adr;
            cclo_pkg::CALL_STREAM_FLAGS_WORD: call_data = cclo_pkg::STREAM_FLAGS_OP0 | cclo_pkg::STREAM_FLAGS_RES;
            default:                          call_data = '0;
        endcase

    always_ff @(posedge clk)
        if (rst) begin
            busy       <= 1'b0;
            failed     <= 1'b0;
            call_valid <= 1'b0;
        end else if (start) begin
            busy       <= 1'b1;
            failed     <= 1'b0;
            call_valid <= 1'b1;
            word       <= '0;
        end else if (call_valid && call_ready) begin
            word       <= word + 1'b1;
            call_valid <= !call_last;
        end else if (answer_valid && answer_ready) begin
            busy   <= 1'b0;
            failed <= answer_data != 0;
        end

endmodule

`default_nettype wire
