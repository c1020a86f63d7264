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
        .s_tvalid(in_valid), .s_tready(in_ready), .s_tdata(in_data),
        .s_tkeep(in_mark), .s_tlast(in_last), .s_tdest(in_dest),
        .m_tvalid(out_valid), .m_tready(out_ready), .m_tdata(out_data),
        .m_tkeep(out_keep), .m_tlast(out_last), .m_tdest(out_dest)
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

    // Packets of others that begin to come out while a beat waits that nothing of
    // its own input is in front of but what goes to the same output: as much as
    // an input holds went there.
    reg [2:0] passed_over;
    reg [1:0] same_way;   // the last two beats of the input
    wire      counts = &same_way && inside != 0;
    always @(posedge clk) begin
        if (takes[from]) same_way <= {same_way[0], push};
        if (pop || !counts || out_packet && out_from == from) passed_over <= 0;
        else if (out_valid[to] && out_ready[to] && !out_packet) passed_over <= passed_over + 1'b1;
        if (rst) passed_over <= 0;
        if (rst) same_way <= 2'b11;
    end

    always @* if (started && !rst) begin
        if (comes) where_it_goes: assert (out_dest[16*to + 8 +: 8] == to && out_keep[to] == out_data[WIDTH*to]);
        if (out_packet && out_valid[to]) whole_packets: assert (out_data[WIDTH*to + 1] == out_from);
        takes_turns: assert (passed_over <= 2);
        two_beats: cover (pop && out_packet && out_last[to]);
        others_too: cover (passed_over == 2 && pop);
        nowhere: cover (takes[from] && in_to[2*from + 1]);
    end

