`default_nettype none

module proof (
    input wire       clk,
    input wire       rst,
    input wire       in_valid,
    input wire [1:0] in_data,
    input wire       out_ready
);

    localparam DEPTH = 4;

    wire       in_ready, out_valid, started, watched;
    wire [1:0] out_data, data;
    wire [2:0] inside, ahead;

    line_fifo #(.WIDTH(2), .DEPTH(DEPTH)) dut (.*);

    begins beginning (.*);
    stays #(.WIDTH(2)) out (.clk, .rst, .valid(out_valid), .ready(out_ready), .data(out_data));
    in_order #(.WIDTH(2), .CAPACITY(DEPTH)) words (
        .clk, .rst, .push(in_valid && in_ready), .in_data, .pop(out_valid && out_ready), .out_data,
        .inside, .watched, .ahead, .data
    );

    // One a cycle: a word that was there before, behind none or one that has
    // left, stands at the output.
    reg had;
    always @(posedge clk) had <= !rst && inside > (out_valid && out_ready);
    always @* if (started) begin
        if (had) comes_at_once: assert (out_valid);
        uses_all_room: assert (in_ready == (inside != DEPTH));
        gets_full: cover (inside == DEPTH);
    end

`ifdef INVARIANTS
    (* hierconn *) wire [2:0] \dut.count ;
    (* hierconn *) wire [1:0] \dut.head ;
    (* hierconn *) wire [1:0] \dut.tail ;
    (* hierconn *) wire [1:0] \dut.memory[0] ;
    (* hierconn *) wire [1:0] \dut.memory[1] ;
    (* hierconn *) wire [1:0] \dut.memory[2] ;
    (* hierconn *) wire [1:0] \dut.memory[3] ;
    wire [7:0] memory = {\dut.memory[3] , \dut.memory[2] , \dut.memory[1] , \dut.memory[0] };
    wire [1:0] at     = \dut.head + ahead;
    always @* if (started) begin
        assert (\dut.count == inside);
        assert (\dut.tail == 2'(\dut.head + inside));
        assert (!out_valid || inside != 0);
        if (watched) assert (memory[2*at +: 2] == data);
        if (watched && ahead == 0 && out_valid) assert (out_data == data);
    end
`endif

endmodule

`default_nettype wire
