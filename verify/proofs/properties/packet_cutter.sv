`default_nettype none

module proof (
    input wire        clk,
    input wire        rst,
    input wire        start,
    input wire        forget,
    input wire        opened,
    input wire        take,
    input wire [12:0] take_bytes,
    input wire [31:0] wire_bytes,
    input wire [31:0] segment_bytes,
    input wire [31:0] chunk_bytes,
    input wire [31:0] packet_index,
    input wire [31:0] remote_address,
    input wire        to_network,
    input wire        data,
    input wire        eager,
    input wire        compressed,
    input wire [31:0] context_,
    input wire [95:0] collective,
    input wire        notice
);

    localparam PAYLOAD = engine_pkg::PACKET_PAYLOAD;
    localparam SLOT    = engine_pkg::SLOT_BYTES;

    move_pkg::move_t     move;
    move_pkg::plan_t     plan;
    engine_pkg::packet_t packet;
    wire                 pending, too_large, ends, open, started;
    wire [12:0]          filled, room;

    always @* begin
        move                      = 0;
        plan                      = 0;
        move.issue.segment_bytes  = segment_bytes;
        move.issue.chunk_bytes    = chunk_bytes;
        move.issue.packet_index   = packet_index;
        move.issue.remote_address = remote_address;
        move.issue.context_       = context_;
        {move.issue.collective_number, move.issue.collective_count, move.issue.collective_shape} = collective;
        move.issue.control[cclo_pkg::MOVE_CONTROL_NOTICE_LOW] = notice;
        plan.wire_bytes           = wire_bytes;
        plan.to_network           = to_network;
        plan.data                 = data;
        plan.eager                = eager;
        plan.empty                = wire_bytes == 0;
        plan.largest_log2         = {1'b0, compressed, 1'b1};
        plan.wire_log2            = 3'd1;
    end

    packet_cutter dut (.*);

    begins beginning (.*);

    // What is left of the move, of its chunk and of its message: in no packet yet.
    reg         busy, next_headed, fresh;
    reg  [31:0] left, chunk, message, index, vaddr, waits;
    reg  [13:0] todo;     // bytes of the open packet
    wire        begin_move = start && to_network && !busy;
    wire [31:0] bytes      = 32'(packet.bytes);
    wire [31:0] chunk_now  = chunk != 0 ? chunk : !data && chunk_bytes != 0 && chunk_bytes < left ? chunk_bytes : left;
    wire [31:0] segment    = segment_bytes != 0 && segment_bytes < chunk_now ? segment_bytes : chunk_now;
    wire [31:0] size       = data ? (left < PAYLOAD ? left : PAYLOAD) : segment;
    wire [31:0] of         = message != 0 ? message : size;   // bytes that the packet begins with
    wire        fine       = compressed && eager && !engine_pkg::LOSSY;
    wire [31:0] slot       = fine ? SLOT / 2 : SLOT;
    wire [31:0] most       = message != 0 ? slot : fine ? PAYLOAD / 2 : PAYLOAD;
    wire [31:0] want       = of <= most ? of : of <= most + slot / 2 ? slot / 2 : most;
    wire        opens      = pending && opened;

    always @(posedge clk) begin
        if (begin_move) begin
            busy    <= 1'b1;
            left    <= wire_bytes;
            chunk   <= 0;
            message <= 0;
            todo    <= 0;
            index   <= packet_index;
            vaddr   <= remote_address;
            waits   <= 0;
        end else if (busy) begin
            waits <= pending || open ? 0 : waits + 1'b1;
            if (opens) begin
                left    <= left - bytes;
                message <= of - bytes;
                chunk   <= chunk_now - bytes;
                todo    <= bytes;
            end
            if (open && take) begin
                todo <= todo - take_bytes;
                if (todo == take_bytes) begin
                    index <= index + 1'b1;
                    vaddr <= vaddr + bytes;
                    if (left == 0) busy <= 1'b0;
                end
            end
        end
        if (rst || forget) busy <= 1'b0;
    end

    // The move stays while it is cut. One without bytes is never taken from.
    reg [164:0] was;
    always @(posedge clk)
        was <= {
            wire_bytes, segment_bytes, chunk_bytes, packet_index, remote_address, to_network, data, eager, compressed
        };
    always @* begin
        if (busy)
            assume (was == {
                wire_bytes, segment_bytes, chunk_bytes, packet_index, remote_address,
                to_network, data, eager, compressed
            });
        if (take) assume (take_bytes != 0 && take_bytes <= room);
        if (wire_bytes == 0) assume (!take);
        if (data) assume (!eager);
        if (started && !rst) begin
            only_of_a_move: assert (busy || !pending && !open);
            one_of_them: assert (!(pending && open));
            if (pending) begin
                its_collective: assert (packet.header.collective == collective && packet.header.notice == notice);
                counted: assert (packet.counted == (packet.headed && eager && !notice));
                header_first: assert (packet.headed == (message == 0));
                no_more_than_fits: assert (bytes == want && bytes <= most);
                says_the_end: assert (ends == (of == bytes));
                if (wire_bytes != 0) not_empty: assert (bytes != 0 && left >= bytes);
                if (packet.headed && (eager || data || wire_bytes != 0))
                    header_counts: assert (packet.header.count == (wire_bytes == 0 && !eager && !data ? 0 : size));
                numbered: assert (packet.header.seq == (data ? index : 32'd0));
                where_it_goes: assert (packet.header.vaddr[31:0] == (eager ? 32'd0 : vaddr));
            end
            if (open) fills_up: assert (room == todo && filled + room == bytes);
            if (busy) goes_on: assert (waits <= 4);
            two_packets: cover (pending && !packet.headed);
            two_messages: cover (pending && packet.headed && left != wire_bytes && left != bytes);
            whole_move: cover (busy && open && take && left == 0 && todo == take_bytes && index == packet_index + 1);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire [2:0]  \dut.state ;
    (* hierconn *) wire [31:0] \dut.left ;
    (* hierconn *) wire [31:0] \dut.chunk ;
    (* hierconn *) wire [31:0] \dut.message ;
    (* hierconn *) wire [31:0] \dut.rest ;
    (* hierconn *) wire [31:0] \dut.bytes ;
    (* hierconn *) wire [31:0] \dut.index ;
    (* hierconn *) wire [63:0] \dut.vaddr ;
    (* hierconn *) wire        \dut.headed ;
    (* hierconn *) wire        \dut.alone ;
    (* hierconn *) wire        \dut.fine ;
    // States of the block.
    wire in_chunk   = \dut.state == 1;
    wire in_message = \dut.state == 2;
    wire in_packet  = \dut.state == 3;
    wire is_pending = \dut.state == 4;
    wire is_open    = \dut.state == 5;
    always @* if (started && !rst) begin
        assert (\dut.state <= 5 && busy == (\dut.state != 0));
        if (busy) begin
            assert (\dut.fine == fine);
            assert (to_network && \dut.alone == (wire_bytes == 0) && \dut.index == (data ? index : 32'd0)
                && \dut.vaddr [31:0] == (eager ? 32'd0 : vaddr));
            assert (left <= wire_bytes && (wire_bytes == 0 || left >= chunk) && (chunk >= message));
            assert (pending || open || waits <= (in_packet ? 3 : in_message ? 2 : 1));
            if (data) assert (chunk == 0 || chunk == left);
        end
        if (in_chunk) assert (\dut.left == left && left != 0 && chunk == 0 && message == 0);
        if (in_message)
            assert (\dut.left == left && left != 0 && message == 0
                && \dut.chunk == chunk_now && chunk_now != 0 && chunk_now <= left);
        if (in_packet && wire_bytes != 0) begin
            assert (\dut.headed == (message == 0) && \dut.rest == of && of != 0);
            if (message == 0)
                assert (\dut.message == size && \dut.left == left
                    && \dut.chunk == chunk_now && chunk_now <= left && size <= chunk_now);
            else assert (\dut.left == left - message && \dut.chunk == chunk - message);
        end
        if (is_pending && wire_bytes != 0) begin
            assert (\dut.headed == (message == 0) && \dut.bytes == want && \dut.rest == of
                && ends == (of == want) && of <= left && of <= chunk_now && chunk_now <= left);
            assert (\dut.left == left - of && \dut.chunk == chunk_now - of);
            if (message == 0) assert (\dut.message == size);
        end
        if (is_open && wire_bytes != 0) begin
            assert (\dut.rest == message && ends == (message == 0) && \dut.left == left - message
                && \dut.chunk == chunk - message && \dut.bytes <= SLOT && todo != 0 && todo <= \dut.bytes );
        end
        if ((in_packet || is_pending) && wire_bytes == 0)
            assert (\dut.headed && \dut.rest == 0 && \dut.message == 0 && message == 0 && left == 0 && chunk == 0);
        if (is_pending) assert (room == \dut.bytes && filled == 0);
        if ((is_pending || is_open) && wire_bytes == 0) assert (ends);
        if (is_pending && wire_bytes == 0) assert (\dut.bytes == 0);
        if (is_open && wire_bytes == 0) assert (\dut.bytes == 0 && todo == 0 && message == 0 && left == 0);
    end
`endif

endmodule

`default_nettype wire
