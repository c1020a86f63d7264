// Calls that wait for the processor, and the one that it works through: words in
// a ring, from which the oldest call is shown as a window.
//
// The upper bits of a call's first word say which client placed it; the
// processor does not see them.
`default_nettype none

module call_queue #(
    parameter int unsigned DEPTH        = 64, // calls, with the one in the window
    parameter int unsigned CLIENT_WIDTH = 3   // bits of a client's number
) (
    input  wire                      clk,
    input  wire                      rst,

    input  wire                      call_valid,
    output logic                     call_ready,
    input  wire  [31:0]              call_data,

    output logic                     idle,            // nothing waits or comes in
    output logic [$clog2(DEPTH)-1:0] waiting,         // calls, complete
    output logic                     reset_requested, // one of them is reset_periph
    output logic                     arrived,         // pulse: one more waits
    output logic [CLIENT_WIDTH-1:0]  client,          // of the oldest that waits
    output logic [23:0]              operation,       // of that, too

    input  wire                      take,            // makes it the one in the window
    input  wire  [3:0]               word,            // of the window,
    output logic [31:0]              word_data        // in the next cycle
);

    localparam int unsigned CALL = $clog2(DEPTH);
    localparam int unsigned LAST = cclo_pkg::CALL_WORDS - 1;

    logic [31:0]             memory [16*DEPTH];
    logic [CLIENT_WIDTH-1:0] clients [DEPTH];
    logic [23:0]             operations [DEPTH];
    logic                    resets [DEPTH];

    logic [CALL-1:0]         window, oldest, tail; // the call in the window, the next one, the one that comes in
    logic [CALL-1:0]         resets_waiting;
    logic [3:0]              received;             // words of the one that comes in
    logic [CLIENT_WIDTH-1:0] sender;
    logic                    is_config, is_reset;
    logic                    accept, complete, take_reset;
    logic [31:0]             stored;

    assign call_ready      = tail != window;
    assign accept          = call_valid && call_ready;
    assign complete        = accept && received == 4'(LAST);
    assign arrived         = complete;
    assign idle            = waiting == '0 && received == '0;
    assign reset_requested = resets_waiting != '0;
    assign client          = clients[oldest];
    assign operation       = operations[oldest];
    assign take_reset      = take && resets[oldest];

    always_comb begin
        stored = call_data;
        if (received == 4'(cclo_pkg::CALL_SCENARIO_WORD)) stored[cclo_pkg::CALL_HEAD_CLIENT_LOW +: CLIENT_WIDTH] = '0;
    end

    always_ff @(posedge clk) begin
        if (accept) memory[{tail, received}] <= stored;
        if (accept && received == 4'(cclo_pkg::CALL_SCENARIO_WORD)) operations[tail] <= stored[23:0];
        word_data <= memory[{window, word}];
        if (complete) begin
            clients[tail] <= sender;
            resets[tail]  <= is_reset;
        end
    end

    always_ff @(posedge clk) begin
        if (rst) begin
            window         <= '1; // nobody's
            oldest         <= '0;
            tail           <= '0;
            received       <= '0;
            waiting        <= '0;
            resets_waiting <= '0;
        end else begin
            waiting        <= waiting + CALL'(complete) - CALL'(take);
            resets_waiting <= resets_waiting + CALL'(complete && is_reset) - CALL'(take_reset);
            if (take) begin
                window <= oldest;
                oldest <= oldest + 1'b1;
            end
            if (accept) received <= complete ? '0 : received + 4'd1;
            if (complete) tail <= tail + 1'b1;
        end
        if (accept) begin
            if (received == 4'(cclo_pkg::CALL_SCENARIO_WORD)) begin
                sender    <= call_data[cclo_pkg::CALL_HEAD_CLIENT_LOW +: CLIENT_WIDTH];
                is_config <= stored == 32'(cclo_pkg::OPERATION_CONFIG);
            end
            if (received == 4'(cclo_pkg::CALL_FUNCTION_CODE_WORD))
                is_reset <= is_config && call_data == 32'(cclo_pkg::CONFIG_FUNCTION_RESET_PERIPH);
        end
    end

endmodule

`default_nettype wire
