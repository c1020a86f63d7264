// Offers packets to the inbound side: of each session the first, sessions in
// turn, but not those that are held until there may be room.
`default_nettype none

module rx_offer (
    input  wire                                 clk,
    input  wire                                 rst,
    input  wire                                 go,

    input  wire  [engine_pkg::SLOTS-1:0]        front,
    output logic                                leave,
    output logic [engine_pkg::SLOT_WIDTH-1:0]   leave_slot,
    output logic                                give_back,   // what leaves is dropped

    // First beats, and what else is known of packets.
    input  wire                                 first_valid,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]   first_slot,
    input  wire  [engine_pkg::DATA_WIDTH-1:0]   first_data,
    input  wire                                 about_valid,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]   about_slot,
    input  wire  [15:0]                         about_session,
    input  wire                                 about_loop,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] about_bytes,

    output logic                                rx_valid,
    output logic [15:0]                         rx_session,
    output logic                                rx_loop,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] rx_bytes,
    output logic [engine_pkg::DATA_WIDTH-1:0]   rx_beat,
    input  wire                                 rx_verdict_valid,
    input  wire  [1:0]                          rx_verdict,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] rx_take_bytes,
    input  wire                                 rx_retry,

    output logic                                job_valid,
    output logic [engine_pkg::SLOT_WIDTH-1:0]   job_slot,
    output logic                                job_row,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] job_bytes
);

    localparam logic [1:0] PICK  = 2'd0;
    localparam logic [1:0] LOOK  = 2'd1;
    localparam logic [1:0] OFFER = 2'd2;

    localparam logic [1:0] DROP    = 2'd0;
    localparam logic [1:0] HOLD    = 2'd1;
    localparam logic [1:0] PAYLOAD = 2'd2;

    localparam int unsigned ABOUT = 16 + 1 + engine_pkg::LENGTH_WIDTH;

    logic [engine_pkg::DATA_WIDTH-1:0] firsts [engine_pkg::SLOTS];
    logic [ABOUT-1:0]                  abouts [engine_pkg::SLOTS];
    logic [engine_pkg::SLOTS-1:0]      held, eligible, granted;
    logic [engine_pkg::SLOT_WIDTH-1:0] pick, slot;
    logic [1:0]                        state;
    logic                              verdict, again; // there may be room again since the offer

    assign eligible = front & ~held;

    round_robin #(.N(engine_pkg::SLOTS)) turn (
        .clk, .rst, .request(eligible), .advance(state == PICK && go), .grant(granted), .index(pick)
    );

    assign rx_valid   = state == OFFER;
    assign verdict    = rx_valid && rx_verdict_valid && go;
    assign leave      = verdict && rx_verdict != HOLD;
    assign leave_slot = slot;
    assign job_valid  = leave && rx_verdict != DROP && rx_take_bytes != 0;
    assign job_slot   = slot;
    assign job_row    = rx_verdict == PAYLOAD;
    assign job_bytes  = rx_take_bytes;
    assign give_back  = leave && !job_valid;

    always_ff @(posedge clk) begin
        if (rst) begin
            state <= PICK;
            held  <= '0;
        end else begin
            case (state)
                PICK:    if (go && eligible != 0) state <= LOOK;
                LOOK:    state <= go ? OFFER : PICK;
                default: if (verdict || !go) state <= PICK;
            endcase
            if (verdict && rx_verdict == HOLD) held[slot] <= 1'b1;
            if (rx_retry || verdict && again || !go) held <= '0;
        end
        if (state == PICK) slot <= pick;
        again <= rx_retry || again && state == OFFER;
        if (first_valid) firsts[first_slot] <= first_data;
        if (about_valid) abouts[about_slot] <= {about_session, about_loop, about_bytes};
        if (state == LOOK) begin
            rx_beat                         <= firsts[slot];
            {rx_session, rx_loop, rx_bytes} <= abouts[slot];
        end
    end

    wire unused = &{1'b0, granted};

endmodule

`default_nettype wire