`ifdef INVARIANTS
    localparam BEAT = WIDTH + 18;
    (* hierconn *) wire [1:0]        \dut.in_valid ;
    (* hierconn *) wire [2*BEAT-1:0] \dut.in_beat ;
    (* hierconn *) wire              \dut.inputs[0].entering.spare_full ;
    (* hierconn *) wire              \dut.inputs[1].entering.spare_full ;
    (* hierconn *) wire [BEAT-1:0]   \dut.inputs[0].entering.narrow.spare ;
    (* hierconn *) wire [BEAT-1:0]   \dut.inputs[1].entering.narrow.spare ;
    (* hierconn *) wire              \dut.outputs[0].leaving.spare_full ;
    (* hierconn *) wire              \dut.outputs[1].leaving.spare_full ;
    (* hierconn *) wire [BEAT-1:0]   \dut.outputs[0].leaving.narrow.spare ;
    (* hierconn *) wire [BEAT-1:0]   \dut.outputs[1].leaving.narrow.spare ;
    (* hierconn *) wire              \dut.outputs[0].going ;
    (* hierconn *) wire              \dut.outputs[1].going ;
    (* hierconn *) wire [1:0]        \dut.outputs[0].owner ;
    (* hierconn *) wire [1:0]        \dut.outputs[1].owner ;
    (* hierconn *) wire [1:0]        \dut.outputs[0].turn.behind ;
    (* hierconn *) wire [1:0]        \dut.outputs[1].turn.behind ;

    // Where beats are, from the output on: the last place and the spare one of
    // the output, then those of the input.
    wire [2*BEAT-1:0] in_spare   = {\dut.inputs[1].entering.narrow.spare , \dut.inputs[0].entering.narrow.spare };
    wire [1:0]        in_full    = {\dut.inputs[1].entering.spare_full , \dut.inputs[0].entering.spare_full };
    wire [2*BEAT-1:0] out_spare  = {\dut.outputs[1].leaving.narrow.spare , \dut.outputs[0].leaving.narrow.spare };
    wire [1:0]        out_full   = {\dut.outputs[1].leaving.spare_full , \dut.outputs[0].leaving.spare_full };
    wire [2*BEAT-1:0] out_beat;
    wire [1:0]        goings     = {\dut.outputs[1].going , \dut.outputs[0].going };
    wire [3:0]        owners     = {\dut.outputs[1].owner , \dut.outputs[0].owner };
    wire [3:0]        behind     = {\dut.outputs[1].turn.behind , \dut.outputs[0].turn.behind };
    wire [3:0]        turns      = {~behind[3], behind[3], ~behind[1], behind[1]}; // who was granted before
    generate for (i = 0; i < N; i = i + 1) begin : shapes
        wire [BEAT-1:0] a = out_beat[BEAT*i +: BEAT];
        wire [BEAT-1:0] b = out_spare[BEAT*i +: BEAT];
        wire [BEAT-1:0] c = \dut.in_beat [BEAT*i +: BEAT];
        wire [BEAT-1:0] d = in_spare[BEAT*i +: BEAT];
        assign out_beat[BEAT*i +: BEAT] = {out_data[WIDTH*i +: WIDTH], out_keep[i], out_last[i], out_dest[16*i +: 16]};
        always @* if (started && !rst) begin
            assert (!behind[2*i]);
            if (goings[i]) assert (owners[2*i +: 2] == turns[2*i +: 2]);
            if (out_valid[i]) assert (a[25:20] == 0 && a[18] == a[17] && a[15:8] == i && a[7:0] == 0);
            if (out_full[i]) assert (out_valid[i] && b[25:20] == 0 && b[18] == b[17] && b[15:8] == i && b[7:0] == 0);
            if (\dut.in_valid [i])
                assert (c[25:20] == 0 && c[19] == i && c[18] == c[17] && c[15:10] == 0 && c[7:0] == 0);
            if (in_full[i])
                assert (\dut.in_valid [i] && d[25:20] == 0 && d[19] == i
                    && d[18] == d[17] && d[15:10] == 0 && d[7:0] == 0);
        end
    end endgenerate

    wire [BEAT-1:0] beat_0 = out_beat[BEAT*to +: BEAT];
    wire [BEAT-1:0] beat_1 = out_spare[BEAT*to +: BEAT];
    wire [BEAT-1:0] beat_2 = \dut.in_beat [BEAT*from +: BEAT];
    wire [BEAT-1:0] beat_3 = in_spare[BEAT*from +: BEAT];
    wire            there_0 = out_valid[to], there_1 = out_full[to];
    wire            there_2 = \dut.in_valid [from], there_3 = in_full[from];
    wire            mine_0  = there_0 && beat_0[19] == from;
    wire            mine_1  = there_1 && beat_1[19] == from;
    wire            mine_2  = there_2 && beat_2[9:8] == to;
    wire            mine_3  = there_3 && beat_3[9:8] == to;
    wire [2:0]      upto_0  = mine_0;
    wire [2:0]      upto_1  = upto_0 + mine_1;
    wire [2:0]      upto_2  = upto_1 + mine_2;
    wire [2:0]      upto_3  = upto_2 + mine_3;

    // Whose packet is behind the first, and behind the second place.
    wire       in_1   = there_0 ? !beat_0[16] : out_packet;
    wire       in_2   = there_1 ? !beat_1[16] : in_1;
    wire       from_1 = there_0 ? beat_0[19] : out_from;
    wire       from_2 = there_1 ? beat_1[19] : from_1;
    wire       going  = goings[to];
    wire [1:0] turn   = turns[2*to +: 2];

    // First beats of others that may come out before the one that waits.
    wire [2:0] other_0  = there_0 && !mine_0 && !out_packet;
    wire [2:0] other_1  = there_1 && !mine_1 && !in_1;
    wire [2:0] other_2  = !going && turn[from];
    wire [2:0] in_front = mine_0 ? 3'd0 : mine_1 ? other_0 : other_0 + other_1 + other_2;

    always @* if (started && !rst) begin
        assert (inside == upto_3);
        if (watched && mine_0 && ahead == 0) assert ({beat_0[18], beat_0[16]} == data);
        if (watched && mine_1 && ahead == upto_0) assert ({beat_1[18], beat_1[16]} == data);
        if (watched && mine_2 && ahead == upto_1) assert ({beat_2[18], beat_2[16]} == data);
        if (watched && mine_3 && ahead == upto_2) assert ({beat_3[18], beat_3[16]} == data);
        if (out_packet && there_0) assert (beat_0[19] == out_from);
        if (in_1 && there_1) assert (beat_1[19] == from_1);
        assert (going == in_2);
        if (going) assert (turn == 2'd1 << from_2);
        if (there_0) assert (turn == 2'd1 << (there_1 ? beat_1[19] : beat_0[19]));
        if (there_2) assert (same_way[there_3] == mine_2);
        if (there_3) assert (same_way[0] == mine_3);
        if (counts) assert (passed_over + in_front <= 2);
        else assert (passed_over <= 2);
    end
`endif

endmodule

`default_nettype wire
