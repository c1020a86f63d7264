// While a message is under way in several packets, no other queue may send
// anything on its session. It is until its last packet has been handed over;
// meanwhile its queue may begin messages on other sessions.
`default_nettype none

module session_owners (
    input  wire                                               clk,
    input  wire                                               rst,

    input  wire [engine_pkg::QUEUES*move_pkg::KEY_WIDTH-1:0]  keys,     // sessions that queues send on
    output logic [engine_pkg::QUEUES-1:0]                     taken,    // by other queues
    output logic [engine_pkg::QUEUES-1:0]                     elsewhere, // the queue has as many other ones as it may

    // Slices and their ends, of one queue at a time.
    input  wire [engine_pkg::QUEUES-1:0]                      dispatched,
    input  wire                                               commits,
    input  wire                                               ends,     // the message
    input  wire [engine_pkg::QUEUES-1:0]                      retired,
    input  wire                                               retired_good,
    input  wire [engine_pkg::QUEUES-1:0]                      restart,

    // Gives up the messages of a queue, if there are any.
    input  wire [engine_pkg::QUEUES-1:0]                      abandon,
    output logic [engine_pkg::QUEUES-1:0]                     abandon_done,
    output logic                                              packet_abandon_valid,
    input  wire                                               packet_abandon_ready,
    output logic                                              packet_abandon_self,
    output logic [15:0]                                       packet_abandon_session
);

    localparam int unsigned QUEUES = engine_pkg::QUEUES;
    localparam int unsigned PLACES = engine_pkg::QUEUE_SESSIONS; // of each queue
    localparam int unsigned ALL    = QUEUES * PLACES;
    localparam int unsigned KEY    = move_pkg::KEY_WIDTH;

    logic [QUEUES-1:0]   faulty;
    logic [8*QUEUES-1:0] slices;

    // By place.
    logic [ALL-1:0]      owns, closing, here, next, last_retired, leaving, left;
    logic [ALL*KEY-1:0]  owned;
    logic [8*ALL-1:0]    until_closed;

    always_comb begin
        taken = '0;
        for (int unsigned i = 0; i < QUEUES; i++)
            for (int unsigned n = 0; n < ALL; n++)
                if (n / PLACES != i && owns[n] && owned[KEY*n +: KEY] == keys[KEY*i +: KEY]) taken[i] = 1'b1;
    end

    genvar q, p;
    generate for (q = 0; q < QUEUES; q++) begin : queues
        logic [7:0]        under_way;
        logic [PLACES-1:0] same, free;

        assign under_way    = slices[8*q +: 8] + 8'(dispatched[q]) - 8'(retired[q]);
        assign same         = here[PLACES*q +: PLACES];
        assign free         = ~owns[PLACES*q +: PLACES];
        assign elsewhere[q] = same == '0 && free == '0;
        assign next[PLACES*q +: PLACES] = same != '0 ? same : free & (~free + 1'b1);
        assign abandon_done[q]          = abandon[q] && free == '1;

        always_ff @(posedge clk) begin
            slices[8*q +: 8] <= under_way;
            if (retired[q] && !retired_good) faulty[q] <= 1'b1;
            else if (restart[q]) faulty[q] <= 1'b0;
            if (rst) begin
                slices[8*q +: 8] <= '0;
                faulty[q]        <= 1'b0;
            end
        end

        for (p = 0; p < PLACES; p++) begin : places
            localparam int unsigned N = PLACES * q + p;

            assign here[N]         = owns[N] && owned[KEY*N +: KEY] == keys[KEY*q +: KEY];
            assign last_retired[N] = closing[N] && retired[q] && until_closed[8*N +: 8] == 8'd1;
            assign leaving[N]      = owns[N] && abandon[q];

            always_ff @(posedge clk) begin
                if (retired[q]) until_closed[8*N +: 8] <= until_closed[8*N +: 8] - 8'd1;
                if (last_retired[N]) begin
                    closing[N] <= 1'b0;
                    if (retired_good && !faulty[q]) owns[N] <= 1'b0;
                end
                if (left[N]) begin
                    owns[N]    <= 1'b0;
                    closing[N] <= 1'b0;
                end
                if (dispatched[q] && commits && !ends && next[N]) begin
                    owns[N]             <= 1'b1;
                    closing[N]          <= 1'b0;
                    owned[KEY*N +: KEY] <= keys[KEY*q +: KEY];
                end else if (dispatched[q] && commits && ends && here[N]) begin
                    owns[N]                <= 1'b1;
                    closing[N]             <= 1'b1;
                    // without waiting for who is dispatched
                    until_closed[8*N +: 8] <= slices[8*q +: 8] + 8'd1 - 8'(retired[q]);
                end
                if (rst) begin
                    owns[N]    <= 1'b0;
                    closing[N] <= 1'b0;
                end
            end
        end
    end endgenerate

    // One at a time; the lowest first.
    always_comb begin
        packet_abandon_valid                          = leaving != '0;
        {packet_abandon_self, packet_abandon_session} = '0;
        left                                          = '0;
        for (int unsigned n = ALL; n > 0; n--)
            if (leaving[n-1]) begin
                {packet_abandon_self, packet_abandon_session} = owned[KEY*(n-1) +: KEY];
                left = ALL'(packet_abandon_ready) << (n - 1);
            end
    end

endmodule

`default_nettype wire
