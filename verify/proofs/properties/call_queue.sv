`default_nettype none

// Any word of calls is looked at.
module proof (
    input wire       clk,
    input wire       rst,
    input wire       call_valid,
    input wire [3:0] call_bits,
    input wire       take,
    input wire [1:0] asked
);

    localparam DEPTH = 4;
    localparam WORDS = cclo_pkg::CALL_WORDS;
    localparam HEAD  = cclo_pkg::CALL_SCENARIO_WORD;
    localparam CODE  = cclo_pkg::CALL_FUNCTION_CODE_WORD;

    wire        call_ready, idle, reset_requested, arrived, started;
    wire [1:0]  waiting;
    wire [3:0]  client;
    wire [23:0] operation;
    wire [31:0] word_data;

    // Two bits where the number of the client is, two in the rest.
    wire [31:0] call_data = {2'd0, call_bits[3:2], 26'd0, call_bits[1:0]};

    call_queue #(.DEPTH(DEPTH), .CLIENT_WIDTH(4)) dut (.*, .word({2'd0, asked}));

    begins beginning (.*);
    stays_outside #(.WIDTH(4)) in (.clk, .rst, .valid(call_valid), .ready(call_ready), .data(call_bits));

    (* anyconst *) wire [1:0] which;

    // The call that comes in.
    wire        takes = call_valid && call_ready;
    reg  [1:0]  word;
    reg  [1:0]  number, op, kept;
    reg         config_, reset;
    wire        ends  = takes && word == WORDS - 1;
    wire [1:0]  kept_now = takes && word == which ? call_bits[1:0] : kept;
    wire [1:0]  upper    = which == HEAD ? 2'd0 : call_bits[3:2];
    reg  [1:0]  kept_upper;
    wire [1:0]  kept_upper_now = takes && word == which ? upper : kept_upper;

    wire [2:0]  inside, ahead;
    wire        watched;
    wire [8:0]  data;    // number of the client, operation, whether it is a reset, the word
    reg         window;  // the watched call is in the window
    reg         read;    // and was read
    reg  [8:0]  shown;
    in_order #(.WIDTH(9), .CAPACITY(DEPTH - 1), .COUNT(3)) calls (
        .clk, .rst, .push(ends), .in_data({number, op, reset, kept_upper_now, kept_now}),
        .pop(take), .out_data({client[1:0], operation[1:0], data[4:0]}),
        .inside, .watched, .ahead, .data
    );

    reg [2:0] resets;
    always @(posedge clk) begin
        kept       <= kept_now;
        kept_upper <= kept_upper_now;
        if (takes) word <= ends ? 0 : word + 1'b1;
        if (takes && word == HEAD) {number, op} <= call_bits;
        if (takes && word == HEAD) config_ <= call_bits[1:0] == cclo_pkg::OPERATION_CONFIG;
        if (takes && word == CODE) reset <= config_ && call_bits == cclo_pkg::CONFIG_FUNCTION_RESET_PERIPH;
        if (take) window <= watched && ahead == 0;
        if (take) shown <= data;
        read <= window && asked == which && !take;
        if (rst) {word, window, read} <= 0;
    end

    always @* begin
        assume (which < WORDS && asked < WORDS);
        if (inside == 0) assume (!take);
        if (started && !rst) begin
            counts: assert (waiting == inside);
            says_idle: assert (idle == (inside == 0 && word == 0));
            says_arrived: assert (arrived == ends);
            if (read) shows_the_word: assert (word_data == {2'd0, shown[3:2], 26'd0, shown[1:0]});
            if (watched && shown_reset) sees_resets: assert (reset_requested);
            if (inside == 0) no_reset: assert (!reset_requested);
            if (inside < DEPTH - 1 - in_window) room: assert (call_ready);
            reads: cover (read && shown[3:0] == 4'b1001);
            asks_for_reset: cover (reset_requested && inside == 2);
        end
    end
    wire shown_reset = data[4];
    reg  in_window;    // some call is in the window
    always @(posedge clk) if (rst) in_window <= 1'b0; else if (take) in_window <= 1'b1;

endmodule

`default_nettype wire
