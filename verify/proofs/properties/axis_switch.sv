`default_nettype none

// One input and one output, any of them, are looked at; packets on the way from
// the one to the other are told by their data.
module proof (
    input wire       clk,
    input wire       rst,
    input wire [1:0] in_valid,
    input wire [1:0] in_last,
    input wire [1:0] in_mark,
    input wire [3:0] in_to,
    input wire [1:0] out_ready
);

    localparam N     = 2;
    localparam WIDTH = 8;

    wire [N-1:0]       in_ready, out_valid, out_last;
    wire [N*WIDTH-1:0] out_data;
    wire [N-1:0]       out_keep;
    wire [N*16-1:0]    out_dest;
    wire               started;
    (* anyconst *) wire from, to;

    // Data say which input they come from; the lowest bit is any.
    wire [N*WIDTH-1:0] in_data = {6'd0, 1'b1, in_mark[1], 6'd0, 1'b0, in_mark[0]};
    wire [N*16-1:0]    in_dest = {6'd0, in_to[3:2], 8'd0, 6'd0, in_to[1:0], 8'd0};

    axis_switch #(.N(N), .WIDTH(WIDTH)) dut (
        .clk, .rst,
        .s_tvalid(in_valid), .s_tready(in_ready), .s_tdata(in_data), .s_tkeep(in_mark), .s_tlast(in_last), .s_tdest(in_dest),
        .m_tvalid(out_valid), .m_tready(out_ready), .m_tdata(out_data), .m_tkeep(out_keep), .m_tlast(out_last), .m_tdest(out_dest)
    );

    begins beginning (.*);
    genvar i;
    generate for (i = 0; i < N; i = i + 1) begin : ports
        stays_outside #(.WIDTH(4)) in (
            .clk, .rst, .valid(in_valid[i]), .ready(in_ready[i]), .data({in_mark[i], in_last[i], in_to[2*i +: 2]})
        );
        stays #(.WIDTH(28)) out (
            .clk, .rst, .valid(out_valid[i]), .ready(out_ready[i]),
            .data({out_data[WIDTH*i +: WIDTH], out_keep[i], out_last[i], out_dest[16*i +: 16], 2'b00})
        );
    end endgenerate

    // A packet goes to one output: its TDEST stays.
    reg [N-1:0]   in_packet;
    reg [2*N-1:0] dest;
    wire [N-1:0]  takes = in_valid & in_ready;
    integer k;
    always @(posedge clk) begin
        for (k = 0; k < N; k = k + 1) begin
            if (takes[k]) in_packet[k] <= !in_last[k];
            if (takes[k]) dest[2*k +: 2] <= in_to[2*k +: 2];
        end
        if (rst) in_packet <= 0;
    end
    always @* for (k = 0; k < N; k = k + 1)
        if (in_packet[k]) assume (in_to[2*k +: 2] == dest[2*k +: 2]);

    // What comes out there of this input.
    wire       comes = out_valid[to] && out_data[WIDTH*to + 1] == from;
    wire       pop   = comes && out_ready[to];
    wire       push  = takes[from] && in_to[2*from +: 2] == to;
    wire [2:0] inside, ahead;
    wire       watched;
    wire [1:0] data;
    in_order #(.WIDTH(2), .CAPACITY(4), .COUNT(3)) beats (
        .clk, .rst, .push, .in_data({in_mark[from], in_last[from]}),
        .pop, .out_data({out_data[WIDTH*to], out_last[to]}),
        .inside, .watched, .ahead, .data
    );

    // Packets are whole: between the first and the last beat of one no other
    // input's comes out.
    reg out_packet, out_from;
    always @(posedge clk) begin
        if (out_valid[to] && out_ready[to]) begin
            out_packet <= !out_last[to];
            out_from   <= out_data[WIDTH*to + 1];
        end
        if (rst) out_packet <= 1'b0;
    end

    // A first beat that waits at an input of the switch's inside, for an output
    // that goes on taking: packets of others that begin in the meantime.
    reg [1:0] passed_over;
    wire      mine_waits = inside != 0;
    always @(posedge clk) begin
        if (pop || !mine_waits || out_packet && out_from == from) passed_over <= 0;
        else if (out_valid[to] && out_ready[to] && !comes && !out_packet) passed_over <= passed_over + 1'b1;
        if (rst) passed_over <= 0;
    end

    always @* if (started && !rst) begin
        if (comes) where_it_goes: assert (out_dest[16*to + 8 +: 8] == to && out_keep[to] == out_data[WIDTH*to]);
        if (out_packet && out_valid[to]) whole_packets: assert (out_data[WIDTH*to + 1] == out_from);
        takes_turns: assert (passed_over <= 3);
        two_beats: cover (pop && out_packet && out_last[to]);
        others_too: cover (passed_over != 0 && pop);
        nowhere: cover (takes[from] && in_to[2*from + 1]);
    end

endmodule

`default_nettype wire
