// Does the moves of one queue: checks each, waits for what it needs, and cuts
// it into slices for the data path. The next move is cut while slices of those
// before it are still under way. A move that fails takes all later ones of its
// queue with it.
`default_nettype none

module move_channel #(
    parameter int unsigned QUEUE = 0 // number of the queue that it works through
) (
    input  wire                                clk,
    input  wire                                rst,
    input  wire                                reset_moves,
    input  wire                                tick_millisecond,
    input  wire [31:0]                         limit_cycles,
    input  wire [31:0]                         remote_milliseconds,
    input  wire                                network_enable,

    input  wire                                queue_valid,
    output logic                               queue_ready,
    input  wire move_pkg::move_t               queue_move,
    input  wire                                abort,
    output logic                               completed, // a move
    output logic                               failed,    // a move, and all later ones with it
    output logic [31:0]                        failure,
    output logic [95:0]                        failing,   // source, tag and bytes of the move
    output logic                               idle,
    output logic [2:0]                         stands,    // it waits: for a packet slot, the kernel, a remote rank

    output engine_pkg::match_request_t         match_request,
    input  wire engine_pkg::match_response_t   match_response,
    input  wire                                messages_changed,
    output logic                               release_valid,
    input  wire                                release_ready,
    output logic [engine_pkg::BUFFER_WIDTH-1:0] release_buffer,

    output engine_pkg::window_request_t        window_request,
    input  wire engine_pkg::window_response_t  window_response,
    input  wire                                windows_changed,

    output logic                               open_valid,
    input  wire                                open_ready,
    output engine_pkg::packet_t                open_packet,
    input  wire [engine_pkg::SLOT_WIDTH-1:0]   open_slot,
    output logic                               abandon,   // the message that is under way, until done
    input  wire                                abandon_done,

    output logic                               kernel_in_wanted,
    output logic                               kernel_out_wanted,
    input  wire                                kernel_granted,
    input  wire [31:0]                         kernel_in_bytes,
    input  wire [31:0]                         kernel_out_bytes,
    input  wire                                kernel_in_settled,
    input  wire                                kernel_out_settled,
    input  wire                                data_flushing, // the kernel streams are emptied
    output logic                               kernel_drop, // what is left of a beat

    output logic                               slice_valid,
    input  wire                                slice_ready,
    output engine_pkg::slice_t                 slice,
    output logic [move_pkg::KEY_WIDTH-1:0]     slice_key,
    output logic                               slice_commits, // completes a packet
    output logic                               slice_ends,    // and with it the message
    input  wire engine_pkg::retire_t           retire,
    output logic                               restart     // the queue has failed and starts anew
);

    localparam int unsigned W = engine_pkg::LENGTH_WIDTH;

    typedef enum logic [4:0] {
        IDLE,
        CHECK,
        CHECKED,
        VERDICT,
        KERNEL,       // until it has the kernel streams
        MESSAGE,      // without payload
        MESSAGE_DROP,
        SOURCES,      // until there is something for a slice
        SIZE,
        BUILD,
        SLICE,
        DRAIN,        // until no slice is under way
        FORGET,       // the open packet
        FORGOTTEN,
        RELEASE,      // what it holds
        ABANDON,
        END
    } state_t;

    // What it waits for.
    localparam logic [1:0] WAITS_NOTHING = 2'd0;
    localparam logic [1:0] WAITS_RECEIVE = 2'd1;
    localparam logic [1:0] WAITS_KERNEL  = 2'd2;
    localparam logic [1:0] WAITS_PACKET  = 2'd3;

    state_t            state;
    move_pkg::move_t   move;
    move_pkg::plan_t   plan;
    logic [31:0]       check_code, code;
    logic              faulty, resetting, aborting, ending;
    logic              accepted, mine, fence, done_bare, done_last;
    logic              give_up, takes_message, message_idle;

    engine_pkg::control_t control;

    assign control = engine_pkg::unpack_control(move.issue.control);
    assign fence   = control.fence;

    assign mine     = retire.valid && retire.queue_ == engine_pkg::QUEUE_WIDTH'(QUEUE);
    assign accepted = slice_valid && slice_ready;
    assign ending   = faulty || code != '0 || resetting;

    move_check check (.clk, .move, .network_enable, .code(check_code), .plan);

    // Moves under way.
    logic drained, order_empty, order_completed;

    assign done_bare = state == VERDICT && !give_up && check_code == '0 && (!fence || order_empty)
        && plan.empty && !takes_message && !plan.to_network
        || state == MESSAGE_DROP && message_idle && !plan.to_network;
    assign done_last = state == SLICE && accepted && slice.last;

    move_order order (
        .clk, .rst, .clear(failed), .freeze(ending),
        .push(done_bare || done_last || done_landed), .without_slices(done_bare || done_landed),
        .dispatched(accepted), .retired(mine), .retired_last(retire.last),
        .completed(order_completed), .drained, .empty(order_empty)
    );

    // Operands.
    logic        message_held, message_mismatch, message_stored, message_want, message_drop, window_idle;
    logic [31:0] message_bytes, op0_window, op1_window;
    logic [63:0] message_address, op0_address, op1_address, op2_address, kept_address, result_address;
    logic [engine_pkg::BUFFER_WIDTH-1:0] message_buffer;
    logic [1:0]  window_want, window_short, window_known, window_ok, window_more, window_host;
    logic [W-1:0] message_take;

    // A receive alone, of what goes to memory as it comes, is posted: messages
    // that are not here yet go there without slices.
    logic              landed, lands, landed_known, landed_all, landed_take, done_landed;
    logic [31:0]       landed_code;
    engine_pkg::post_t post;

    assign takes_message = plan.op0.message || plan.op1.message;
    assign message_take  = plan.op0.message ? slice.op0.bytes : slice.op1.bytes;

    message_source messages (
        .clk, .rst, .move, .want(message_want), .drop(message_drop), .post,
        .held(message_held), .mismatch(message_mismatch), .landed, .lands, .landed_code, .idle(message_idle),
        .landed_take,
        .bytes(message_bytes), .address(message_address),
        .stored(message_stored), .buffer_(message_buffer),
        .take(state == SLICE && accepted && takes_message && !plan.empty), .take_bytes(message_take),
        .match_request, .match_response, .messages_changed,
        .release_valid, .release_ready, .release_buffer
    );

    window_source windows (
        .clk, .rst, .forget(state == VERDICT), .want(window_want), .short(window_short), .window(move.issue.window),
        .op0_address, .op1_address, .idle(window_idle), .known(window_known), .ok(window_ok), .more(window_more),
        .host(window_host), .op0_bytes(op0_window), .op1_bytes(op1_window),
        .take(state == SLICE && accepted), .op0_take(slice.op0.bytes), .op1_take(slice.op1.bytes),
        .window_request, .window_response, .windows_changed
    );

    // Packets.
    logic              packet_pending, packet_too_large, packet_open, packet_ends, opened, headed;
    logic [W-1:0]      packet_filled, packet_room;
    logic [engine_pkg::SLOT_WIDTH-1:0] slot;

    assign opened = open_valid && open_ready;

    packet_cutter packets (
        .clk, .rst, .start(state == VERDICT && !give_up && check_code == '0 && (!fence || order_empty)),
        .forget(state == RELEASE), .move, .plan,
        .pending(packet_pending), .too_large(packet_too_large), .packet(open_packet), .ends(packet_ends), .opened,
        .open(packet_open), .filled(packet_filled), .room(packet_room),
        .take(state == SLICE && accepted && slice.to_network), .take_bytes(slice.wire_bytes)
    );

    // What keeps each part of the next slice from being there, as it was in the
    // cycle before. A slice that has gone shows in it after two cycles, in the
    // kernel streams after three.
    logic [31:0] units_left, gone_units, gone_bytes; // gone: with what landed, or with a slice
    logic [1:0]  op0_waits, op1_waits, result_waits, waits, stood;
    logic [31:0] op0_code, op1_code, sources_code, timeout_code;
    logic [2:0]  message_log2;
    logic        message_little, message_lacks, message_wrong, message_other;
    logic [1:0]  window_little, window_lacks, window_bad, window_split, kernel_lacks;
    logic        result_lacks, steady, op0_there, sources_ready, limit_expired;

    assign message_log2     = plan.op0.message ? plan.op0.log2 : plan.op1.log2;
    assign message_little   = message_bytes >> message_log2 == '0;
    assign window_little[0] = op0_window >> plan.op0.log2 == '0;
    assign window_little[1] = op1_window >> plan.op1.log2 == '0;
    assign steady           = stood[plan.op0.kernel || plan.op1.kernel || plan.to_kernel];

    assign post.offered = plan.op0.message && !plan.op0.convert && !plan.op1.present && !plan.empty && drained
        && plan.to_memory && !plan.result_convert && !plan.to_network && !plan.to_kernel;
    assign post.host    = plan.result_host;
    assign post.address = result_address;
    assign post.bytes   = units_left; // units of what is not converted are bytes
    assign gone_units   = state == SOURCES ? message_bytes : 32'(slice_units);
    assign gone_bytes   = state == SOURCES ? message_bytes : 32'(slice.result_bytes);
    assign landed_take  = state == SOURCES && landed_known && !give_up && (!landed_all || drained);
    assign done_landed  = landed_take && landed_all && landed_code == '0;

    always_ff @(posedge clk) begin
        landed_known  <= landed && !landed_take && state == SOURCES;
        landed_all    <= message_bytes == post.bytes;
        stood         <= state == SOURCES ? {stood[0], 1'b1} : '0;
        message_lacks <= !message_held || message_bytes == '0;
        message_wrong <= message_held && message_bytes != '0
            && (message_little || message_bytes > units_left << message_log2);
        message_other <= message_mismatch;
        window_lacks  <= ~window_known | window_little;
        window_short  <= window_known & window_little;
        window_split  <= window_known & window_little & ~window_more;
        window_bad    <= window_known & ~window_ok;
        kernel_lacks  <= {kernel_in_bytes >> plan.op1.log2 == '0, kernel_in_bytes >> plan.op0.log2 == '0};
        result_lacks  <= kernel_out_bytes >> plan.result_log2 == '0;
    end

    always_comb begin
        op0_waits = WAITS_NOTHING;
        op0_code  = '0;
        if (plan.op0.message) begin
            if (message_lacks) op0_waits = WAITS_RECEIVE;
            if (message_wrong) op0_code = cclo_pkg::RETURN_CODE_SEGMENTER_EXPECTED_BTT;
            if (message_other) op0_code = cclo_pkg::RETURN_CODE_COLLECTIVE_MISMATCH;
        end
        if (plan.op0.window) begin
            if (window_lacks[0]) op0_waits = WAITS_RECEIVE;
            if (window_bad[0]) op0_code = cclo_pkg::RETURN_CODE_CONFIG_SWITCH;
            else if (window_split[0]) op0_code = cclo_pkg::RETURN_CODE_SEGMENTER_EXPECTED_BTT;
        end
        if (plan.op0.kernel && kernel_lacks[0]) op0_waits = WAITS_KERNEL;

        op1_waits = WAITS_NOTHING;
        op1_code  = '0;
        if (plan.op1.message) begin
            if (message_lacks) op1_waits = WAITS_RECEIVE;
            if (message_wrong) op1_code = cclo_pkg::RETURN_CODE_SEGMENTER_EXPECTED_BTT;
            if (message_other) op1_code = cclo_pkg::RETURN_CODE_COLLECTIVE_MISMATCH;
        end
        if (plan.op1.window) begin
            if (window_lacks[1]) op1_waits = WAITS_RECEIVE;
            if (window_bad[1]) op1_code = cclo_pkg::RETURN_CODE_CONFIG_SWITCH;
            else if (window_split[1]) op1_code = cclo_pkg::RETURN_CODE_SEGMENTER_EXPECTED_BTT;
        end
        if (plan.op1.kernel && kernel_lacks[1]) op1_waits = WAITS_KERNEL;

        result_waits = plan.to_kernel && result_lacks ? WAITS_KERNEL : WAITS_NOTHING;

        // In the order in which they are asked for.
        if (state == MESSAGE) begin
            waits        = message_held ? WAITS_NOTHING : WAITS_RECEIVE;
            sources_code = message_mismatch ? cclo_pkg::RETURN_CODE_COLLECTIVE_MISMATCH
                : message_held && message_bytes != '0 ? cclo_pkg::RETURN_CODE_SEGMENTER_EXPECTED_BTT : '0;
        end else if (plan.empty) begin
            waits        = packet_open ? WAITS_NOTHING : WAITS_PACKET;
            sources_code = '0;
        end else if (!steady) begin
            waits        = WAITS_NOTHING;
            sources_code = '0;
        end else if (op0_code != '0 || op0_waits != WAITS_NOTHING) begin
            waits        = op0_waits;
            sources_code = op0_code;
        end else if (op1_code != '0 || op1_waits != WAITS_NOTHING) begin
            waits        = op1_waits;
            sources_code = op1_code;
        end else if (result_waits != WAITS_NOTHING) begin
            waits        = result_waits;
            sources_code = '0;
        end else begin
            waits        = plan.to_network && !packet_open ? WAITS_PACKET : WAITS_NOTHING;
            sources_code = packet_too_large ? cclo_pkg::RETURN_CODE_DMA_SIZE : '0;
        end
        sources_ready = waits == WAITS_NOTHING && sources_code == '0 && (steady || plan.empty);

        case (waits)
            WAITS_KERNEL: timeout_code = cclo_pkg::RETURN_CODE_KRNL_TIMEOUT_STS;
            WAITS_PACKET: timeout_code = cclo_pkg::RETURN_CODE_PACK_TIMEOUT_STS;
            default:      timeout_code = cclo_pkg::RETURN_CODE_RECEIVE_TIMEOUT;
        endcase
    end

    assign stands = (state == SOURCES || state == MESSAGE)
        ? {waits == WAITS_PACKET, waits == WAITS_KERNEL, waits == WAITS_RECEIVE} : '0;

    wait_limit limit (
        .clk, .rst, .tick_millisecond, .limit_cycles, .remote_milliseconds,
        .waits((state == SOURCES || state == MESSAGE) && waits != WAITS_NOTHING && !lands && !landed), .what(waits),
        .for_kernel(waits == WAITS_KERNEL), .expired(limit_expired)
    );

    // A message without payload between others is passed over.
    assign message_want = state == MESSAGE
        || state == SOURCES && !plan.empty && (plan.op0.message || plan.op1.message && op0_there);
    assign message_drop = state == MESSAGE_DROP || state == RELEASE
        || state == SOURCES && !plan.empty && message_held && message_bytes == '0;
    assign op0_there      = steady && op0_waits == WAITS_NOTHING && op0_code == '0;
    assign window_want[0] = state == SOURCES && !plan.empty && plan.op0.window;
    assign window_want[1] = state == SOURCES && !plan.empty && plan.op1.window && op0_there;
    assign open_valid     = state == SOURCES && packet_pending && waits == WAITS_PACKET && sources_code == '0;

    // A slice is as large as its parts allow.
    logic [W-1:0] size_units, op0_size, op1_size, op2_size, result_size, wire_size;
    logic [W-1:0] slice_units; // of the slice that waits for its turn: meanwhile there may be more
    logic         size_last, size_kernel, settled;

    assign settled = (!kernel_in_wanted || kernel_in_settled) && (!kernel_out_wanted || kernel_out_settled);

    slice_size size (
        .clk, .plan, .units_left,
        .op0_bytes(plan.op0.message ? message_bytes : plan.op0.window ? op0_window : kernel_in_bytes),
        .op1_bytes(plan.op1.message ? message_bytes : plan.op1.window ? op1_window : kernel_in_bytes),
        .result_bytes(kernel_out_bytes), .wire_bytes(32'(packet_room)),
        .units(size_units), .last(size_last), .kernel_limits(size_kernel)
    );

    assign op0_size    = plan.op0.present ? size_units << plan.op0.log2 : '0;
    assign op1_size    = plan.op1.present ? size_units << plan.op1.log2 : '0;
    assign op2_size    = size_units << plan.beside_log2;
    assign result_size = size_units << plan.result_log2;
    assign wire_size   = size_units << plan.wire_log2;

    assign slice_commits = slice.slot_commit && slice.to_network;
    assign slice_valid   = state == SLICE || state == FORGET;

    always_ff @(posedge clk) begin
        if (state == DRAIN) begin
            // With a commit of nothing for the network the packet is forgotten.
            slice             <= '0;
            slice.queue_      <= engine_pkg::QUEUE_WIDTH'(QUEUE);
            slice.slot        <= slot;
            slice.slot_commit <= 1'b1;
        end else if (state == BUILD || state == SOURCES) begin
            slice                <= '0;
            slice.queue_         <= engine_pkg::QUEUE_WIDTH'(QUEUE);
            slice.last           <= plan.empty || size_last;
            slice_units          <= size_units;
            if (!plan.empty) begin
                slice.op0.from       <= plan.op0.kernel ? engine_pkg::FROM_KERNEL
                    : plan.op0.present ? engine_pkg::FROM_MEMORY : engine_pkg::FROM_NONE;
                slice.op0.host       <= plan.op0.memory && plan.op0.host || plan.op0.window && window_host[0];
                slice.op0.address    <= plan.op0.message ? message_address : op0_address;
                slice.op0.bytes      <= op0_size;
                slice.op0.convert    <= plan.op0.convert;
                slice.op0.tdest      <= plan.op0.tdest;
                slice.op0.release_   <= plan.op0.message && message_stored && message_bytes == 32'(op0_size);
                slice.op0.buffer_    <= message_buffer;
                slice.op1.from       <= plan.op1.kernel ? engine_pkg::FROM_KERNEL
                    : plan.op1.present ? engine_pkg::FROM_MEMORY : engine_pkg::FROM_NONE;
                slice.op1.host       <= plan.op1.memory && plan.op1.host || plan.op1.window && window_host[1];
                slice.op1.address    <= plan.op1.message ? message_address : op1_address;
                slice.op1.bytes      <= op1_size;
                slice.op1.convert    <= plan.op1.convert;
                slice.op1.tdest      <= plan.op1.tdest;
                slice.op1.release_   <= plan.op1.message && message_stored && message_bytes == 32'(op1_size);
                slice.op1.buffer_    <= message_buffer;
                slice.reduce         <= plan.reduce;
                slice.reduce_tdest   <=
                    move.issue.tdest[cclo_pkg::MOVE_TDEST_REDUCTION_LOW +: cclo_pkg::MOVE_TDEST_REDUCTION_WIDTH];
                slice.convert_tdest  <= plan.convert_tdest;
                slice.apart          <= plan.apart;
                slice.keeps          <= plan.keeps;
                slice.kept_address   <= kept_address;
                slice.beside         <= plan.beside;
                slice.beside_address <= op2_address;
                slice.beside_bytes   <= plan.beside ? op2_size : '0;
                slice.beside_convert <= plan.beside_convert;
                slice.beside_tdest   <= plan.beside_tdest;
                slice.to_memory      <= plan.to_memory;
                slice.result_convert <= plan.result_convert;
                slice.result_host    <= plan.result_host;
                slice.result_address <= result_address;
                slice.result_bytes   <= plan.to_memory || plan.to_kernel ? result_size : '0;
                slice.to_kernel      <= plan.to_kernel;
                slice.kernel_tdest   <=
                    move.issue.tdest[cclo_pkg::MOVE_TDEST_KERNEL_LOW +: cclo_pkg::MOVE_TDEST_KERNEL_WIDTH];
                slice.wire_convert   <= plan.wire_convert;
                slice.wire_bytes     <= plan.to_network ? wire_size : '0;
            end
            slice.to_network     <= plan.to_network;
            slice.slot           <= slot;
            slice.slot_headed    <= plan.to_network && headed;
            slice.slot_offset    <= plan.to_network ? packet_filled : '0;
            slice.slot_commit    <= plan.to_network && (plan.empty || packet_room == wire_size);
        end
        slice_key  <= move.ranks.destination_self ? {1'b1, 16'd0} : {1'b0, move.ranks.destination_session};
        slice_ends <= packet_ends;
        if (opened) begin
            slot   <= open_slot;
            headed <= open_packet.headed;
        end
    end

    // Remote ranks may hold it up now, or it has not started.
    always_comb begin
        give_up = ending || reset_moves;
        if (aborting || abort) begin
            case (state)
                CHECK, CHECKED, VERDICT, KERNEL, MESSAGE: give_up = 1'b1;
                SOURCES: if (waits != WAITS_NOTHING && waits != WAITS_KERNEL) give_up = 1'b1;
                default: ;
            endcase
        end
    end

    assign queue_ready = state == IDLE && !give_up && !abort;
    assign kernel_drop = state == RELEASE;
    assign abandon     = state == ABANDON;
    assign failed      = state == END && ending;
    assign failure     = resetting ? '0 : code;
    assign failing     = {move.issue.source, move.issue.tag, move.issue.bytes};
    assign completed   = order_completed || state == END && !ending && order_empty;
    assign restart     = failed;
    assign idle        = state == IDLE && !queue_valid && order_empty && !ending;

    always_ff @(posedge clk) begin
        if (state == IDLE && queue_valid && queue_ready) begin
            move       <= queue_move;
            aborting   <= 1'b0;
        end else if (abort && state != IDLE) begin
            aborting <= 1'b1;
        end
        if (mine && retire.code != '0) faulty <= 1'b1;

        case (state)
            IDLE: if (give_up && (ending || queue_valid || !order_empty)) state <= DRAIN;
                else if (queue_valid && queue_ready) state <= CHECK;
            CHECK: state <= give_up ? DRAIN : CHECKED;
            CHECKED: state <= give_up ? DRAIN : VERDICT;
            VERDICT: begin
                units_left     <= plan.units;
                op0_address    <= move.issue.op0_address;
                op1_address    <= move.issue.op1_address;
                op2_address    <= move.issue.op2_address;
                kept_address   <= move.issue.kept_address;
                result_address <= move.issue.result_address;
                if (give_up) begin
                    state <= DRAIN;
                end else if (!fence || order_empty) begin
                    if (check_code != '0) state <= DRAIN;
                    else if (done_bare) state <= IDLE;
                    else if (!plan.empty && (plan.op0.kernel || plan.op1.kernel || plan.to_kernel)) state <= KERNEL;
                    else if (plan.empty && takes_message) state <= MESSAGE;
                    else state <= SOURCES;
                end
            end
            KERNEL: if (give_up) state <= DRAIN;
                else if (kernel_granted) state <= SOURCES;
            MESSAGE: if (give_up || sources_code != '0 || limit_expired && !sources_ready) state <= DRAIN;
                else if (message_held) state <= MESSAGE_DROP;
            MESSAGE_DROP: if (message_idle) state <= plan.to_network ? SOURCES : IDLE;
            SOURCES: if (landed_take) begin
                state          <= landed_code != '0 ? DRAIN : landed_all ? IDLE : SOURCES;
            end else if (!opened) begin
                if (give_up || sources_code != '0 || limit_expired && !sources_ready) state <= DRAIN;
                else if (sources_ready) state <= plan.empty ? SLICE : SIZE;
            end
            SIZE: state <= BUILD;
            BUILD: if (give_up || size_units == '0) state <= DRAIN;
                else state <= size_kernel && !settled ? SOURCES : SLICE;
            SLICE: if (accepted) begin
                state          <= slice.last ? IDLE : SOURCES;
                op0_address    <= move_pkg::sum(op0_address, 64'(slice.op0.bytes));
                op1_address    <= move_pkg::sum(op1_address, 64'(slice.op1.bytes));
                op2_address    <= move_pkg::sum(op2_address, 64'(slice.beside_bytes));
                kept_address   <= move_pkg::sum(kept_address, 64'(slice.result_bytes));
            end else if (give_up) begin
                state <= DRAIN;
            end
            DRAIN: if (drained) state <= packet_open ? FORGET : RELEASE;
            FORGET: if (accepted) state <= FORGOTTEN;
            FORGOTTEN: if (drained) state <= RELEASE;
            RELEASE: if (message_idle && window_idle) state <= ABANDON;
            ABANDON: if (abandon_done) state <= END;
            default: if (ending || order_empty) begin
                state     <= IDLE;
                faulty    <= 1'b0;
                resetting <= 1'b0;
                code      <= '0;
            end
        endcase

        if (landed_take || state == SLICE && accepted) begin
            units_left     <= units_left - gone_units;
            result_address <= move_pkg::sum(result_address, 64'(gone_bytes));
        end

        if (state == VERDICT && !give_up && (!fence || order_empty)) code <= check_code;
        if ((state == SOURCES && !opened || state == MESSAGE) && !give_up)
            code <= sources_code != '0 ? sources_code : limit_expired && !sources_ready ? timeout_code : '0;
        if (state == BUILD && !give_up && size_units == '0) code <= cclo_pkg::RETURN_CODE_SEGMENTER_EXPECTED_BTT;
        if (data_flushing && (kernel_in_wanted || kernel_out_wanted)) code <= code | cclo_pkg::RETURN_CODE_DMA_TIMEOUT;
        if (landed_take) code <= code | landed_code;
        if (mine && retire.code != '0) code <= code | retire.code;
        if (reset_moves && state != END && (state != IDLE || queue_valid || !order_empty)) resetting <= 1'b1;

        kernel_in_wanted  <= state == KERNEL ? plan.op0.kernel || plan.op1.kernel
            : kernel_in_wanted && state != RELEASE && !done_last;
        kernel_out_wanted <= state == KERNEL ? plan.to_kernel : kernel_out_wanted && state != RELEASE && !done_last;

        if (rst) begin
            state             <= IDLE;
            faulty            <= 1'b0;
            resetting         <= 1'b0;
            aborting          <= 1'b0;
            code              <= '0;
            kernel_in_wanted  <= 1'b0;
            kernel_out_wanted <= 1'b0;
        end
    end

    logic _unused;
    assign _unused = ^{control, move};

endmodule

`default_nettype wire
