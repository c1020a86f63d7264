// Switch of AXI4-Streams: a packet goes to the output that bits 15:8 of its TDEST
// say, whole; inputs take turns. A packet to an output that is not there is
// dropped. All outputs are registered. The ports of one kind are side by side, the
// first one in the lowest bits.
`default_nettype none

module axis_switch #(
    parameter int unsigned N     = 3,  // streams in, and out
    parameter int unsigned WIDTH = 512 // bits of data
) (
    input  wire                  clk,
    input  wire                  rst,

    input  wire  [N-1:0]         s_tvalid,
    output logic [N-1:0]         s_tready,
    input  wire  [N*WIDTH-1:0]   s_tdata,
    input  wire  [N*WIDTH/8-1:0] s_tkeep,
    input  wire  [N-1:0]         s_tlast,
    input  wire  [N*16-1:0]      s_tdest,

    output logic [N-1:0]         m_tvalid,
    input  wire  [N-1:0]         m_tready,
    output logic [N*WIDTH-1:0]   m_tdata,
    output logic [N*WIDTH/8-1:0] m_tkeep,
    output logic [N-1:0]         m_tlast,
    output logic [N*16-1:0]      m_tdest
);

    localparam int unsigned KEEP = WIDTH / 8;
    localparam int unsigned BEAT = WIDTH + KEEP + 17;

    logic [N-1:0]      in_valid, in_ready, nowhere;
    logic [N*BEAT-1:0] in_beat;
    logic [N*8-1:0]    to;
    logic [N*N-1:0]    take; // of an output: inputs whose beat it takes

    genvar i, o;
    generate
        for (i = 0; i < N; i = i + 1) begin : inputs
            skid_buffer #(.WIDTH(BEAT)) entering (
                .clk, .rst,
                .in_valid(s_tvalid[i]), .in_ready(s_tready[i]),
                .in_data({s_tdata[i*WIDTH +: WIDTH], s_tkeep[i*KEEP +: KEEP], s_tlast[i], s_tdest[i*16 +: 16]}),
                .out_valid(in_valid[i]), .out_ready(in_ready[i]), .out_data(in_beat[i*BEAT +: BEAT])
            );
            assign to[i*8 +: 8] = in_beat[i*BEAT + 8 +: 8];
            assign nowhere[i]   = 32'(to[i*8 +: 8]) >= N;
        end

        for (o = 0; o < N; o = o + 1) begin : outputs
            logic [N-1:0]    request, chosen, owner, taking;
            logic [BEAT-1:0] beat;
            logic            going, valid, ready, last;
            logic [(N > 1 ? $clog2(N) : 1)-1:0] index;

            always_comb begin
                beat = '0;
                for (int unsigned k = 0; k < N; k++) begin
                    request[k] = in_valid[k] && to[k*8 +: 8] == 8'(o);
                    beat       = beat | (taking[k] ? in_beat[k*BEAT +: BEAT] : '0);
                end
            end

            round_robin #(.N(N)) turn (
                .clk, .rst, .request, .advance(!going && ready), .grant(chosen), .index
            );

            assign taking            = going ? owner : chosen;
            assign valid             = (taking & request) != 0;
            assign last              = beat[16];
            assign take[o*N +: N]    = ready ? taking & request : '0;

            always_ff @(posedge clk) begin
                if (rst) going <= 1'b0;
                else if (valid && ready) going <= !last;
                if (!going) owner <= chosen;
            end

            skid_buffer #(.WIDTH(BEAT)) leaving (
                .clk, .rst, .in_valid(valid), .in_ready(ready), .in_data(beat),
                .out_valid(m_tvalid[o]), .out_ready(m_tready[o]),
                .out_data({m_tdata[o*WIDTH +: WIDTH], m_tkeep[o*KEEP +: KEEP], m_tlast[o], m_tdest[o*16 +: 16]})
            );

            wire unused = &{1'b0, index};
        end
    endgenerate

    always_comb begin
        in_ready = nowhere;
        for (int unsigned k = 0; k < N; k++)
            for (int unsigned l = 0; l < N; l++) in_ready[k] = in_ready[k] | take[l*N + k];
    end

endmodule

`default_nettype wire
