// Registers of the move to be issued. Writing the control word issues it: the
// addresses step on, the ranks that it names are looked up, and the move goes
// into its queue.
`default_nettype none

module move_registers (
    input  wire                            clk,
    input  wire                            rst,

    input  wire engine_pkg::reg_request_t  request,
    output engine_pkg::reg_response_t      response,
    output engine_pkg::selection_t         selection,

    output engine_pkg::peer_request_t      peer_request,
    input  wire engine_pkg::peer_response_t peer_response,

    // What becomes of an issued move is decided in one cycle, in which queues
    // do not change otherwise (hold).
    input  wire                            hold,
    output logic                           deciding,
    input  wire [engine_pkg::QUEUES-1:0]   refuses, // by queue: it drops what is issued
    input  wire [engine_pkg::QUEUES-1:0]   full,
    output logic [engine_pkg::QUEUES-1:0]  accepted,
    output logic [engine_pkg::QUEUES-1:0]  dropped,
    output logic [engine_pkg::QUEUES-1:0]  overflowed,

    // An accepted move is pending until it is in its queue.
    input  wire [engine_pkg::QUEUES-1:0]   clear,
    output logic [engine_pkg::QUEUES-1:0]  pending,
    output logic [engine_pkg::QUEUES-1:0]  push,
    output move_pkg::move_t                move,

    output logic                           issue_valid, // every move that is issued
    output move_pkg::issue_t               issue
);

    typedef enum logic [2:0] {IDLE, DECIDE, SOURCE, DESTINATION, PUSH} state_t;

    state_t               state;
    logic                 step;
    engine_pkg::control_t control;
    logic                 takes_message, to_network;
    logic [1:0]           queue_;
    logic [engine_pkg::QUEUES-1:0] queue_bit;

    logic        write, is_control, is_index, stall, index_busy, index_done;
    logic [31:0] index_count, wire_bytes, op0_bytes, op1_bytes, result_bytes;

    move_pkg::issue_t current;
    move_pkg::ranks_t ranks;
    logic [63:0] op0_stride, op1_stride, result_stride;
    logic        known;
    logic [31:0] value;
    logic        _unused;

    assign _unused = ^{control, current.control, peer_response.self};

    assign is_control = request.address == 8'(cclo_pkg::MOVE_CONTROL_OFFSET);
    assign is_index   = request.address == engine_pkg::MOVE_PACKET_INDEX;
    assign stall      = (is_control || is_index) && (index_busy || index_done || step)
        || is_control && state != IDLE;
    assign write      = request.valid && request.write && !response.ready && !stall;

    assign control       = engine_pkg::unpack_control(issue.control);
    assign queue_        = control.queue_;
    assign queue_bit     = engine_pkg::QUEUES'(1) << queue_;
    assign takes_message = control.op0 == 3'(cclo_pkg::MOVE_OPERAND_MESSAGE)
        || control.op1 == 3'(cclo_pkg::MOVE_OPERAND_MESSAGE);
    assign to_network    = move_pkg::goes_to_network(control.result);

    assign op0_bytes    = control.op0_compressed ? issue.compressed_bytes : issue.bytes;
    assign op1_bytes    = control.op1_compressed ? issue.compressed_bytes : issue.bytes;
    assign result_bytes = control.result_compressed ? issue.compressed_bytes : issue.bytes;
    assign wire_bytes   = control.network_compressed ? issue.compressed_bytes : issue.bytes;

    assign move = {issue, ranks};
    assign selection = {current.comm, current.source, current.destination, current.context_, current.tag,
        current.collective_number, current.collective_count, current.collective_shape};

    assign deciding   = state == DECIDE;
    assign accepted   = deciding && !hold ? queue_bit & ~refuses & ~full : '0;
    assign dropped    = deciding && !hold ? queue_bit & refuses : '0;
    assign overflowed = deciding && !hold ? queue_bit & ~refuses & full : '0;
    assign push       = state == PUSH ? pending : '0;

    assign peer_request.valid = state == SOURCE || state == DESTINATION;
    assign peer_request.comm  = issue.comm;
    assign peer_request.rank  = state == SOURCE ? issue.source : issue.destination;

    packet_count packets (
        .clk, .rst,
        .start(step && to_network && engine_pkg::HAS_RENDEZVOUS && control.kind == engine_pkg::TYPE_DATA),
        .bytes(wire_bytes), .done(index_done), .count(index_count), .busy(index_busy)
    );

    // The register that an access names.
    always_comb begin
        known = 1'b1;
        case (request.address)
            8'(cclo_pkg::MOVE_BYTES_OFFSET):               value = current.bytes;
            8'(cclo_pkg::MOVE_COMPRESSED_BYTES_OFFSET):    value = current.compressed_bytes;
            8'(cclo_pkg::MOVE_TDEST_OFFSET):               value = current.tdest;
            8'(cclo_pkg::MOVE_OP0_ADDRESS_OFFSET):         value = current.op0_address[31:0];
            8'(cclo_pkg::MOVE_OP0_ADDRESS_HIGH_OFFSET):    value = current.op0_address[63:32];
            8'(cclo_pkg::MOVE_OP1_ADDRESS_OFFSET):         value = current.op1_address[31:0];
            8'(cclo_pkg::MOVE_OP1_ADDRESS_HIGH_OFFSET):    value = current.op1_address[63:32];
            8'(cclo_pkg::MOVE_RESULT_ADDRESS_OFFSET):      value = current.result_address[31:0];
            8'(cclo_pkg::MOVE_RESULT_ADDRESS_HIGH_OFFSET): value = current.result_address[63:32];
            8'(cclo_pkg::MOVE_OP0_STRIDE_OFFSET):          value = op0_stride[31:0];
            8'(cclo_pkg::MOVE_OP0_STRIDE_HIGH_OFFSET):     value = op0_stride[63:32];
            8'(cclo_pkg::MOVE_OP1_STRIDE_OFFSET):          value = op1_stride[31:0];
            8'(cclo_pkg::MOVE_OP1_STRIDE_HIGH_OFFSET):     value = op1_stride[63:32];
            8'(cclo_pkg::MOVE_RESULT_STRIDE_OFFSET):       value = result_stride[31:0];
            8'(cclo_pkg::MOVE_RESULT_STRIDE_HIGH_OFFSET):  value = result_stride[63:32];
            8'(cclo_pkg::MOVE_COMM_OFFSET):                value = current.comm;
            8'(cclo_pkg::MOVE_SOURCE_OFFSET):              value = current.source;
            8'(cclo_pkg::MOVE_DESTINATION_OFFSET):         value = current.destination;
            8'(cclo_pkg::MOVE_COMM_CONTEXT_OFFSET):        value = current.context_;
            8'(cclo_pkg::MOVE_TAG_OFFSET):                 value = current.tag;
            8'(cclo_pkg::MOVE_CHUNK_BYTES_OFFSET):         value = current.chunk_bytes;
            8'(cclo_pkg::MOVE_SEGMENT_BYTES_OFFSET):       value = current.segment_bytes;
            8'(cclo_pkg::MOVE_STRM_OFFSET):                value = current.strm;
            8'(cclo_pkg::MOVE_OP2_ADDRESS_OFFSET):         value = current.op2_address[31:0];
            8'(cclo_pkg::MOVE_OP2_ADDRESS_HIGH_OFFSET):    value = current.op2_address[63:32];
            8'(cclo_pkg::MOVE_KEPT_ADDRESS_OFFSET):        value = current.kept_address[31:0];
            8'(cclo_pkg::MOVE_KEPT_ADDRESS_HIGH_OFFSET):   value = current.kept_address[63:32];
            8'(cclo_pkg::MOVE_COLLECTIVE_NUMBER_OFFSET):   value = current.collective_number;
            8'(cclo_pkg::MOVE_COLLECTIVE_COUNT_OFFSET):    value = current.collective_count;
            8'(cclo_pkg::MOVE_COLLECTIVE_SHAPE_OFFSET):    value = current.collective_shape;
            engine_pkg::MOVE_REMOTE_ADDRESS:               value = current.remote_address[31:0];
            engine_pkg::MOVE_REMOTE_ADDRESS_HIGH:          value = current.remote_address[63:32];
            engine_pkg::MOVE_PACKET_INDEX:                 value = current.packet_index;
            engine_pkg::MOVE_HEADER_COUNT:                 value = current.header_count;
            engine_pkg::MOVE_WINDOW:                       value = current.window;
            default: begin
                value = '0;
                known = 1'b0;
            end
        endcase
    end

    always_ff @(posedge clk) begin
        response.ready <= request.valid && !response.ready && !stall && !rst;
        response.error <= is_control ? !request.write : !known;
        response.rdata <= value;
    end

    function logic [63:0] stepped(input logic [1:0] kind, input logic [63:0] address, input logic [63:0] stride,
        input logic [31:0] bytes);
        stepped = move_pkg::sum(address, kind == 2'(cclo_pkg::MOVE_STEP_ADVANCE) ? 64'(bytes)
            : kind == 2'(cclo_pkg::MOVE_STEP_STRIDE) ? stride : '0);
    endfunction

    always_ff @(posedge clk) begin
        if (write) begin
            case (request.address)
                8'(cclo_pkg::MOVE_BYTES_OFFSET):               current.bytes <= request.wdata;
                8'(cclo_pkg::MOVE_COMPRESSED_BYTES_OFFSET):    current.compressed_bytes <= request.wdata;
                8'(cclo_pkg::MOVE_TDEST_OFFSET):               current.tdest <= request.wdata;
                8'(cclo_pkg::MOVE_OP0_ADDRESS_OFFSET):         current.op0_address[31:0] <= request.wdata;
                8'(cclo_pkg::MOVE_OP0_ADDRESS_HIGH_OFFSET):    current.op0_address[63:32] <= request.wdata;
                8'(cclo_pkg::MOVE_OP1_ADDRESS_OFFSET):         current.op1_address[31:0] <= request.wdata;
                8'(cclo_pkg::MOVE_OP1_ADDRESS_HIGH_OFFSET):    current.op1_address[63:32] <= request.wdata;
                8'(cclo_pkg::MOVE_RESULT_ADDRESS_OFFSET):      current.result_address[31:0] <= request.wdata;
                8'(cclo_pkg::MOVE_RESULT_ADDRESS_HIGH_OFFSET): current.result_address[63:32] <= request.wdata;
                8'(cclo_pkg::MOVE_OP0_STRIDE_OFFSET):          op0_stride[31:0] <= request.wdata;
                8'(cclo_pkg::MOVE_OP0_STRIDE_HIGH_OFFSET):     op0_stride[63:32] <= request.wdata;
                8'(cclo_pkg::MOVE_OP1_STRIDE_OFFSET):          op1_stride[31:0] <= request.wdata;
                8'(cclo_pkg::MOVE_OP1_STRIDE_HIGH_OFFSET):     op1_stride[63:32] <= request.wdata;
                8'(cclo_pkg::MOVE_RESULT_STRIDE_OFFSET):       result_stride[31:0] <= request.wdata;
                8'(cclo_pkg::MOVE_RESULT_STRIDE_HIGH_OFFSET):  result_stride[63:32] <= request.wdata;
                8'(cclo_pkg::MOVE_COMM_OFFSET):                current.comm <= request.wdata;
                8'(cclo_pkg::MOVE_SOURCE_OFFSET):              current.source <= request.wdata;
                8'(cclo_pkg::MOVE_DESTINATION_OFFSET):         current.destination <= request.wdata;
                8'(cclo_pkg::MOVE_COMM_CONTEXT_OFFSET):        current.context_ <= request.wdata;
                8'(cclo_pkg::MOVE_TAG_OFFSET):                 current.tag <= request.wdata;
                8'(cclo_pkg::MOVE_CHUNK_BYTES_OFFSET):         current.chunk_bytes <= request.wdata;
                8'(cclo_pkg::MOVE_SEGMENT_BYTES_OFFSET):       current.segment_bytes <= request.wdata;
                8'(cclo_pkg::MOVE_STRM_OFFSET):                current.strm <= request.wdata;
                8'(cclo_pkg::MOVE_OP2_ADDRESS_OFFSET):         current.op2_address[31:0] <= request.wdata;
                8'(cclo_pkg::MOVE_OP2_ADDRESS_HIGH_OFFSET):    current.op2_address[63:32] <= request.wdata;
                8'(cclo_pkg::MOVE_KEPT_ADDRESS_OFFSET):        current.kept_address[31:0] <= request.wdata;
                8'(cclo_pkg::MOVE_KEPT_ADDRESS_HIGH_OFFSET):   current.kept_address[63:32] <= request.wdata;
                8'(cclo_pkg::MOVE_COLLECTIVE_NUMBER_OFFSET):   current.collective_number <= request.wdata;
                8'(cclo_pkg::MOVE_COLLECTIVE_COUNT_OFFSET):    current.collective_count <= request.wdata;
                8'(cclo_pkg::MOVE_COLLECTIVE_SHAPE_OFFSET):    current.collective_shape <= request.wdata;
                engine_pkg::MOVE_REMOTE_ADDRESS:               current.remote_address[31:0] <= request.wdata;
                engine_pkg::MOVE_REMOTE_ADDRESS_HIGH:          current.remote_address[63:32] <= request.wdata;
                engine_pkg::MOVE_PACKET_INDEX:                 current.packet_index <= request.wdata;
                engine_pkg::MOVE_HEADER_COUNT:                 current.header_count <= request.wdata;
                engine_pkg::MOVE_WINDOW:                       current.window <= request.wdata;
                default: ;
            endcase
        end
        if (step) begin
            current.op0_address    <= stepped(control.op0_step, issue.op0_address, op0_stride, op0_bytes);
            current.op1_address    <= stepped(control.op1_step, issue.op1_address, op1_stride, op1_bytes);
            current.result_address <= stepped(control.result_step, issue.result_address, result_stride, result_bytes);
            if (control.remote_advance) current.remote_address <= move_pkg::sum(issue.remote_address, 64'(wire_bytes));
        end
        if (index_done) current.packet_index <= current.packet_index + index_count;
        if (rst) begin
            current       <= '0;
            op0_stride    <= '0;
            op1_stride    <= '0;
            result_stride <= '0;
        end
        current.control <= '0; // it is not kept
    end

    always_ff @(posedge clk) begin
        issue_valid <= write && is_control && !rst;
        step        <= write && is_control && !rst;
        if (rst) begin
            state   <= IDLE;
            pending <= '0;
        end else begin
            pending <= (accepted | pending) & ~clear & ~push;
            case (state)
                IDLE: if (write && is_control) state <= DECIDE;
                DECIDE: if (!hold) begin
                    if (accepted == '0) state <= IDLE;
                    else if (takes_message) state <= SOURCE;
                    else if (to_network) state <= DESTINATION;
                    else state <= PUSH;
                end
                SOURCE: if (peer_response.done) state <= to_network ? DESTINATION : PUSH;
                DESTINATION: if (peer_response.done) state <= PUSH;
                default: state <= IDLE;
            endcase
        end
        if (write && is_control) begin
            issue         <= current;
            issue.control <= request.wdata;
            ranks         <= '0;
            if (!current.context_[0])
                {issue.collective_number, issue.collective_count, issue.collective_shape} <= '0;
        end
        if (state == SOURCE && peer_response.done) begin
            ranks.source_ok      <= peer_response.ok;
            ranks.source_record  <= peer_response.record;
            ranks.source_session <= peer_response.session;
        end
        if (state == DESTINATION && peer_response.done) begin
            ranks.destination_ok      <= peer_response.ok;
            ranks.destination_self    <= peer_response.self;
            ranks.destination_record  <= peer_response.record;
            ranks.destination_session <= peer_response.session;
            ranks.local_rank          <= peer_response.local_rank;
        end
    end

endmodule

`default_nettype wire
