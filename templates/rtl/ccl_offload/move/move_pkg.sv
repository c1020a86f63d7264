// What the parts of the move engine say to each other.
`default_nettype none

package move_pkg;

    // The registers of a move as they were when it was issued.
    typedef struct packed {
        logic [31:0] control;
        logic [31:0] bytes;
        logic [31:0] compressed_bytes;
        logic [31:0] tdest;
        logic [63:0] op0_address;
        logic [63:0] op1_address;
        logic [63:0] op2_address;
        logic [63:0] kept_address;
        logic [63:0] result_address;
        logic [31:0] comm;
        logic [31:0] source;
        logic [31:0] destination;
        logic [31:0] context_;
        logic [31:0] collective_number; // 0, as all of the collective, where the context is none of collectives
        logic [31:0] collective_count;
        logic [31:0] collective_shape;
        logic [31:0] tag;
        logic [31:0] strm;
        logic [31:0] chunk_bytes;
        logic [31:0] segment_bytes;
        logic [63:0] remote_address;
        logic [31:0] packet_index;
        logic [31:0] header_count;
        logic [31:0] window;
    } issue_t;

    // What was found of the ranks that it names.
    typedef struct packed {
        logic        source_ok;
        logic [31:0] source_record;
        logic [15:0] source_session;
        logic        destination_ok;
        logic        destination_self;
        logic [31:0] destination_record;
        logic [15:0] destination_session;
        logic [31:0] local_rank;
    } ranks_t;

    // A move in its queue.
    typedef struct packed {
        issue_t issue;
        ranks_t ranks;
    } move_t;

    // An operand as it is read.
    typedef struct packed {
        logic       present;
        logic       memory;
        logic       kernel;
        logic       message;
        logic       window;
        logic       host;
        logic       convert;
        logic [3:0] tdest;
        logic [2:0] log2;      // of the bytes of a unit
    } operand_plan_t;

    // How a move is done. Units are elements, those that are converted together, or
    // bytes if nothing is computed.
    typedef struct packed {
        operand_plan_t op0;
        operand_plan_t op1;
        logic [31:0]   units;
        logic          reduce;
        logic          apart;          // operand 1 to memory, operand 0 alone to the network
        logic          keeps;          // apart: operand 0 to memory, too
        logic          beside;         // the reduction to memory, operand 2 to the network
        logic          beside_convert; // by lane 1, which operand 1 passes
        logic [3:0]    beside_tdest;
        logic [2:0]    beside_log2;
        logic          to_memory;
        logic          to_kernel;
        logic          to_network;
        logic          result_host;
        logic          result_convert;
        logic          wire_convert;
        logic [3:0]    convert_tdest;
        logic [2:0]    result_log2;
        logic [2:0]    wire_log2;
        logic [2:0]    largest_log2;
        logic [31:0]   wire_bytes;
        logic          empty;          // there are no bytes anywhere
        logic          eager;
        logic          data;           // packets of rendezvous data
    } plan_t;

    // Session of a packet; all those to the engine itself take one way.
    localparam int unsigned KEY_WIDTH = 32'd17;

    // Cycles until it is known whether a session has room for a packet.
    localparam int unsigned OPEN_CYCLES = 32'd3;

    function logic goes_to_network(input logic [2:0] result);
        goes_to_network = result == 3'(cclo_pkg::MOVE_RESULT_NETWORK)
            || result == 3'(cclo_pkg::MOVE_RESULT_MEMORY_AND_NETWORK)
            || result == 3'(cclo_pkg::MOVE_RESULT_KERNEL_STREAM_AND_NETWORK)
            || result == 3'(cclo_pkg::MOVE_RESULT_APART)
            || result == 3'(cclo_pkg::MOVE_RESULT_BESIDE);
    endfunction

    // A sum whose upper half does not wait for the carry of the lower one. Its two
    // adders differ in width, lest synthesis make one of them.
    function logic [63:0] sum(input logic [63:0] a, input logic [63:0] b);
        logic [32:0] low, higher;
        logic [31:0] high;
        logic        _unused;
        begin
            low     = 33'(a[31:0]) + 33'(b[31:0]);
            high    = a[63:32] + b[63:32];
            higher  = {a[63:32], 1'b1} + {b[63:32], 1'b1};
            _unused = higher[0];
            sum     = {low[32] ? higher[32:1] : high, low[31:0]};
        end
    endfunction

    localparam bit _unused = ^{KEY_WIDTH, OPEN_CYCLES};

endpackage

`default_nettype wire
