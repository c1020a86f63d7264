// While a message is under way in several packets, no other queue may send
// anything on its session. It is until its last packet has been handed over.
`default_nettype none

module session_owners (
    input  wire                                               clk,
    input  wire                                               rst,

    input  wire [engine_pkg::QUEUES*move_pkg::KEY_WIDTH-1:0]  keys,     // sessions that queues send on
    output logic [engine_pkg::QUEUES-1:0]                     taken,    // by other queues
    output logic [engine_pkg::QUEUES-1:0]                     elsewhere, // the queue has another one

    // Slices and their ends, of one queue at a time.
    input  wire [engine_pkg::QUEUES-1:0]                      dispatched,
    input  wire                                               commits,
    input  wire                                               ends,     // the message
    input  wire [engine_pkg::QUEUES-1:0]                      retired,
    input  wire                                               retired_good,
    input  wire [engine_pkg::QUEUES-1:0]                      restart,

    // Gives up the message of a queue, if there is one.
    input  wire [engine_pkg::QUEUES-1:0]                      abandon,
    output logic [engine_pkg::QUEUES-1:0]                     abandon_done,
    output logic                                              packet_abandon_valid,
    input  wire                                               packet_abandon_ready,
    output logic                                              packet_abandon_self,
    output logic [15:0]                                       packet_abandon_session
);

    localparam int unsigned QUEUES = engine_pkg::QUEUES;
    localparam int unsigned KEY    = move_pkg::KEY_WIDTH;

    logic [QUEUES-1:0]     owns, closing, faulty, last_retired, leaving, left;
    logic [QUEUES*KEY-1:0] owned;
    logic [8*QUEUES-1:0]   slices, until_closed;

    always_comb begin
        taken     = '0;
        elsewhere = '0;
        for (int unsigned i = 0; i < QUEUES; i++) begin
            for (int unsigned j = 0; j < QUEUES; j++)
                if (j != i && owns[j] && owned[KEY*j +: KEY] == keys[KEY*i +: KEY]) taken[i] = 1'b1;
            elsewhere[i] = owns[i] && owned[KEY*i +: KEY] != keys[KEY*i +: KEY];
        end
    end

    genvar q;
    generate for (q = 0; q < QUEUES; q++) begin : queues
        logic [7:0] under_way;

        assign under_way       = slices[8*q +: 8] + 8'(dispatched[q]) - 8'(retired[q]);
        assign last_retired[q] = closing[q] && retired[q] && until_closed[8*q +: 8] == 8'd1;

        always_ff @(posedge clk) begin
            slices[8*q +: 8] <= under_way;
            if (retired[q]) until_closed[8*q +: 8] <= until_closed[8*q +: 8] - 8'd1;
            if (retired[q] && !retired_good) faulty[q] <= 1'b1;
            else if (restart[q]) faulty[q] <= 1'b0;
            if (last_retired[q]) begin
                closing[q] <= 1'b0;
                if (retired_good && !faulty[q]) owns[q] <= 1'b0;
            end
            if (left[q]) begin
                owns[q]    <= 1'b0;
                closing[q] <= 1'b0;
            end
            if (dispatched[q] && commits && !ends) begin
                owns[q]              <= 1'b1;
                closing[q]           <= 1'b0;
                owned[KEY*q +: KEY]  <= keys[KEY*q +: KEY];
            end else if (dispatched[q] && commits && owns[q] && !elsewhere[q]) begin
                owns[q]                <= 1'b1;
                closing[q]             <= 1'b1;
                until_closed[8*q +: 8] <= slices[8*q +: 8] + 8'd1 - 8'(retired[q]); // without waiting for who is dispatched
            end
            if (rst) begin
                slices[8*q +: 8] <= '0;
                owns[q]          <= 1'b0;
                closing[q]       <= 1'b0;
                faulty[q]        <= 1'b0;
            end
        end
    end endgenerate

    // One at a time; the lowest first.
    assign leaving      = abandon & owns;
    assign abandon_done = abandon & ~owns;

    always_comb begin
        packet_abandon_valid                           = leaving != '0;
        {packet_abandon_self, packet_abandon_session}  = '0;
        left                                           = '0;
        for (int unsigned i = QUEUES; i > 0; i--)
            if (leaving[i-1]) begin
                {packet_abandon_self, packet_abandon_session} = owned[KEY*(i-1) +: KEY];
                left = QUEUES'(packet_abandon_ready) << (i - 1);
            end
    end

endmodule

`default_nettype wire
