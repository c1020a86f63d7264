// Offers packets to the inbound side: of each session the first, sessions in
// turn, but not those that are held until there may be room. What it leaves of a
// packet is offered as another one, after a look at what that begins with.
`default_nettype none

module rx_offer (
    input  wire                                 clk,
    input  wire                                 rst,
    input  wire                                 go,
    input  wire                                 reset_network, // packets are forgotten

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
    input  wire  [5:0]                          rx_before, // bytes of the header or of a beat that came before it
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] rx_rest,   // bytes at its end that are offered again
    input  wire                                 rx_retry,

    // What is to be read. A look is given back; there is room for it.
    output logic                                job_valid,
    output logic [engine_pkg::SLOT_WIDTH-1:0]   job_slot,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] job_from,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] job_bytes,
    output logic                                job_final,     // of its packet
    output logic                                job_look,
    input  wire                                 job_room,
    input  wire                                 look_valid,
    output logic                                look_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0]   look_data
);

    typedef enum logic [2:0] {
        PICK,
        LOOK,
        OFFER,
        ASK,   // for the first beat of what is left
        WAIT
    } state_t;

    localparam logic [1:0] DROP    = 2'd0;
    localparam logic [1:0] HOLD    = 2'd1;
    localparam logic [1:0] PAYLOAD = 2'd2;

    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned ABOUT  = 16 + 1 + LENGTH;
    localparam int unsigned BEAT   = engine_pkg::KEEP_WIDTH;

    logic [engine_pkg::DATA_WIDTH-1:0] firsts [engine_pkg::SLOTS];
    logic [ABOUT-1:0]                  abouts [engine_pkg::SLOTS];
    logic [engine_pkg::SLOTS-1:0]      held, eligible, granted;
    logic [LENGTH-1:0]                 froms [engine_pkg::SLOTS]; // where packets go on that have begun
    logic [engine_pkg::SLOTS-1:0]      begun;
    logic [engine_pkg::SLOT_WIDTH-1:0] pick, slot;
    state_t                            state;
    logic                              verdict, goes, shown, again; // again: there may be room again since the offer
    logic                              gone;                       // the packet has been forgotten
    logic [LENGTH-1:0]                 whole, from, left;

    assign eligible = front & ~held;

    round_robin #(.N(engine_pkg::SLOTS)) turn (
        .clk, .rst, .request(eligible), .advance(state == PICK && go), .grant(granted), .index(pick)
    );

    assign rx_valid   = state == OFFER;
    assign verdict    = rx_valid && rx_verdict_valid && go;
    assign goes       = verdict && rx_verdict != HOLD;
    assign leave      = goes && rx_rest == '0;
    assign leave_slot = slot;
    assign job_look   = state == ASK && job_room && !gone && !reset_network;
    assign job_valid  = goes && rx_verdict != DROP && rx_take_bytes != 0 || job_look;
    assign job_slot   = slot;
    assign job_from   = !rx_valid ? from : from + (rx_verdict == PAYLOAD ? LENGTH'(BEAT) : '0) - LENGTH'(rx_before);
    assign job_bytes  = rx_valid ? rx_take_bytes : left < LENGTH'(BEAT) ? left : LENGTH'(BEAT);
    assign job_final  = rx_valid && rx_rest == '0;
    assign give_back  = leave && !job_valid;
    assign rx_bytes   = whole - from;
    assign look_ready = state == WAIT && !first_valid;
    assign shown      = look_valid && look_ready && !gone && !reset_network;

    always_ff @(posedge clk) begin
        if (rst) begin
            state <= PICK;
            held  <= '0;
        end else begin
            case (state)
                PICK:    if (go && eligible != 0) state <= LOOK;
                LOOK:    state <= go ? OFFER : PICK;
                OFFER:   if (verdict || !go) state <= goes && !leave ? ASK : PICK;
                ASK:     if (gone || reset_network) state <= PICK;
                         else if (job_room) state <= WAIT;
                default: if (look_valid && look_ready) state <= PICK;
            endcase
            if (verdict && rx_verdict == HOLD) held[slot] <= 1'b1;
            if (rx_retry || verdict && again || !go) held <= '0;
        end
        if (state == PICK) slot <= pick;
        again <= rx_retry || again && state == OFFER;
        gone  <= reset_network || gone && (state == ASK || state == WAIT);
        if (first_valid || shown) firsts[first_valid ? first_slot : slot] <= first_valid ? first_data : look_data;
        if (about_valid) abouts[about_slot] <= {about_session, about_loop, about_bytes};
        if (goes) froms[slot] <= whole - rx_rest;
        if (first_valid) begun[first_slot] <= 1'b0;
        if (goes) begun[slot] <= 1'b1;
        if (state == LOOK) begin
            rx_beat                      <= firsts[slot];
            {rx_session, rx_loop, whole} <= abouts[slot];
            from                         <= begun[slot] ? froms[slot] : '0;
        end
        if (goes) begin
            from <= whole - rx_rest;
            left <= rx_rest;
        end
    end

    wire unused = &{1'b0, granted};

endmodule

`default_nettype wire
