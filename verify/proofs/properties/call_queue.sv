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
    wire [2:0]  client;
    wire [23:0] operation;
    wire [31:0] word_data;

    // Two bits where the number of the client is, two in the rest.
    wire [31:0] call_data = {2'd0, call_bits[3:2], 26'd0, call_bits[1:0]};

    call_queue #(.DEPTH(DEPTH), .CLIENT_WIDTH(3)) dut (.*, .word({2'd0, asked}));

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

`ifdef INVARIANTS
    (* hierconn *) wire [1:0]  \dut.window ;
    (* hierconn *) wire [1:0]  \dut.oldest ;
    (* hierconn *) wire [1:0]  \dut.tail ;
    (* hierconn *) wire [1:0]  \dut.resets_waiting ;
    (* hierconn *) wire [3:0]  \dut.received ;
    (* hierconn *) wire [2:0]  \dut.sender ;
    (* hierconn *) wire        \dut.is_config ;
    (* hierconn *) wire        \dut.is_reset ;
    (* hierconn *) wire [2:0]  \dut.clients[0] ;
    (* hierconn *) wire [23:0] \dut.operations[0] ;
    (* hierconn *) wire         \dut.resets[0] ;
    (* hierconn *) wire [2:0]  \dut.clients[1] ;
    (* hierconn *) wire [23:0] \dut.operations[1] ;
    (* hierconn *) wire         \dut.resets[1] ;
    (* hierconn *) wire [2:0]  \dut.clients[2] ;
    (* hierconn *) wire [23:0] \dut.operations[2] ;
    (* hierconn *) wire         \dut.resets[2] ;
    (* hierconn *) wire [2:0]  \dut.clients[3] ;
    (* hierconn *) wire [23:0] \dut.operations[3] ;
    (* hierconn *) wire         \dut.resets[3] ;
    (* hierconn *) wire [31:0] \dut.memory[0] ;
    (* hierconn *) wire [31:0] \dut.memory[1] ;
    (* hierconn *) wire [31:0] \dut.memory[2] ;
    (* hierconn *) wire [31:0] \dut.memory[16] ;
    (* hierconn *) wire [31:0] \dut.memory[17] ;
    (* hierconn *) wire [31:0] \dut.memory[18] ;
    (* hierconn *) wire [31:0] \dut.memory[32] ;
    (* hierconn *) wire [31:0] \dut.memory[33] ;
    (* hierconn *) wire [31:0] \dut.memory[34] ;
    (* hierconn *) wire [31:0] \dut.memory[48] ;
    (* hierconn *) wire [31:0] \dut.memory[49] ;
    (* hierconn *) wire [31:0] \dut.memory[50] ;
    // The watched call, the one in the window and the one that comes in.
    wire [1:0]  place = \dut.oldest + ahead[1:0];
    wire [11:0] clients_ = {\dut.clients[3] , \dut.clients[2] , \dut.clients[1] , \dut.clients[0] };
    wire [95:0] operations_ = {\dut.operations[3] , \dut.operations[2] , \dut.operations[1] , \dut.operations[0] };
    wire [3:0]  resets_ = {\dut.resets[3] , \dut.resets[2] , \dut.resets[1] , \dut.resets[0] };
    wire [23:0] operation_in = operations_[24*\dut.tail +: 24];
    reg  [31:0] waits, shows, comes;
    always @* case ({place, which})
        4'd0: waits = \dut.memory[0] ;
        4'd1: waits = \dut.memory[1] ;
        4'd2: waits = \dut.memory[2] ;
        4'd4: waits = \dut.memory[16] ;
        4'd5: waits = \dut.memory[17] ;
        4'd6: waits = \dut.memory[18] ;
        4'd8: waits = \dut.memory[32] ;
        4'd9: waits = \dut.memory[33] ;
        4'd10: waits = \dut.memory[34] ;
        4'd12: waits = \dut.memory[48] ;
        4'd13: waits = \dut.memory[49] ;
        4'd14: waits = \dut.memory[50] ;
        default: waits = 0;
    endcase
    always @* case ({\dut.window , which})
        4'd0: shows = \dut.memory[0] ;
        4'd1: shows = \dut.memory[1] ;
        4'd2: shows = \dut.memory[2] ;
        4'd4: shows = \dut.memory[16] ;
        4'd5: shows = \dut.memory[17] ;
        4'd6: shows = \dut.memory[18] ;
        4'd8: shows = \dut.memory[32] ;
        4'd9: shows = \dut.memory[33] ;
        4'd10: shows = \dut.memory[34] ;
        4'd12: shows = \dut.memory[48] ;
        4'd13: shows = \dut.memory[49] ;
        4'd14: shows = \dut.memory[50] ;
        default: shows = 0;
    endcase
    always @* case ({\dut.tail , which})
        4'd0: comes = \dut.memory[0] ;
        4'd1: comes = \dut.memory[1] ;
        4'd2: comes = \dut.memory[2] ;
        4'd4: comes = \dut.memory[16] ;
        4'd5: comes = \dut.memory[17] ;
        4'd6: comes = \dut.memory[18] ;
        4'd8: comes = \dut.memory[32] ;
        4'd9: comes = \dut.memory[33] ;
        4'd10: comes = \dut.memory[34] ;
        4'd12: comes = \dut.memory[48] ;
        4'd13: comes = \dut.memory[49] ;
        4'd14: comes = \dut.memory[50] ;
        default: comes = 0;
    endcase
    // Resets among those that wait, the oldest first.
    wire [3:0] turned = {resets_, resets_} >> \dut.oldest ;
    wire [3:0] asks   = turned & ~(4'hF << inside);
    always @* if (started && !rst) begin
        assert (waiting == inside && inside <= DEPTH - 1
            && \dut.tail == 2'(\dut.oldest + inside) && \dut.window == 2'(\dut.oldest - 2'd1));
        assert (\dut.received == word && word < WORDS);
        assert (\dut.resets_waiting == asks[0] + asks[1] + asks[2]);
        if (word > HEAD) assert (\dut.sender == number && \dut.is_config == config_ && operation_in == op);
        if (word > CODE) assert (\dut.is_reset == reset);
        if (word > which) assert (comes == {2'd0, kept_upper, 26'd0, kept});
        if (watched)
            assert (clients_[3*place +: 3] == data[8:7] && operations_[24*place +: 24] == data[6:5]
                && resets_[place] == data[4] && waits == {2'd0, data[3:2], 26'd0, data[1:0]});
        if (window) assert (shows == {2'd0, shown[3:2], 26'd0, shown[1:0]});
    end
`endif

endmodule

`default_nettype wire
