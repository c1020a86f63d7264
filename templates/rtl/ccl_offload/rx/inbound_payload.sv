// Takes the payload of packets to memory and to the kernel, in the order in
// which they were let in, and tells when memory has it.
`default_nettype none

module inbound_payload (
    input  wire          clk,
    input  wire          rst,
    output logic         idle,
    input  wire          clear,        // while it is idle: nothing goes on

    // What is to be done with a packet. Only while there is room.
    output logic         room,
    input  wire          push,
    input  wire  [1:0]   push_kind,
    input  wire          push_last,    // message, put: nothing more follows; window: there is nothing wrong
    input  wire          push_more,    // window: the packet goes on
    input  wire          push_posted,  // window: it is the posted receive, and its packet a message
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] push_total, // window: bytes of the packet
    input  wire  [5:0]   push_level,   // put: bytes that it has left within a beat
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] push_bytes, // 0: there is nothing to move
    input  wire  [63:0]  push_address,
    input  wire          push_host,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] push_buffer,
    input  wire  [4:0]   push_window,
    input  wire  [2:0]   push_epoch,
    input  wire  [5:0]   push_index,
    input  wire  [7:0]   push_tdest,
    output logic         put_moved,    // a beat has gone to the kernel

    // The payload.
    input  wire          rx_data_valid,
    output logic         rx_data_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] rx_data,
    input  wire  [engine_pkg::KEEP_WIDTH-1:0] rx_data_keep,
    input  wire          rx_data_last,

    output logic         write_valid,
    input  wire          write_ready,
    output logic [63:0]  write_address,
    output logic         write_host,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] write_bytes,
    output logic         write_data_valid,
    input  wire          write_data_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0] write_data,
    output logic [engine_pkg::KEEP_WIDTH-1:0] write_data_keep,
    output logic         write_data_last,
    input  wire          write_done,
    input  wire  [31:0]  write_code,

    output logic         put_valid,
    input  wire          put_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0] put_data,
    output logic [engine_pkg::KEEP_WIDTH-1:0] put_keep,
    output logic         put_last,
    output logic [7:0]   put_tdest,

    // What has become of it.
    output logic         complete_valid,
    input  wire          complete_ready,
    output logic [engine_pkg::BUFFER_WIDTH-1:0] complete_buffer,
    output logic [1:0]   complete_result,
    output logic         written_valid,
    input  wire          written_ready,
    output logic [4:0]   written_window,
    output logic [2:0]   written_epoch,
    output logic [5:0]   written_index,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] written_bytes,
    output logic         written_good,
    input  wire          posted_open,
    output logic         posted_busy,  // bytes of the posted receive are under way
    output logic         landed_valid, // a message of it has been written
    input  wire          landed_ready,
    output logic         landed_good,
    output logic [31:0]  landed_code,
    output logic [engine_pkg::EVENT_WIDTH-1:0] events
);

    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned BUFFER = engine_pkg::BUFFER_WIDTH;
    localparam int unsigned DEPTH  = 8;
    localparam int unsigned TRACK  = 2 + 1 + 1 + 1 + 1 + BUFFER + 5 + 3 + 6 + LENGTH;

    // push_kind.
    localparam logic [1:0] MESSAGE = 2'd0; // into an rx buffer
    localparam logic [1:0] WINDOW  = 2'd1;
    localparam logic [1:0] PUT     = 2'd2; // to the kernel
    localparam logic [1:0] ABANDON = 2'd3; // the rest of a message will not come

    // complete_result.
    localparam logic [1:0] GOOD      = 2'd0;
    localparam logic [1:0] FAILED    = 2'd1;
    localparam logic [1:0] ABANDONED = 2'd2;

    logic              moves, writes;
    logic              route_ready, route_valid, route_put, route_ends, route_take;
    logic [5:0]        route_level;
    logic              beat_valid, beat_ready;
    logic              put_taken;                         // a beat of payload, to the kernel or to the next
    logic              command_ready, track_ready, track_valid, track_take;
    logic [1:0]        track_kind;
    logic              track_last, track_more, track_posted, track_waits;
    logic [BUFFER-1:0] track_buffer;
    logic              result_valid, result_take, unused_result_ready;
    logic [31:0]       result_code, code, posted_code; // posted_code: of the parts of its message before
    logic              posted_spoiled, landing;
    logic [3:0]        posted_count;
    logic [2**BUFFER-1:0] failed; // buffers into which something could not be written
    logic [31:0]       spoiled;   // windows, of the packet that goes on
    logic              early, bad, settled;
    logic [3:0]        route_count, command_count, track_count, unused_result_count;

    assign moves  = push_bytes != '0 && push_kind != ABANDON;
    assign writes = moves && push_kind != PUT;
    assign room   = route_ready && command_ready && track_ready;
    assign idle   = route_count == '0 && command_count == '0 && track_count == '0;

    fifo #(.WIDTH(1 + 1 + 6 + 8), .DEPTH(DEPTH)) routes (
        .clk, .rst, .clear(1'b0),
        .in_valid(push && moves), .in_ready(route_ready),
        .in_data({push_kind == PUT, push_last, push_level, push_tdest}),
        .out_valid(route_valid), .out_ready(route_take),
        .out_data({route_put, route_ends, route_level, put_tdest}), .count(route_count)
    );

    fifo #(.WIDTH(64 + 1 + LENGTH), .DEPTH(DEPTH)) commands (
        .clk, .rst, .clear(1'b0),
        .in_valid(push && writes), .in_ready(command_ready), .in_data({push_address, push_host, push_bytes}),
        .out_valid(write_valid), .out_ready(write_ready),
        .out_data({write_address, write_host, write_bytes}), .count(command_count)
    );

    fifo #(.WIDTH(TRACK), .DEPTH(DEPTH)) tracks (
        .clk, .rst, .clear(1'b0),
        .in_valid(push && push_kind != PUT), .in_ready(track_ready),
        .in_data({
            push_kind, push_last, push_more, push_posted, writes, push_buffer, push_window, push_epoch,
            push_index, push_total
        }),
        .out_valid(track_valid), .out_ready(track_take),
        .out_data({
            track_kind, track_last, track_more, track_posted, track_waits, track_buffer,
            written_window, written_epoch, written_index, written_bytes
        }),
        .count(track_count)
    );

    fifo #(.WIDTH(32), .DEPTH(DEPTH)) results (
        .clk, .rst, .clear(1'b0),
        .in_valid(write_done && !(early && track_take)), .in_ready(unused_result_ready), .in_data(write_code),
        .out_valid(result_valid), .out_ready(result_take && !early), .out_data(result_code), .count(unused_result_count)
    );

    // Payload.
    skid_buffer #(.WIDTH(engine_pkg::DATA_WIDTH + engine_pkg::KEEP_WIDTH + 1)) payload (
        .clk, .rst,
        .in_valid(rx_data_valid), .in_ready(rx_data_ready), .in_data({rx_data, rx_data_keep, rx_data_last}),
        .out_valid(beat_valid), .out_ready(beat_ready),
        .out_data({write_data, write_data_keep, write_data_last})
    );
    assign write_data_valid = beat_valid && route_valid && !route_put;
    assign beat_ready       = route_valid && (route_put ? put_taken : write_data_ready);
    assign route_take       = beat_valid && beat_ready && write_data_last;
    assign put_moved        = put_valid && put_ready;

    // Where packets are cut anywhere, puts have whole beats nevertheless.
    put_joiner joiner (
        .clk, .rst,
        .in_valid(beat_valid && route_valid && route_put), .in_ready(put_taken),
        .in_data(write_data), .in_keep(write_data_keep),
        .in_last(write_data_last), .in_level(engine_pkg::STREAMS ? route_level : '0),
        .in_ends(route_ends || !engine_pkg::STREAMS),
        .out_valid(put_valid), .out_ready(put_ready), .out_data(put_data), .out_keep(put_keep), .out_last(put_last)
    );

    // Results. One that is waited for counts in the cycle in which it comes.
    assign early           = track_waits && !result_valid && write_done;
    assign code            = !track_waits ? '0 : early ? write_code : result_code;
    assign bad             = code != '0
        || (track_kind == WINDOW ? !track_last || (track_posted ? posted_spoiled : spoiled[written_window])
            : failed[track_buffer]);
    assign settled         = track_valid && (!track_waits || result_valid || early);
    assign complete_valid  = settled && track_kind != WINDOW && track_last;
    assign complete_buffer = track_buffer;
    assign complete_result = bad ? FAILED : track_kind == ABANDON ? ABANDONED : GOOD;
    assign written_valid   = settled && track_kind == WINDOW && !track_more && !track_posted;
    assign written_good    = !bad;
    assign landing         = settled && track_posted && !track_more;
    assign posted_busy     = posted_count != '0;
    assign track_take      = settled && (complete_valid ? complete_ready : written_valid ? written_ready
        : !landing || !landed_valid || landed_ready);
    assign result_take     = track_take && track_waits;

    always_ff @(posedge clk) begin
        events <= '0;
        if (track_take && track_kind == WINDOW && !track_posted && track_waits && bad)
            events <= engine_pkg::EVENT_NO_WINDOW;
        if (track_take && track_kind == MESSAGE && track_last && bad) events <= engine_pkg::EVENT_NO_BUFFER;
        if (track_take && track_kind != WINDOW) failed[track_buffer] <= bad && !track_last;
        if (track_take && track_kind == WINDOW && !track_posted) spoiled[written_window] <= bad && track_more;
        if (track_take && track_posted) begin
            posted_spoiled <= bad && track_more;
            posted_code    <= track_more ? posted_code | code : '0;
        end
        landed_valid <= landing || landed_valid && !landed_ready;
        if (landing && track_take) begin
            landed_good <= !bad;
            landed_code <= posted_code | code;
        end
        posted_count <= posted_count + 4'(push && push_kind == WINDOW && push_posted) - 4'(track_take && track_posted);
        if (rst || clear) begin
            failed  <= '0;
            spoiled <= '0;
            events  <= '0;
        end
        if (!posted_open && posted_count == '0) begin
            posted_spoiled <= 1'b0;
            posted_code    <= '0;
        end
        if (rst) begin
            landed_valid <= 1'b0;
            posted_count <= '0;
        end
    end

endmodule

`default_nettype wire
