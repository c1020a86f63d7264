`default_nettype none

// A queue of some depth. Its memory is for the invariants.
module queue #(
    parameter DEPTH = 2,
    parameter COUNT = $clog2(DEPTH + 1)
) (
    input wire               clk,
    input wire               rst,
    input wire               clear,
    input wire               in_valid,
    input wire               in_ready,
    input wire [1:0]         in_data,
    input wire               out_valid,
    input wire               out_ready,
    input wire [1:0]         out_data,
    input wire [COUNT-1:0]   count,
    input wire [1:0]         head,
    input wire [1:0]         tail,
    input wire [2*DEPTH-1:0] memory
);

    wire       started, watched;
    wire [1:0] data;
    wire [2:0] inside, ahead;

    begins beginning (.*);
    stays #(.WIDTH(2)) out (.clk, .rst(rst || clear), .valid(out_valid), .ready(out_ready), .data(out_data));
    in_order #(.WIDTH(2), .CAPACITY(DEPTH), .COUNT(3)) words (
        .clk, .rst(rst || clear), .push(in_valid && in_ready), .in_data, .pop(out_valid && out_ready), .out_data,
        .inside, .watched, .ahead, .data
    );

    always @* if (started) begin
        falls_through: assert (out_valid == (inside != 0));
        uses_all_room: assert (in_ready == (inside != DEPTH));
        counts: assert (count == inside);
        gets_full: cover (inside == DEPTH);
    end

`ifdef INVARIANTS
    wire [3:0] behind = head + inside;
    wire [3:0] at     = head + ahead;
    wire [1:0] place  = at >= DEPTH ? at - DEPTH : at;
    always @* if (started) begin
        assert (head < DEPTH && tail < DEPTH);
        assert (tail == (behind >= DEPTH ? behind - DEPTH : behind));
        if (watched) assert (memory[2*place +: 2] == data);
    end
`endif

endmodule

// One word, a number of words that is no power of two, and one that is.
module proof (
    input wire       clk,
    input wire       rst,
    input wire       clear,
    input wire [2:0] in_valid,
    input wire [5:0] in_data,
    input wire [2:0] out_ready
);

    wire [2:0] in_ready, out_valid, count_4;
    wire [5:0] out_data;
    wire [1:0] count_3;
    wire       count_1;

    fifo #(.WIDTH(2), .DEPTH(1)) one (
        .clk, .rst, .clear, .in_valid(in_valid[0]), .in_ready(in_ready[0]), .in_data(in_data[1:0]),
        .out_valid(out_valid[0]), .out_ready(out_ready[0]), .out_data(out_data[1:0]), .count(count_1)
    );
    fifo #(.WIDTH(2), .DEPTH(3)) three (
        .clk, .rst, .clear, .in_valid(in_valid[1]), .in_ready(in_ready[1]), .in_data(in_data[3:2]),
        .out_valid(out_valid[1]), .out_ready(out_ready[1]), .out_data(out_data[3:2]), .count(count_3)
    );
    fifo #(.WIDTH(2), .DEPTH(4)) four (
        .clk, .rst, .clear, .in_valid(in_valid[2]), .in_ready(in_ready[2]), .in_data(in_data[5:4]),
        .out_valid(out_valid[2]), .out_ready(out_ready[2]), .out_data(out_data[5:4]), .count(count_4)
    );

    wire [5:0] head, tail;
    wire [7:0] memory_4;
    wire [5:0] memory_3;
    wire [1:0] memory_1;
`ifdef INVARIANTS
    (* hierconn *) wire       \one.head ;
    (* hierconn *) wire       \one.tail ;
    (* hierconn *) wire [1:0] \one.memory[0] ;
    (* hierconn *) wire [1:0] \three.head ;
    (* hierconn *) wire [1:0] \three.tail ;
    (* hierconn *) wire [1:0] \three.memory[0] ;
    (* hierconn *) wire [1:0] \three.memory[1] ;
    (* hierconn *) wire [1:0] \three.memory[2] ;
    (* hierconn *) wire [1:0] \four.head ;
    (* hierconn *) wire [1:0] \four.tail ;
    (* hierconn *) wire [1:0] \four.memory[0] ;
    (* hierconn *) wire [1:0] \four.memory[1] ;
    (* hierconn *) wire [1:0] \four.memory[2] ;
    (* hierconn *) wire [1:0] \four.memory[3] ;
    assign head     = {\four.head , \three.head , 1'b0, \one.head };
    assign tail     = {\four.tail , \three.tail , 1'b0, \one.tail };
    assign memory_1 = \one.memory[0] ;
    assign memory_3 = {\three.memory[2] , \three.memory[1] , \three.memory[0] };
    assign memory_4 = {\four.memory[3] , \four.memory[2] , \four.memory[1] , \four.memory[0] };
`endif

    queue #(.DEPTH(1)) of_one (
        .clk, .rst, .clear, .in_valid(in_valid[0]), .in_ready(in_ready[0]), .in_data(in_data[1:0]),
        .out_valid(out_valid[0]), .out_ready(out_ready[0]), .out_data(out_data[1:0]), .count(count_1),
        .head(head[1:0]), .tail(tail[1:0]), .memory(memory_1)
    );
    queue #(.DEPTH(3)) of_three (
        .clk, .rst, .clear, .in_valid(in_valid[1]), .in_ready(in_ready[1]), .in_data(in_data[3:2]),
        .out_valid(out_valid[1]), .out_ready(out_ready[1]), .out_data(out_data[3:2]), .count(count_3),
        .head(head[3:2]), .tail(tail[3:2]), .memory(memory_3)
    );
    queue #(.DEPTH(4)) of_four (
        .clk, .rst, .clear, .in_valid(in_valid[2]), .in_ready(in_ready[2]), .in_data(in_data[5:4]),
        .out_valid(out_valid[2]), .out_ready(out_ready[2]), .out_data(out_data[5:4]), .count(count_4),
        .head(head[5:4]), .tail(tail[5:4]), .memory(memory_4)
    );

endmodule

`default_nettype wire
