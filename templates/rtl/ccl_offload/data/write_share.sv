// Shares the writer of what arrives with what moves keep. That comes with its
// data and goes first: packets can wait in their slots, so no more of them are
// begun than the writer needs to go on.
`default_nettype none

module write_share #(
    parameter int unsigned DEPTH = 8 // commands of the writer at a time
) (
    input  wire          clk,
    input  wire          rst,

    output logic         kept_idle,    // no write of it is under way
    input  wire          kept_due,     // there will be some
    input  wire          kept_valid,
    output logic         kept_ready,
    input  wire  [63:0]  kept_address, // in device memory
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] kept_bytes,
    input  wire          kept_data_valid,
    output logic         kept_data_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] kept_data,
    output logic         kept_done,
    output logic [31:0]  kept_code,

    input  wire          write_valid,
    output logic         write_ready,
    input  wire  [63:0]  write_address,
    input  wire          write_host,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] write_bytes,
    input  wire          write_data_valid,
    output logic         write_data_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] write_data,
    output logic         write_done,
    output logic [31:0]  write_code,

    output logic         port_valid,
    input  wire          port_ready,
    output logic [63:0]  port_address,
    output logic         port_host,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] port_bytes,
    output logic         port_data_valid,
    input  wire          port_data_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0] port_data,
    input  wire          port_done,
    input  wire  [31:0]  port_code
);

    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned COUNT  = $clog2(DEPTH + 1);

    localparam logic [2:0] SOON = 3'd7; // cycles after a beat that is kept in which the next one comes, mostly

    logic waits, waiter, kept, taken;    // who is offered, and stays so until he is taken
    logic [2:0] since;
    logic others;
    logic data_due, data_kept, data_last, data_moves, done_kept;
    logic [LENGTH-1:0] data_bytes;
    logic [COUNT-1:0]  under_way;
    logic _unused_data_room, _unused_done_room, _unused_done;
    logic [COUNT-1:0] data_count, _unused_done_count;
    logic [6:0] _unused_beat;
    logic [engine_pkg::KEEP_WIDTH-1:0] _unused_keep;

    assign kept         = waits ? waiter : kept_valid;
    assign others       = waits || data_count < (kept_due ? COUNT'(1) : COUNT'(2)) && !(kept_due && since != SOON);
    assign port_valid   = kept ? kept_valid : write_valid && others;
    assign port_address = kept ? kept_address : write_address;
    assign port_host    = !kept && write_host;
    assign port_bytes   = kept ? kept_bytes : write_bytes;
    assign kept_ready   = kept && port_ready;
    assign write_ready  = !kept && others && port_ready;
    assign taken        = port_valid && port_ready;

    always_ff @(posedge clk) begin
        waits  <= port_valid && !port_ready && !rst;
        waiter <= kept;
        if (rst) since <= SOON;
        else if (data_moves && data_kept) since <= '0;
        else if (since != SOON) since <= since + 1'b1;
    end

    fifo #(.WIDTH(1 + LENGTH), .DEPTH(DEPTH)) data_order (
        .clk, .rst, .clear(1'b0),
        .in_valid(taken), .in_ready(_unused_data_room), .in_data({kept, port_bytes}),
        .out_valid(data_due), .out_ready(data_moves && data_last),
        .out_data({data_kept, data_bytes}), .count(data_count)
    );
    beat_counter counter (
        .clk, .rst, .bytes(data_bytes), .move(data_moves),
        .last(data_last), .keep(_unused_keep), .beat_bytes(_unused_beat)
    );

    assign port_data_valid  = data_due && (data_kept ? kept_data_valid : write_data_valid);
    assign port_data        = data_kept ? kept_data : write_data;
    assign kept_data_ready  = data_due && data_kept && port_data_ready;
    assign write_data_ready = data_due && !data_kept && port_data_ready;
    assign data_moves       = port_data_valid && port_data_ready;

    fifo #(.WIDTH(1), .DEPTH(DEPTH)) done_order (
        .clk, .rst, .clear(1'b0),
        .in_valid(taken), .in_ready(_unused_done_room), .in_data(kept),
        .out_valid(_unused_done), .out_ready(port_done), .out_data(done_kept), .count(_unused_done_count)
    );

    assign kept_done  = port_done && done_kept;
    assign write_done = port_done && !done_kept;
    assign kept_code  = port_code;
    assign write_code = port_code;
    assign kept_idle  = under_way == '0;

    always_ff @(posedge clk) begin
        if (rst) under_way <= '0;
        else under_way <= under_way + COUNT'(taken && kept) - COUNT'(kept_done);
    end

endmodule

`default_nettype wire
