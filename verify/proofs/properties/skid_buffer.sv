`default_nettype none

module proof (
    input wire       clk,
    input wire       rst,
    input wire       in_valid,
    input wire [1:0] in_data,
    input wire       out_ready
);

    wire       in_ready, out_valid, started, watched;
    wire [1:0] out_data, inside, ahead, data;

    skid_buffer #(.WIDTH(2)) dut (.*);

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
    (* hierconn *) wire       \dut.spare_full ;
    (* hierconn *) wire [1:0] \dut.spare ;
    always @* if (started) begin
        assert (inside == out_valid + \dut.spare_full );
        assert (out_valid || !\dut.spare_full );
        if (watched && ahead == 0) assert (out_data == data);
        if (watched && ahead == 1) assert (\dut.spare == data);
    end
`endif

endmodule

`default_nettype wire
