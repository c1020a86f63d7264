// Says whether a move can be done, and how. The answer comes two cycles after
// the move, which stays.
`default_nettype none

module move_check (
    input  wire                   clk,
    input  wire move_pkg::move_t  move,
    input  wire                   network_enable,

    output logic [31:0]           code,  // bits of the return code
    output move_pkg::plan_t       plan
);

    localparam bit KERNEL_STREAMS = cclo_pkg::PLATFORM_HARDWARE_ID[cclo_pkg::HARDWARE_ID_KERNEL_STREAMS_LOW];

    engine_pkg::control_t control;
    logic [3:0] compressor, decompressor;
    logic [7:0] function_;

    assign control      = engine_pkg::unpack_control(move.issue.control);
    assign compressor   =
        move.issue.tdest[cclo_pkg::MOVE_TDEST_COMPRESSOR_LOW +: cclo_pkg::MOVE_TDEST_COMPRESSOR_WIDTH];
    assign decompressor =
        move.issue.tdest[cclo_pkg::MOVE_TDEST_DECOMPRESSOR_LOW +: cclo_pkg::MOVE_TDEST_DECOMPRESSOR_WIDTH];
    assign function_    = move.issue.tdest[cclo_pkg::MOVE_TDEST_REDUCTION_LOW +: cclo_pkg::MOVE_TDEST_REDUCTION_WIDTH];

    // What the control word says.
    logic op0_there, op1_there, result_there, apart, beside, both_one;
    logic streams, to_memory, to_kernel, to_network, takes_message;
    logic network_bad, ranks_bad, meaningless, no_bytes, eager, data;
    logic [31:0] op0_bytes, op1_bytes, result_bytes, wire_bytes;

    function logic is_kind(input logic [2:0] kind);
        is_kind = kind <= 3'(cclo_pkg::MOVE_OPERAND_MESSAGE)
            || engine_pkg::HAS_RENDEZVOUS && kind == engine_pkg::OPERAND_WINDOW;
    endfunction

    assign op0_there     = control.op0 != 3'(cclo_pkg::MOVE_OPERAND_NONE);
    assign op1_there     = control.op1 != 3'(cclo_pkg::MOVE_OPERAND_NONE);
    assign apart         = control.result == 3'(cclo_pkg::MOVE_RESULT_APART);
    assign beside        = control.result == 3'(cclo_pkg::MOVE_RESULT_BESIDE);
    assign to_memory     = control.result == 3'(cclo_pkg::MOVE_RESULT_MEMORY)
        || control.result == 3'(cclo_pkg::MOVE_RESULT_MEMORY_AND_NETWORK) || apart || beside;
    assign to_kernel     = control.result == 3'(cclo_pkg::MOVE_RESULT_KERNEL_STREAM)
        || control.result == 3'(cclo_pkg::MOVE_RESULT_KERNEL_STREAM_AND_NETWORK);
    assign to_network    = move_pkg::goes_to_network(control.result);
    assign result_there  = to_memory || to_kernel;
    assign takes_message = control.op0 == 3'(cclo_pkg::MOVE_OPERAND_MESSAGE)
        || control.op1 == 3'(cclo_pkg::MOVE_OPERAND_MESSAGE);
    assign both_one      = control.op0 == control.op1 && (control.op0 == 3'(cclo_pkg::MOVE_OPERAND_MESSAGE)
        || control.op0 == 3'(cclo_pkg::MOVE_OPERAND_KERNEL_STREAM));
    assign streams       = to_kernel || control.op0 == 3'(cclo_pkg::MOVE_OPERAND_KERNEL_STREAM)
        || control.op1 == 3'(cclo_pkg::MOVE_OPERAND_KERNEL_STREAM);
    assign meaningless   = !is_kind(control.op0) || !is_kind(control.op1)
        || !op0_there && op1_there || both_one || streams && !KERNEL_STREAMS
        || apart && (!op1_there || result_converts) || control.keeps && !apart
        || control.notice && (control.result != 3'(cclo_pkg::MOVE_RESULT_NETWORK) || !eager || !no_bytes)
        || beside && (!op1_there || streams || wire_converts || beside_converts && op1_converts);
    assign network_bad   = to_network && (!network_enable || !move.ranks.destination_ok);
    assign ranks_bad     = takes_message && !move.ranks.source_ok;
    assign eager         = control.kind == engine_pkg::TYPE_EAGER;
    assign data          = engine_pkg::HAS_RENDEZVOUS && control.kind == engine_pkg::TYPE_DATA;

    assign op0_bytes    = control.op0_compressed ? move.issue.compressed_bytes : move.issue.bytes;
    assign op1_bytes    = control.op1_compressed ? move.issue.compressed_bytes : move.issue.bytes;
    assign result_bytes = control.result_compressed ? move.issue.compressed_bytes : move.issue.bytes;
    assign wire_bytes   = control.network_compressed ? move.issue.compressed_bytes : move.issue.bytes;
    assign no_bytes     = !(op0_there && op0_bytes != '0) && !(op1_there && op1_bytes != '0)
        && !(result_there && result_bytes != '0)
        && !(to_network && wire_bytes != '0) && !(beside && move.issue.bytes != '0);

    // Conversions of lanes 0 and 1 lead to the inner form, those of lane 2 to
    // the result's and the wire's, which then are the same. Lane 1 has operand 1,
    // or what is sent beside.
    logic                op0_converts, op1_converts, beside_converts, lane1_unpacks, result_converts, wire_converts;
    engine_pkg::plugin_t op0_plugin, lane1_plugin, result_plugin, reduction;

    assign op0_converts    = op0_there && control.op0_compressed != control.inner_compressed;
    assign op1_converts    = op1_there && control.op1_compressed != control.inner_compressed;
    assign result_converts = result_there && control.result_compressed != control.inner_compressed;
    assign wire_converts   = to_network && control.network_compressed != control.inner_compressed;
    assign beside_converts = beside && control.inner_compressed;
    assign lane1_unpacks   = op1_converts && control.op1_compressed;
    assign op0_plugin      = engine_pkg::conversion(2'd0, control.op0_compressed ? decompressor : compressor);
    assign lane1_plugin    = engine_pkg::conversion(2'd1, lane1_unpacks ? decompressor : compressor);
    assign result_plugin   = engine_pkg::conversion(2'd2, control.inner_compressed ? decompressor : compressor);
    assign reduction       = engine_pkg::reduction(function_);

    // Sizes of units, as each conversion knows them: uncompressed, compressed.
    logic [2:0] op0_plain, op0_packed, lane1_plain, lane1_packed, result_plain, result_packed;
    assign {op0_plain, op0_packed} = control.op0_compressed ? {op0_plugin.to_log2, op0_plugin.from_log2}
        : {op0_plugin.from_log2, op0_plugin.to_log2};
    assign {lane1_plain, lane1_packed} = lane1_unpacks ? {lane1_plugin.to_log2, lane1_plugin.from_log2}
        : {lane1_plugin.from_log2, lane1_plugin.to_log2};
    assign {result_plain, result_packed} = control.inner_compressed ? {result_plugin.to_log2, result_plugin.from_log2}
        : {result_plugin.from_log2, result_plugin.to_log2};

    logic lane1, lane2, any_conversion, conversions_ok, reduces, reduces_elements, reduction_ok;
    logic [2:0] plain_log2, packed_log2, inner_log2;

    assign lane1          = op1_converts || beside_converts;
    assign lane2          = result_converts || wire_converts;
    assign any_conversion = op0_converts || lane1 || lane2;
    always_comb begin
        plain_log2  = '0;
        packed_log2 = '0;
        if (op0_converts) {plain_log2, packed_log2} = {op0_plain, op0_packed};
        else if (lane1) {plain_log2, packed_log2} = {lane1_plain, lane1_packed};
        else if (lane2) {plain_log2, packed_log2} = {result_plain, result_packed};
    end
    assign conversions_ok = (!op0_converts || op0_plugin.known)
        && (!lane1 || lane1_plugin.known && {lane1_plain, lane1_packed} == {plain_log2, packed_log2})
        && (!lane2 || result_plugin.known && {result_plain, result_packed} == {plain_log2, packed_log2});

    assign reduces          = op1_there && !apart;
    assign reduces_elements = reduces && cclo_pkg::PLATFORM_ARITHMETIC;
    assign inner_log2       = control.inner_compressed ? packed_log2 : plain_log2;
    // Elements that are reduced are whole in a unit that is converted.
    assign reduction_ok     = !reduces
        || reduction.known && (!reduces_elements || !any_conversion || reduction.from_log2 <= inner_log2);

    // First cycle: everything but the number of units.
    logic        config_bad, lanes_bad, arithmetic_bad, ends_empty, plain_used, packed_used;
    logic [2:0]  plain_unit, packed_unit;

    always_ff @(posedge clk) begin
        config_bad     <= meaningless || network_bad || ranks_bad
            || !no_bytes && (!op0_there || to_network && !eager && !data);
        ends_empty     <= no_bytes;
        lanes_bad      <= !conversions_ok;
        arithmetic_bad <= !reduction_ok;
        plain_unit     <= any_conversion ? plain_log2
            : reduces_elements && !control.inner_compressed ? reduction.from_log2 : '0;
        packed_unit    <= any_conversion ? packed_log2
            : reduces_elements && control.inner_compressed ? reduction.from_log2 : '0;
        plain_used     <= !control.inner_compressed || any_conversion;
        packed_used    <= control.inner_compressed || any_conversion;
    end

    // Second cycle: as many units in every form that is used.
    logic [31:0] plain_units, packed_units;
    logic        plain_bad, packed_bad;

    assign plain_units  = move.issue.bytes >> plain_unit;
    assign packed_units = move.issue.compressed_bytes >> packed_unit;
    assign plain_bad    = plain_used && plain_units << plain_unit != move.issue.bytes;
    assign packed_bad   = packed_used && packed_units << packed_unit != move.issue.compressed_bytes;

    function logic [2:0] larger(input logic [2:0] a, input logic [2:0] b);
        larger = a > b ? a : b;
    endfunction

    always_ff @(posedge clk) begin
        if (config_bad) code <= cclo_pkg::RETURN_CODE_CONFIG_SWITCH;
        else if (ends_empty) code <= '0;
        else if (lanes_bad) code <= cclo_pkg::RETURN_CODE_COMPRESSION;
        else if (arithmetic_bad) code <= cclo_pkg::RETURN_CODE_ARITH;
        else if (plain_bad || packed_bad || plain_used && packed_used && plain_units != packed_units)
            code <= plain_used && packed_used ? cclo_pkg::RETURN_CODE_COMPRESSION : cclo_pkg::RETURN_CODE_ARITH;
        else code <= '0;

        plan.op0.present    <= op0_there;
        plan.op0.memory     <= control.op0 == 3'(cclo_pkg::MOVE_OPERAND_MEMORY);
        plan.op0.kernel     <= control.op0 == 3'(cclo_pkg::MOVE_OPERAND_KERNEL_STREAM);
        plan.op0.message    <= control.op0 == 3'(cclo_pkg::MOVE_OPERAND_MESSAGE);
        plan.op0.window     <= engine_pkg::HAS_RENDEZVOUS && control.op0 == engine_pkg::OPERAND_WINDOW;
        plan.op0.host       <= control.op0_host;
        plan.op0.convert    <= op0_converts && 32'd0 < cclo_pkg::PLATFORM_COMPRESSION_LANES;
        plan.op0.tdest      <= control.op0_compressed ? decompressor : compressor;
        plan.op0.log2       <= control.op0_compressed ? packed_unit : plain_unit;
        plan.op1.present    <= op1_there;
        plan.op1.memory     <= control.op1 == 3'(cclo_pkg::MOVE_OPERAND_MEMORY);
        plan.op1.kernel     <= control.op1 == 3'(cclo_pkg::MOVE_OPERAND_KERNEL_STREAM);
        plan.op1.message    <= control.op1 == 3'(cclo_pkg::MOVE_OPERAND_MESSAGE);
        plan.op1.window     <= engine_pkg::HAS_RENDEZVOUS && control.op1 == engine_pkg::OPERAND_WINDOW;
        plan.op1.host       <= control.op1_host;
        plan.op1.convert    <= op1_converts && 32'd1 < cclo_pkg::PLATFORM_COMPRESSION_LANES;
        plan.op1.tdest      <= control.op1_compressed ? decompressor : compressor;
        plan.op1.log2       <= control.op1_compressed ? packed_unit : plain_unit;
        plan.units          <= plain_used ? plain_units : packed_units;
        plan.reduce         <= reduces;
        plan.apart          <= apart;
        plan.keeps          <= control.keeps;
        plan.beside         <= beside;
        plan.beside_convert <= beside_converts && 32'd1 < cclo_pkg::PLATFORM_COMPRESSION_LANES;
        plan.beside_tdest   <= compressor;
        plan.beside_log2    <= plain_unit;
        plan.to_memory      <= to_memory;
        plan.to_kernel      <= to_kernel;
        plan.to_network     <= to_network;
        plan.result_host    <= control.result_host;
        plan.result_convert <= result_converts && 32'd2 < cclo_pkg::PLATFORM_COMPRESSION_LANES;
        plan.wire_convert   <= wire_converts && 32'd2 < cclo_pkg::PLATFORM_COMPRESSION_LANES;
        plan.convert_tdest  <= control.inner_compressed ? decompressor : compressor;
        plan.result_log2    <= control.result_compressed ? packed_unit : plain_unit;
        plan.wire_log2      <= control.network_compressed ? packed_unit : plain_unit;
        plan.largest_log2   <= larger(plain_used ? plain_unit : '0, packed_used ? packed_unit : '0);
        plan.wire_bytes     <= wire_bytes;
        plan.empty          <= ends_empty;
        plan.eager          <= eager;
        plan.data           <= data;
    end

    logic _unused;
    assign _unused = ^{move, control, reduction};

endmodule

`default_nettype wire
