// Keeps packets of other engines of the card until they are read: of each engine
// as many as it was told there is room for, so that the network never waits. A
// packet is notified when it is whole.
`default_nettype none

module axis_receive #(
    parameter int unsigned ENGINES = 8, // of the card
    parameter int unsigned ROOM    = 4  // packets of each sender
) (
    input  wire          clk,
    input  wire          rst,

    input  wire          net_tvalid,
    output logic         net_tready,
    input  wire  [511:0] net_tdata,
    input  wire  [63:0]  net_tkeep,
    input  wire          net_tlast,
    input  wire  [15:0]  net_tdest,

    output logic         there_valid,
    output logic [2:0]   there_engine,
    output logic [7:0]   there_count,
    output logic         here_valid,
    output logic [2:0]   here_engine,

    output logic         notification_tvalid,
    input  wire          notification_tready,
    output logic [127:0] notification_tdata,
    input  wire          read_pkg_tvalid,
    output logic         read_pkg_tready,
    input  wire  [31:0]  read_pkg_tdata,
    output logic         rx_meta_tvalid,
    input  wire          rx_meta_tready,
    output logic [15:0]  rx_meta_tdata,
    output logic         rx_data_tvalid,
    input  wire          rx_data_tready,
    output logic [511:0] rx_data_tdata,
    output logic [63:0]  rx_data_tkeep,
    output logic         rx_data_tlast,
    output logic [15:0]  rx_data_tdest
);

    localparam int unsigned PACKETS = ENGINES * ROOM;
    localparam int unsigned ROW     = $clog2(cclo_pkg::MAX_PACKET_BYTES / cclo_pkg::BEAT_BYTES);
    localparam int unsigned SLOT    = $clog2(ROOM);
    localparam int unsigned DEPTH   = 8;

    logic [511:0] memory [PACKETS << ROW];

    // What comes.
    logic [ENGINES*SLOT-1:0] fill;     // packet of each engine that is filled
    logic [ENGINES*SLOT-1:0] drain;    // and that is read
    logic [ENGINES*ROW-1:0]  position; // row of it that is read next
    logic [SLOT-1:0]         fill_slot, drain_slot;
    logic [ROW-1:0]          row, drain_row;
    logic [2:0]              from;
    logic                    credit, write, noted, noted_ready;
    logic [6:0]              bytes;
    logic [15:0]             length, note_length;
    logic [2:0]              note_engine;
    logic [5:0]              note_count;
    logic [ROW-1:0]          lasts [PACKETS];

    cclo_pkg::tcp_notification_t notification;
    cclo_pkg::tcp_read_request_t request;

    assign net_tready = 1'b1;
    assign from       = net_tdest[2:0];
    assign credit     = net_tvalid && net_tdest[7];
    assign write      = net_tvalid && !net_tdest[7];
    assign noted      = write && net_tlast;
    assign length     = 16'({row, 6'd0}) + 16'(bytes);

    always_comb begin
        bytes = '0;
        for (int unsigned i = 0; i < 64; i++) bytes = bytes + 7'(net_tkeep[i]);
        fill_slot  = '0;
        drain_slot = '0;
        drain_row  = '0;
        for (int unsigned i = 0; i < ENGINES; i++) begin
            if (from == 3'(i)) fill_slot = fill[i*SLOT +: SLOT];
            if (request.session[2:0] == 3'(i)) begin
                drain_slot = drain[i*SLOT +: SLOT];
                drain_row  = position[i*ROW +: ROW];
            end
        end
    end

    fifo #(.WIDTH(19), .DEPTH(PACKETS)) notes (
        .clk, .rst, .clear(1'b0),
        .in_valid(noted), .in_ready(noted_ready), .in_data({from, length}),
        .out_valid(notification_tvalid), .out_ready(notification_tready),
        .out_data({note_engine, note_length}), .count(note_count)
    );

    always_comb begin
        notification         = '0;
        notification.session = 16'(note_engine);
        notification.length  = note_length;
    end
    assign notification_tdata = notification;

    // What is read: a packet or a part of it.
    logic           active, issue, last, ends, start, meta_ready, beat_ready;
    logic [2:0]     engine, beat_end_engine;
    logic [SLOT-1:0] slot;
    logic [ROW-1:0] at, final_row;
    logic [ROW:0]   left;
    logic [5:0]     end_;
    logic [3:0]     credits, beat_count;
    logic [1:0]     coming;
    logic [9:0]     around_1, around_2;
    logic [511:0]   word, word_2;
    logic [5:0]     out_end;
    logic [15:0]    wanted;

    assign request         = read_pkg_tdata;
    assign wanted          = request.length - 1'b1;
    assign read_pkg_tready = !active && meta_ready;
    assign start           = read_pkg_tvalid && read_pkg_tready && request.length != 0;
    assign issue           = active && credits != 0;
    assign last            = left == 0;
    assign ends            = issue && last;

    skid_buffer #(.WIDTH(16)) metas (
        .clk, .rst, .in_valid(start), .in_ready(meta_ready), .in_data(request.session),
        .out_valid(rx_meta_tvalid), .out_ready(rx_meta_tready), .out_data(rx_meta_tdata)
    );

    fifo #(.WIDTH(522), .DEPTH(DEPTH)) beats (
        .clk, .rst, .clear(1'b0),
        .in_valid(coming[1]), .in_ready(beat_ready), .in_data({word_2, around_2}),
        .out_valid(rx_data_tvalid), .out_ready(rx_data_tready),
        .out_data({rx_data_tdata, rx_data_tlast, out_end, beat_end_engine}), .count(beat_count)
    );
    assign rx_data_tdest = 16'(beat_end_engine);
    always_comb for (int unsigned i = 0; i < 64; i++) rx_data_tkeep[i] = 6'(i) <= out_end;

    // The last row of the packet was read: there is room for another one.
    assign final_row   = lasts[{engine, slot}];
    assign here_valid  = ends && at == final_row;
    assign here_engine = engine;

    always_ff @(posedge clk) begin
        if (write) memory[{from, fill_slot, row}] <= net_tdata;
        if (noted) lasts[{from, fill_slot}] <= row;
        word         <= memory[{engine, slot, at}];
        word_2       <= word;
        around_1     <= {last, last ? end_ : 6'd63, engine};
        around_2     <= around_1;
        there_valid  <= credit && !rst;
        there_engine <= from;
        there_count  <= net_tdata[7:0];
        if (rst) begin
            row      <= '0;
            fill     <= '0;
            drain    <= '0;
            position <= '0;
            active   <= 1'b0;
            coming   <= '0;
            credits  <= 4'(DEPTH);
        end else begin
            if (write) row <= net_tlast ? '0 : row + 1'b1;
            if (start) active <= 1'b1;
            else if (ends) active <= 1'b0;
            coming  <= {coming[0], issue};
            credits <= credits - 4'(issue) + 4'(rx_data_tvalid && rx_data_tready);
            for (int unsigned i = 0; i < ENGINES; i++) begin
                if (noted && from == 3'(i)) fill[i*SLOT +: SLOT] <= fill_slot + 1'b1;
                if (ends && engine == 3'(i)) begin
                    position[i*ROW +: ROW] <= here_valid ? '0 : at + 1'b1;
                    if (here_valid) drain[i*SLOT +: SLOT] <= slot + 1'b1;
                end
            end
        end
        if (start) begin
            engine <= request.session[2:0];
            slot   <= drain_slot;
            at     <= drain_row;
            {left, end_} <= wanted[ROW+6:0];
        end else if (issue) begin
            at   <= at + 1'b1;
            left <= left - 1'b1;
        end
    end

    wire unused = &{1'b0, noted_ready, note_count, beat_ready, beat_count, net_tdest, net_tdata, wanted, request};

endmodule

`default_nettype wire
