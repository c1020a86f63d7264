// What the shell's requests and answers are made of: fields of lynxTypes::req_t
// and ack_t, and their values, for modules that do not know the shell's types.
`default_nettype none

package coyote_pkg;

    localparam logic [4:0] LOCAL_READ  = 5'd1;
    localparam logic [4:0] LOCAL_WRITE = 5'd2;

    localparam logic [1:0] STRM_CARD = 2'd0;
    localparam logic [1:0] STRM_HOST = 2'd1;
    localparam logic [1:0] STRM_RDMA = 2'd2;

    // Opcodes of the packets that tell of what a remote rank has sent (RoCE v2).
    localparam logic [4:0] SEND_FIRST  = 5'h0;
    localparam logic [4:0] SEND_MIDDLE = 5'h1;
    localparam logic [4:0] SEND_LAST   = 5'h2;
    localparam logic [4:0] SEND_ONLY   = 5'h4;
    localparam logic [4:0] WRITE_FIRST  = 5'h6;
    localparam logic [4:0] WRITE_MIDDLE = 5'h7;
    localparam logic [4:0] WRITE_LAST   = 5'h8;
    localparam logic [4:0] WRITE_ONLY   = 5'hA;

    // 98 bits.
    typedef struct packed {
        logic [4:0]  opcode;
        logic [1:0]  strm;
        logic [3:0]  vfid;
        logic [5:0]  pid;
        logic [3:0]  dest;
        logic        last;
        logic [47:0] vaddr;
        logic [27:0] len;
    } request_t;

endpackage

`default_nettype wire
