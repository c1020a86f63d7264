// Model of the UDP stack: the host of the simulation is the network (network.h).
// TDEST is the socket. The Ethernet side is silent.
`default_nettype none

module networklayer #(
    parameter int ID = 0 // number of the network engine in the simulation
) (
    input  wire          ap_clk,
    input  wire          ap_rst_n,

    input  wire          S_AXIL_nl_awvalid,
    output logic         S_AXIL_nl_awready,
    input  wire  [15:0]  S_AXIL_nl_awaddr,
    input  wire          S_AXIL_nl_wvalid,
    output logic         S_AXIL_nl_wready,
    input  wire  [31:0]  S_AXIL_nl_wdata,
    input  wire  [3:0]   S_AXIL_nl_wstrb,
    output logic         S_AXIL_nl_bvalid,
    input  wire          S_AXIL_nl_bready,
    output logic [1:0]   S_AXIL_nl_bresp,
    input  wire          S_AXIL_nl_arvalid,
    output logic         S_AXIL_nl_arready,
    input  wire  [15:0]  S_AXIL_nl_araddr,
    output logic         S_AXIL_nl_rvalid,
    input  wire          S_AXIL_nl_rready,
    output logic [31:0]  S_AXIL_nl_rdata,
    output logic [1:0]   S_AXIL_nl_rresp,

    input  wire          S_AXIS_eth2nl_tvalid,
    output logic         S_AXIS_eth2nl_tready,
    input  wire  [511:0] S_AXIS_eth2nl_tdata,
    input  wire  [63:0]  S_AXIS_eth2nl_tkeep,
    input  wire          S_AXIS_eth2nl_tlast,
    output logic         M_AXIS_nl2eth_tvalid,
    input  wire          M_AXIS_nl2eth_tready,
    output logic [511:0] M_AXIS_nl2eth_tdata,
    output logic [63:0]  M_AXIS_nl2eth_tkeep,
    output logic         M_AXIS_nl2eth_tlast,

    input  wire          S_AXIS_sk2nl_tvalid,
    output logic         S_AXIS_sk2nl_tready,
    input  wire  [511:0] S_AXIS_sk2nl_tdata,
    input  wire  [63:0]  S_AXIS_sk2nl_tkeep,
    input  wire          S_AXIS_sk2nl_tlast,
    input  wire  [15:0]  S_AXIS_sk2nl_tdest,
    output logic         M_AXIS_nl2sk_tvalid,
    input  wire          M_AXIS_nl2sk_tready,
    output logic [511:0] M_AXIS_nl2sk_tdata,
    output logic [63:0]  M_AXIS_nl2sk_tkeep,
    output logic         M_AXIS_nl2sk_tlast,
    output logic [15:0]  M_AXIS_nl2sk_tdest
);

    import "DPI-C" function chandle sim_network_open(input int id, input bit asked_for, input bit notified);
    import "DPI-C" function void sim_network_reset(input chandle network);
    // A cycle: which outputs have something, and which inputs take something.
    import "DPI-C" function void sim_network_tick(input chandle network, output int now);
    import "DPI-C" function void sim_network_take(input chandle network, input bit announced, input int session,
                                                  input bit [511:0] data, input longint unsigned keep, input bit last);
    import "DPI-C" function void sim_network_beat(input chandle network, output int session, output bit [511:0] data,
                                                  output longint unsigned keep, output bit first, output bit last);

    // Bits of a tick.
    localparam int HAS_BEAT   = 2;
    localparam int TAKES_DATA = 6;

    wire clk = ap_clk;
    wire rst = !ap_rst_n;

    chandle network;
    initial network = sim_network_open(ID, 1'b0, 1'b0);

    int              now, session;
    bit              first, last;
    bit [511:0]      data;
    longint unsigned keep;

    always_ff @(posedge clk)
        if (rst) begin
            sim_network_reset(network);
            S_AXIS_sk2nl_tready <= 1'b0;
            M_AXIS_nl2sk_tvalid <= 1'b0;
        end else begin
            if (S_AXIS_sk2nl_tvalid && S_AXIS_sk2nl_tready)
                sim_network_take(network, 1'b0, 32'(S_AXIS_sk2nl_tdest),
                    S_AXIS_sk2nl_tdata, S_AXIS_sk2nl_tkeep, S_AXIS_sk2nl_tlast);
            sim_network_tick(network, now);
            S_AXIS_sk2nl_tready <= now[TAKES_DATA];
            if (!M_AXIS_nl2sk_tvalid || M_AXIS_nl2sk_tready) begin
                M_AXIS_nl2sk_tvalid <= now[HAS_BEAT];
                if (now[HAS_BEAT]) begin
                    sim_network_beat(network, session, data, keep, first, last);
                    M_AXIS_nl2sk_tdata <= data;
                    M_AXIS_nl2sk_tkeep <= keep;
                    M_AXIS_nl2sk_tlast <= last;
                    M_AXIS_nl2sk_tdest <= 16'(session);
                end
            end
        end

    sim_axilite_zero control (
        .clk, .rst,
        .awvalid(S_AXIL_nl_awvalid), .awready(S_AXIL_nl_awready), .wvalid(S_AXIL_nl_wvalid), .wready(S_AXIL_nl_wready),
        .bvalid(S_AXIL_nl_bvalid), .bready(S_AXIL_nl_bready), .bresp(S_AXIL_nl_bresp),
        .arvalid(S_AXIL_nl_arvalid), .arready(S_AXIL_nl_arready),
        .rvalid(S_AXIL_nl_rvalid), .rready(S_AXIL_nl_rready), .rdata(S_AXIL_nl_rdata), .rresp(S_AXIL_nl_rresp)
    );

    assign S_AXIS_eth2nl_tready = 1'b1;
    assign M_AXIS_nl2eth_tvalid = 1'b0;
    assign M_AXIS_nl2eth_tdata  = '0;
    assign M_AXIS_nl2eth_tkeep  = '0;
    assign M_AXIS_nl2eth_tlast  = 1'b0;

    wire unused = &{1'b0, S_AXIL_nl_awaddr, S_AXIL_nl_wdata, S_AXIL_nl_wstrb, S_AXIL_nl_araddr,
                    S_AXIS_eth2nl_tvalid, S_AXIS_eth2nl_tdata, S_AXIS_eth2nl_tkeep, S_AXIS_eth2nl_tlast,
                    M_AXIS_nl2eth_tready, now, session, first};

endmodule

`default_nettype wire
