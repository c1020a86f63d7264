// Sends packets to other engines of the card. An engine may be sent as many
// packets as it has room for; requests for more are refused. Room that it has
// again comes back in beats of their own, which go before data.
`default_nettype none

module axis_transmit #(
    parameter int unsigned ID      = 0, // number of the engine
    parameter int unsigned ENGINES = 8, // of the card
    parameter int unsigned ROOM    = 4  // packets of each sender
) (
    input  wire          clk,
    input  wire          rst,

    input  wire          meta_tvalid,
    output logic         meta_tready,
    input  wire  [31:0]  meta_tdata,
    output logic         status_tvalid,
    input  wire          status_tready,
    output logic [63:0]  status_tdata,
    input  wire          data_tvalid,
    output logic         data_tready,
    input  wire  [511:0] data_tdata,
    input  wire  [63:0]  data_tkeep,
    input  wire          data_tlast,

    // Room at another engine, and room here for another engine.
    input  wire          there_valid,
    input  wire  [2:0]   there_engine,
    input  wire  [7:0]   there_count,
    input  wire          here_valid,
    input  wire  [2:0]   here_engine,

    output logic         net_tvalid,
    input  wire          net_tready,
    output logic [511:0] net_tdata,
    output logic [63:0]  net_tkeep,
    output logic         net_tlast,
    output logic [15:0]  net_tdest
);

    localparam int unsigned WIDTH = 4; // of a count of packets

    localparam logic [1:0] CLOSED  = 2'd1; // there is no such engine
    localparam logic [1:0] NO_ROOM = 2'd2;

    cclo_pkg::tcp_tx_meta_t   meta;
    cclo_pkg::tcp_tx_status_t status;

    logic [ENGINES*WIDTH-1:0] there, here;  // room there that is not used, room here that nobody knows of
    logic [ENGINES-1:0]       owing, chosen;
    logic [2:0]               to, back;
    logic                     known, good, take, status_ready, granted_ready, granted, done;
    logic [2:0]               target;
    logic [5:0]               count;
    logic [WIDTH-1:0]         room, returned;
    logic                     going, give_back, out_ready, out_valid;
    logic [593:0]             out;

    // Requests.
    assign meta        = meta_tdata;
    assign to          = meta.session[2:0];
    assign known       = 32'(meta.session) < ENGINES && meta.length != 0
        && 32'(meta.length) <= cclo_pkg::MAX_PACKET_BYTES;
    assign good        = known && room != 0;
    assign meta_tready = status_ready && granted_ready;
    assign take        = meta_tvalid && meta_tready;

    always_comb begin
        room     = '0;
        returned = '0;
        for (int unsigned i = 0; i < ENGINES; i++) begin
            if (to == 3'(i)) room = there[i*WIDTH +: WIDTH];
            if (back == 3'(i)) returned = here[i*WIDTH +: WIDTH];
            owing[i] = here[i*WIDTH +: WIDTH] != 0;
        end
    end

    always_comb begin
        status                 = '0;
        status.session         = meta.session;
        status.length          = meta.length;
        status.remaining_space = 30'(32'(room) * cclo_pkg::MAX_PACKET_BYTES);
        status.error           = good ? 2'd0 : known ? NO_ROOM : CLOSED;
    end

    skid_buffer #(.WIDTH(64)) answers (
        .clk, .rst,
        .in_valid(take), .in_ready(status_ready), .in_data(status),
        .out_valid(status_tvalid), .out_ready(status_tready), .out_data(status_tdata)
    );

    fifo #(.WIDTH(3), .DEPTH(ENGINES * ROOM)) targets (
        .clk, .rst, .clear(1'b0),
        .in_valid(take && good), .in_ready(granted_ready), .in_data(to),
        .out_valid(granted), .out_ready(done), .out_data(target), .count
    );

    // What goes. Between packets room goes back first.
    round_robin #(.N(ENGINES)) turn (
        .clk, .rst, .request(owing), .advance(give_back && out_ready), .grant(chosen), .index(back)
    );

    assign give_back   = !going && owing != 0;
    assign out_valid   = give_back || granted && data_tvalid;
    assign data_tready = granted && !give_back && out_ready;
    assign done        = data_tvalid && data_tready && data_tlast;
    assign out         = give_back ? {512'(returned), 64'd1, 1'b1, 1'b0, 5'd0, back, 1'b1, 7'(ID)}
                                   : {data_tdata, data_tkeep, data_tlast, 1'b0, 5'd0, target, 1'b0, 7'(ID)};

    logic pad;
    skid_buffer #(.WIDTH(594)) leaving (
        .clk, .rst,
        .in_valid(out_valid), .in_ready(out_ready), .in_data(out),
        .out_valid(net_tvalid), .out_ready(net_tready), .out_data({net_tdata, net_tkeep, net_tlast, pad, net_tdest})
    );

    always_ff @(posedge clk) begin
        if (rst) begin
            going <= 1'b0;
            here   <= '0;
            for (int unsigned i = 0; i < ENGINES; i++) there[i*WIDTH +: WIDTH] <= WIDTH'(ROOM);
        end else begin
            if (data_tvalid && data_tready) going <= !data_tlast;
            for (int unsigned i = 0; i < ENGINES; i++) begin
                there[i*WIDTH +: WIDTH] <= there[i*WIDTH +: WIDTH] - WIDTH'(take && good && to == 3'(i))
                    + (there_valid && there_engine == 3'(i) ? there_count[WIDTH-1:0] : '0);
                here[i*WIDTH +: WIDTH] <= (give_back && out_ready && chosen[i] ? '0 : here[i*WIDTH +: WIDTH])
                    + WIDTH'(here_valid && here_engine == 3'(i));
            end
        end
    end

    wire unused = &{1'b0, count, pad, there_count, meta};

endmodule

`default_nettype wire
