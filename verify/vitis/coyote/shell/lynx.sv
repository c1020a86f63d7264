// What an application sees of the Coyote shell, for checks of its sources: the types
// and interfaces that it uses, by the names that they have in the shell, and modules
// of the shell's whose names it must not have.
`define N_STRM_AXI 3
package lynxTypes;
    parameter integer N_STRM_AXI = `N_STRM_AXI;
    parameter integer N_CARD_AXI = `N_STRM_AXI;
    parameter integer N_RDMA_AXI = 2;

    typedef struct packed {
        logic [4:0]  opcode;
        logic [1:0]  strm;
        logic        mode;
        logic        rdma;
        logic        remote;
        logic [3:0]  vfid;
        logic [5:0]  pid;
        logic [3:0]  dest;
        logic        last;
        logic [47:0] vaddr;
        logic [27:0] len;
        logic        actv;
        logic        host;
        logic [5:0]  offs;
        logic [16:0] rsrvd;
    } req_t;

    typedef struct packed {
        logic [4:0] opcode;
        logic [1:0] strm;
        logic       remote;
        logic       host;
        logic [3:0] dest;
        logic [5:0] pid;
        logic [3:0] vfid;
        logic [8:0] rsrvd;
    } ack_t;

    typedef struct packed {
        logic [5:0]  pid;
        logic [31:0] value;
    } irq_not_t;
endpackage

interface AXI4L (input logic aclk);
    logic [63:0] araddr, awaddr, rdata, wdata;
    logic [2:0]  arprot, awprot;
    logic [7:0]  wstrb;
    logic [1:0]  rresp, bresp;
    logic        arready, arvalid, awready, awvalid, rready, rvalid, wready, wvalid, bready, bvalid;
    modport s (
        input araddr, arprot, arvalid, awaddr, awprot, awvalid, rready, wdata, wstrb, wvalid, bready,
        output arready, awready, rdata, rresp, rvalid, wready, bresp, bvalid
    );
endinterface

interface AXI4SR (input logic aclk);
    logic [511:0] tdata;
    logic [63:0]  tkeep;
    logic [5:0]   tid;
    logic         tlast, tready, tvalid;
    modport s (input tdata, tkeep, tid, tlast, tvalid, output tready);
    modport m (output tdata, tkeep, tid, tlast, tvalid, input tready);
endinterface

interface metaIntf #(parameter type STYPE = logic[63:0]) (input logic aclk);
    logic valid, ready;
    STYPE data;
    task tie_off_m(); data = '0; valid = 1'b0; endtask
    modport s (input valid, data, output ready);
    modport m (import tie_off_m, output valid, data, input ready);
endinterface

// Modules of the shell's own.
module fifo #(parameter DATA_BITS = 64, parameter FIFO_SIZE = 8) (input logic rd, input logic wr);
    wire _unused = &{1'b0, rd, wr};
endmodule
