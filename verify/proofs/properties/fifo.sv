`default_nettype none

module proof (
    input wire       clk,
    input wire       rst,
    input wire       clear,
    input wire       in_valid,
    input wire [1:0] in_data,
    input wire       out_ready
);

    localparam DEPTH = 3;

    wire       in_ready, out_valid, started, watched;
    wire [1:0] out_data, count, data;
    wire [2:0] inside, ahead;

    fifo #(.WIDTH(2), .DEPTH(DEPTH)) dut (.*);

    begins beginning (.*);
    stays #(.WIDTH(2)) out (.clk, .rst(rst || clear), .valid(out_valid), .ready(out_ready), .data(out_data));
    in_order #(.WIDTH(2), .CAPACITY(DEPTH)) words (
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
    (* hierconn *) wire [1:0] \dut.head ;
    (* hierconn *) wire [1:0] \dut.tail ;
    (* hierconn *) wire [1:0] \dut.memory[0] ;
    (* hierconn *) wire [1:0] \dut.memory[1] ;
    (* hierconn *) wire [1:0] \dut.memory[2] ;
    wire [3:0] behind = \dut.head + inside;
    wire [3:0] at     = \dut.head + ahead;
    wire [1:0] place  = at >= DEPTH ? at - DEPTH : at;
    wire [1:0] there  = place == 0 ? \dut.memory[0] : place == 1 ? \dut.memory[1] : \dut.memory[2] ;
    always @* if (started) begin
        assert (\dut.head < DEPTH && \dut.tail < DEPTH);
        assert (\dut.tail == (behind >= DEPTH ? behind - DEPTH : behind));
        if (watched) assert (there == data);
    end
`endif

endmodule

`default_nettype wire
