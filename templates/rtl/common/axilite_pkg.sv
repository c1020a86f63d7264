// AXI4-Lite between the parts of a kernel. Ports of kernels are single pins, by the
// names that the vendor's tools look for: axilite_port joins the two.
package axilite_pkg;

    // From the host. A slave takes as many of the address bits as it has registers for.
    typedef struct packed {
        logic        awvalid;
        logic [31:0] awaddr;
        logic        wvalid;
        logic [31:0] wdata;
        logic [3:0]  wstrb;
        logic        bready;
        logic        arvalid;
        logic [31:0] araddr;
        logic        rready;
    } request_t;

    // To the host.
    typedef struct packed {
        logic        awready;
        logic        wready;
        logic        bvalid;
        logic [1:0]  bresp;
        logic        arready;
        logic        rvalid;
        logic [31:0] rdata;
        logic [1:0]  rresp;
    } response_t;

endpackage
