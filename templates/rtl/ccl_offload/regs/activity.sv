// What the streams, queues and moves of the engine do, for the host (records stalls,
// queues, remotes and counters): it reads each word through the word detail of the
// inspection. One memory holds them all. A sweep goes round its words, one a cycle,
// and adds to each what has gathered since its last turn.
`default_nettype none

module activity (
    input  wire                                clk,
    input  wire                                rst,

    // A pulse chooses a word; it is shown within two sweeps, and stays until another one is chosen. 0 if it
    // is none of these.
    input  wire                                detail_choose,
    input  wire  [15:0]                        detail_number,
    output logic                               detail_valid,
    output logic [31:0]                        detail_value,

    input  wire  [cclo_pkg::STALLS_WORDS-1:0]     stalls,     // levels
    input  wire  [7*cclo_pkg::COUNTERS_WORDS-1:0] amounts,    // to be added, by counter
    input  wire  [32*cclo_pkg::REMOTES_WORDS-1:0] remotes,
    input  wire  [engine_pkg::SLOTS-1:0]          tx_slots,
    input  wire  [engine_pkg::SLOTS-1:0]          rx_slots,
    input  wire  [engine_pkg::BUFFER_WIDTH:0]     buffers_given,
    input  wire  [engine_pkg::BUFFER_WIDTH:0]     buffers_free,
    input  wire  [7:0]                            calls_waiting,
    input  wire  [7:0]                            notices_waiting,
    input  wire  [8*engine_pkg::QUEUES-1:0]       moves_waiting
);

    localparam int unsigned STALLS   = cclo_pkg::STALLS_WORDS;
    localparam int unsigned QUEUES   = cclo_pkg::QUEUES_WORDS;
    localparam int unsigned REMOTES  = cclo_pkg::REMOTES_WORDS;
    localparam int unsigned COUNTERS = cclo_pkg::COUNTERS_WORDS;
    localparam int unsigned PERIOD   = 2 * STALLS + QUEUES + REMOTES + COUNTERS; // of the sweep
    localparam int unsigned GATHERED = 32'($clog2(PERIOD + 1)); // bits of what comes in a sweep, one a cycle
    localparam int unsigned LEVEL    = cclo_pkg::QUEUE_LEVEL_USED_WIDTH;

    // Places in the order of the sweep.
    localparam int unsigned STALLED_TURN = STALLS;
    localparam int unsigned QUEUE_TURN   = 2 * STALLS;
    localparam int unsigned REMOTE_TURN  = QUEUE_TURN + QUEUES;
    localparam int unsigned COUNTER_TURN = REMOTE_TURN + REMOTES;

    (* ram_style = "block" *) logic [31:0] memory [256];

    // The inputs come from everywhere in the engine.
    logic [STALLS-1:0]     stands;
    logic [7*COUNTERS-1:0] adds;

    always_ff @(posedge clk) begin
        stands <= stalls;
        adds   <= amounts;
    end

    // The sweep.
    logic [PERIOD-1:0] turn;
    logic [7:0]        number;

    always_ff @(posedge clk) begin
        turn   <= {turn[PERIOD-2:0], turn[PERIOD-1]};
        number <= number + 8'd1;
        if (turn[STALLED_TURN-1]) number <= 8'(cclo_pkg::DETAIL_STALLED);
        if (turn[QUEUE_TURN-1])   number <= 8'(cclo_pkg::DETAIL_QUEUES);
        if (turn[REMOTE_TURN-1])  number <= 8'(cclo_pkg::DETAIL_REMOTES);
        if (turn[COUNTER_TURN-1]) number <= 8'(cclo_pkg::DETAIL_COUNTERS);
        if (turn[PERIOD-1])       number <= 8'(cclo_pkg::DETAIL_STALLS);
        if (rst) begin
            turn   <= PERIOD'(1);
            number <= 8'(cclo_pkg::DETAIL_STALLS);
        end
    end

    // What each word gets in its turn, 0 otherwise.
    logic [32*PERIOD-1:0] given;
    logic [31:0]          gift;
    genvar                i;

    generate for (i = 0; i < STALLS; i++) begin : stalls_of
        logic                moved; // since the last turn
        logic [GATHERED-1:0] sum;

        always_ff @(posedge clk) begin
            moved <= rst || !stands[i] || moved && !turn[i];
            sum   <= rst ? '0 : (turn[STALLED_TURN + i] ? '0 : sum) + GATHERED'(stands[i]);
        end
        assign given[32*i +: 32]                  = 32'(turn[i] && !moved);
        assign given[32*(STALLED_TURN + i) +: 32] = turn[STALLED_TURN + i] ? 32'(sum) : '0;
    end endgenerate

    generate for (i = 0; i < COUNTERS; i++) begin : counters_of
        // Most count one a cycle at most.
        localparam int unsigned EACH = i == cclo_pkg::COUNTERS_TX_BYTES_WORD || i == cclo_pkg::COUNTERS_RX_BYTES_WORD
            || i == cclo_pkg::COUNTERS_MOVES_COMPLETED_WORD ? 7 : 1;
        localparam int unsigned WIDTH = GATHERED + EACH - 1;

        logic [WIDTH-1:0] sum;

        always_ff @(posedge clk)
            sum <= rst ? '0 : (turn[COUNTER_TURN + i] ? '0 : sum) + WIDTH'(adds[7*i +: EACH]);
        assign given[32*(COUNTER_TURN + i) +: 32] = turn[COUNTER_TURN + i] ? 32'(sum) : '0;
        if (EACH == 1) begin : one
            wire unused = &{1'b0, adds[7*i+1 +: 6]};
        end
    end endgenerate

    // Queues.
    logic [LEVEL*QUEUES-1:0] used, capacity;
    logic [LEVEL-1:0]        tx_used, rx_used;

    always_comb begin
        tx_used = '0;
        rx_used = '0;
        for (int unsigned s = 0; s < engine_pkg::SLOTS; s++) begin
            tx_used = tx_used + LEVEL'(tx_slots[s]);
            rx_used = rx_used + LEVEL'(rx_slots[s]);
        end
    end

    always_ff @(posedge clk) begin
        used     <= '0;
        capacity <= '0;
        used[LEVEL*cclo_pkg::QUEUES_RX_BUFFERS_WORD +: LEVEL]     <= LEVEL'(buffers_given - buffers_free);
        used[LEVEL*cclo_pkg::QUEUES_TX_PACKETS_WORD +: LEVEL]     <= tx_used;
        used[LEVEL*cclo_pkg::QUEUES_RX_PACKETS_WORD +: LEVEL]     <= rx_used;
        used[LEVEL*cclo_pkg::QUEUES_CALLS_WORD +: LEVEL]          <= LEVEL'(calls_waiting);
        used[LEVEL*cclo_pkg::QUEUES_NOTICES_WORD +: LEVEL]        <= LEVEL'(notices_waiting);
        capacity[LEVEL*cclo_pkg::QUEUES_RX_BUFFERS_WORD +: LEVEL] <= LEVEL'(buffers_given);
        capacity[LEVEL*cclo_pkg::QUEUES_TX_PACKETS_WORD +: LEVEL] <= LEVEL'(engine_pkg::SLOTS);
        capacity[LEVEL*cclo_pkg::QUEUES_RX_PACKETS_WORD +: LEVEL] <= LEVEL'(engine_pkg::SLOTS);
        capacity[LEVEL*cclo_pkg::QUEUES_CALLS_WORD +: LEVEL]      <= LEVEL'(engine_pkg::CALLS - 1);
        capacity[LEVEL*cclo_pkg::QUEUES_NOTICES_WORD +: LEVEL]    <= LEVEL'(engine_pkg::NOTICES);
        used[LEVEL*cclo_pkg::QUEUES_MOVES_0_WORD +: LEVEL]        <= LEVEL'(moves_waiting[0 +: 8]);
        capacity[LEVEL*cclo_pkg::QUEUES_MOVES_0_WORD +: LEVEL]    <= LEVEL'(cclo_pkg::MOVE_QUEUE_DEPTH);
        used[LEVEL*cclo_pkg::QUEUES_MOVES_1_WORD +: LEVEL]        <= LEVEL'(moves_waiting[8 +: 8]);
        capacity[LEVEL*cclo_pkg::QUEUES_MOVES_1_WORD +: LEVEL]    <= LEVEL'(cclo_pkg::MOVE_QUEUE_DEPTH);
        used[LEVEL*cclo_pkg::QUEUES_MOVES_2_WORD +: LEVEL]        <= LEVEL'(moves_waiting[16 +: 8]);
        capacity[LEVEL*cclo_pkg::QUEUES_MOVES_2_WORD +: LEVEL]    <= LEVEL'(cclo_pkg::MOVE_QUEUE_DEPTH);
        used[LEVEL*cclo_pkg::QUEUES_MOVES_3_WORD +: LEVEL]        <= LEVEL'(moves_waiting[24 +: 8]);
        capacity[LEVEL*cclo_pkg::QUEUES_MOVES_3_WORD +: LEVEL]    <= LEVEL'(cclo_pkg::MOVE_QUEUE_DEPTH);
    end

    generate for (i = 0; i < QUEUES; i++) begin : queues_of
        logic [LEVEL-1:0] most;
        logic [31:0]      word;

        localparam logic [LEVEL-1:0] KEPT = LEVEL'(!engine_pkg::LOSSY && i == cclo_pkg::QUEUES_RX_BUFFERS_WORD);

        always_ff @(posedge clk)
            if (rst) most <= '0;
            else if (used[LEVEL*i +: LEVEL] > most) most <= used[LEVEL*i +: LEVEL];
        always_comb begin
            word = '0;
            word[cclo_pkg::QUEUE_LEVEL_USED_LOW +: LEVEL]     = used[LEVEL*i +: LEVEL];
            word[cclo_pkg::QUEUE_LEVEL_MOST_LOW +: LEVEL]     = most;
            word[cclo_pkg::QUEUE_LEVEL_CAPACITY_LOW +: LEVEL] = capacity[LEVEL*i +: LEVEL];
            word[cclo_pkg::QUEUE_LEVEL_FULL_LOW] =
                capacity[LEVEL*i +: LEVEL] != '0 && used[LEVEL*i +: LEVEL] + KEPT >= capacity[LEVEL*i +: LEVEL];
        end
        assign given[32*(QUEUE_TURN + i) +: 32] = turn[QUEUE_TURN + i] ? word : '0;
    end endgenerate

    generate for (i = 0; i < REMOTES; i++) begin : remotes_of
        assign given[32*(REMOTE_TURN + i) +: 32] = turn[REMOTE_TURN + i] ? remotes[32*i +: 32] : '0;
    end endgenerate

    always_comb begin
        gift = '0;
        for (int unsigned t = 0; t < PERIOD; t++) gift = gift | given[32*t +: 32];
    end

    // Behind the memory. The first sweep after a reset begins all words anew.
    logic        beginning;
    logic [2:0]  first, standing, level; // by stage
    logic [23:0] numbers;
    logic [31:0] read, former, gift_1, gift_2, gift_3, addend, after;
    logic [32:0] sum;

    always_comb begin
        after = level[2] || first[2] ? gift_3 : sum[31:0];
        if (standing[2]) after = gift_3 == '0 || first[2] ? '0 : sum[32] ? '1 : sum[31:0];
    end

    always_ff @(posedge clk) begin
        read     <= memory[number];
        former   <= read;
        gift_1   <= gift;
        gift_2   <= gift_1;
        gift_3   <= gift_2;
        addend   <= standing[0] ? PERIOD : gift_1;
        sum      <= 33'(former) + 33'(addend);
        numbers  <= {numbers[15:0], number};
        first    <= {first[1:0], beginning};
        standing <= {standing[1:0], number < 8'(cclo_pkg::DETAIL_STALLED)};
        level    <= {level[1:0], number >= 8'(cclo_pkg::DETAIL_QUEUES) && number < 8'(cclo_pkg::DETAIL_COUNTERS)};
        if (!rst) memory[numbers[23:16]] <= after;
        if (turn[PERIOD-1]) beginning <= 1'b0;
        if (rst) beginning <= 1'b1;
    end

    // The word that was chosen: 0 if the sweep does not come across it.
    logic       waiting;
    logic [1:0] ends; // of sweeps meanwhile
    logic [7:0] chosen;

    assign detail_valid = !waiting;

    always_ff @(posedge clk) begin
        if (detail_choose) begin
            waiting      <= detail_number < 16'(cclo_pkg::DETAIL_TRACE);
            ends         <= '0;
            chosen       <= detail_number[7:0];
            detail_value <= '0;
        end else if (waiting) begin
            if (turn[PERIOD-1]) ends <= ends + 2'd1;
            if (ends == 2'd2) waiting <= 1'b0;
            if (numbers[23:16] == chosen) begin
                waiting      <= 1'b0;
                detail_value <= after;
            end
        end
        if (rst) begin
            waiting      <= 1'b0;
            detail_value <= '0;
        end
    end

endmodule

`default_nettype wire
