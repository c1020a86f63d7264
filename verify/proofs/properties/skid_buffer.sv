`default_nettype none

// A skid buffer. Its places are for the invariants: the word at the output, and the spare one.
module buffer (
    input wire       clk,
    input wire       rst,
    input wire       in_valid,
    input wire       in_ready,
    input wire [1:0] in_data,
    input wire       out_valid,
    input wire       out_ready,
    input wire [1:0] out_data,
    input wire       spare_full,
    input wire [1:0] spare
);

    wire       started, watched;
    wire [1:0] inside, ahead, data;

    begins beginning (.*);
    stays #(.WIDTH(2)) out (.clk, .rst, .valid(out_valid), .ready(out_ready), .data(out_data));
    in_order #(.WIDTH(2), .CAPACITY(2)) words (
        .clk, .rst, .push(in_valid && in_ready), .in_data, .pop(out_valid && out_ready), .out_data,
        .inside, .watched, .ahead, .data
    );

    // Full rate: a word that may leave makes room for the next one.
    reg left;
    always @(posedge clk) left <= out_ready || rst;
    always @* if (started) begin
        if (left) room_behind_what_left: assert (in_ready);
        shows_what_it_has: assert (out_valid == (inside != 0));
    end

`ifdef INVARIANTS
    always @* if (started) begin
        assert (inside == out_valid + spare_full);
        assert (out_valid || !spare_full);
        if (watched && ahead == 0) assert (out_data == data);
        if (watched && ahead == 1) assert (spare == data);
    end
`endif

endmodule

// In registers, and in LUTRAM.
module proof (
    input wire       clk,
    input wire       rst,
    input wire [1:0] in_valid,
    input wire [3:0] in_data,
    input wire [1:0] out_ready
);

    wire [1:0] in_ready, out_valid, spare_full;
    wire [3:0] out_data, spare;

    skid_buffer #(.WIDTH(2), .WIDE(1'b0)) dut (
        .clk, .rst, .in_valid(in_valid[0]), .in_ready(in_ready[0]), .in_data(in_data[1:0]),
        .out_valid(out_valid[0]), .out_ready(out_ready[0]), .out_data(out_data[1:0])
    );
    skid_buffer #(.WIDTH(2), .WIDE(1'b1)) kept (
        .clk, .rst, .in_valid(in_valid[1]), .in_ready(in_ready[1]), .in_data(in_data[3:2]),
        .out_valid(out_valid[1]), .out_ready(out_ready[1]), .out_data(out_data[3:2])
    );

`ifdef INVARIANTS
    (* hierconn *) wire       \dut.spare_full ;
    (* hierconn *) wire [1:0] \dut.narrow.spare ;
    (* hierconn *) wire       \kept.spare_full ;
    (* hierconn *) wire       \kept.wide.head ;
    (* hierconn *) wire       \kept.wide.tail ;
    (* hierconn *) wire [1:0] \kept.wide.words[0] ;
    (* hierconn *) wire [1:0] \kept.wide.words[1] ;
    assign spare_full = {\kept.spare_full , \dut.spare_full };
    assign spare      = {\kept.wide.head ? \kept.wide.words[0] : \kept.wide.words[1] , \dut.narrow.spare };
    wire started;
    begins beginning (.*);
    always @* if (started) assert (\kept.wide.tail == \kept.wide.head ^ out_valid[1] ^ \kept.spare_full );
`endif

    buffer in_registers (
        .clk, .rst, .in_valid(in_valid[0]), .in_ready(in_ready[0]), .in_data(in_data[1:0]),
        .out_valid(out_valid[0]), .out_ready(out_ready[0]), .out_data(out_data[1:0]),
        .spare_full(spare_full[0]), .spare(spare[1:0])
    );
    buffer in_memory (
        .clk, .rst, .in_valid(in_valid[1]), .in_ready(in_ready[1]), .in_data(in_data[3:2]),
        .out_valid(out_valid[1]), .out_ready(out_ready[1]), .out_data(out_data[3:2]),
        .spare_full(spare_full[1]), .spare(spare[3:2])
    );

endmodule

`default_nettype wire
