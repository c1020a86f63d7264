// The core of the control processor: RV32IM, machine mode without interrupts,
// four stages in order.
//
//   fetch    the RAM reads the instruction
//   decode   registers are read; jumps, returns, and branches that are expected to be taken
//            are followed
//   execute  arithmetic; branches are decided; the data RAM or the bus gets its address; all
//            traps but those of the bus
//   retire   loads arrive, the register is written; bus accesses wait here
//
// A value is used by the next instruction without delay, one that is loaded
// after one more cycle. Cycles lost: 1 by what was followed, 2 by what was followed
// wrongly and by jalr other than a return; multiplication takes 3, division
// 34, an access to the bus as many as it is not ready in.
//
// Neither RAM output nor what the bus answers passes the ALU or an address in
// the same cycle: these are the paths that matter for the clock.
//
// Words that the program itself changes are executed after fence.i only.
// Registers keep their values over a reset.
`default_nettype none

module rv32_core #(
    parameter int unsigned RAM_BYTES = 65536 // a power of two
) (
    input  wire                             clk,
    input  wire                             rst,

    // Local RAM: words are there in the next cycle and stay until the next access.
    output logic                            fetch_enable,
    output logic [$clog2(RAM_BYTES/4)-1:0]  fetch_address,
    input  wire  [31:0]                     fetch_word,
    output logic                            data_enable,
    output logic [3:0]                      data_write,
    output logic [$clog2(RAM_BYTES/4)-1:0]  data_address,
    output logic [31:0]                     data_wdata,
    input  wire  [31:0]                     data_rdata,

    // Everything else: held until ready. The next access may follow at once.
    output logic                            bus_valid,
    output logic                            bus_write,
    output logic [31:0]                     bus_address,
    output logic [31:0]                     bus_wdata,
    output logic [3:0]                      bus_strobe,
    input  wire                             bus_ready,
    input  wire  [31:0]                     bus_rdata,
    input  wire                             bus_error,
    output logic [31:0]                     bus_pc,      // of the instruction

    // Writes that were ready may fail still; one does, a pulse.
    input  wire                             late,
    input  wire                             late_error,
    input  wire  [31:0]                     late_address,
    input  wire  [31:0]                     late_pc,

    // A trap halts the core until the next reset. Some cycles later fetch_word is the
    // instruction at trap_pc, if that is in the RAM.
    output logic                            halted,
    output logic [3:0]                      cause,
    output logic [31:0]                     trap_pc,
    output logic [31:0]                     trap_address,

    // For observers.
    output logic                            retired,
    output logic [31:0]                     retired_pc,
    output logic [4:0]                      retired_rd,
    output logic [31:0]                     retired_value
);

    localparam int unsigned INDEX = $clog2(RAM_BYTES / 4);

    // Decode.
    logic               fetched, fetched_unmapped;
    logic [31:2]        pc_d;
    rv32_pkg::decoded_t decoded;
    logic               uses_rs1, uses_rs2;
    logic [31:0]        immediate, offset_d, distance, upper, target_d, upper_d;
    logic [31:0]        register1, register2, a_d, b_d;
    logic [4:0]         rs1, rs2;
    logic               follow, returns, likely;
    logic [31:2]        caller;

    // Execute.
    logic               valid_x, unmapped_x, followed, returned, wait_a, wait_b;
    rv32_pkg::decoded_t x;
    logic [31:2]        pc_x, link;
    logic [31:0]        a, b, offset, target;
    logic               backwards; // distance of a branch
    logic               waits, stall, execute, local_access, outside, taken, redirect;
    logic [31:0]        address, result_x, special, sum, product, quotient, count, lanes;
    logic [3:0]         strobe;
    logic               misaligned, condition, multiplied, divided, trap, stopped;
    logic [1:0]         multiplying;
    logic [3:0]         trap_cause;
    logic [31:0]        trap_where;
    logic [31:2]        redirect_pc;

    // Retire.
    logic               done_w, waits_w; // without the bus; for it
    logic               writes_w, load_w;
    logic [31:2]        pc_w;
    logic [4:0]         rd_w;
    logic [2:0]         funct3_w;
    logic [31:0]        result_w, value_w, loaded;

    // ---- fetch

    rv32_fetch #(.RAM_BYTES(RAM_BYTES)) fetch (
        .clk, .rst, .advance(!stall), .redirect, .redirect_pc,
        .predict(follow), .predict_pc(returns ? caller : target_d[31:2]), .show(stopped), .show_pc(trap_pc[31:2]),
        .address(fetch_address), .valid(fetched), .pc(pc_d), .unmapped(fetched_unmapped)
    );

    // A halted core shows the instruction that has trapped.
    assign fetch_enable = stopped || !waits;

    // ---- decode

    rv32_decode decode (
        .instruction(fetch_word), .decoded, .uses_rs1, .uses_rs2, .immediate, .offset(offset_d), .distance, .upper
    );

    assign rs1 = fetch_word[19:15];
    assign rs2 = fetch_word[24:20];

    rv32_registers registers (
        .clk, .rs1, .value1(register1), .rs2, .value2(register2),
        .write(retired && writes_w && !rst), .rd(rd_w), .value(value_w)
    );

    always_comb begin
        if (valid_x && x.writes && x.rd == rs1) a_d = result_x;
        else if (retired && writes_w && rd_w == rs1) a_d = value_w;
        else a_d = register1;

        if (!uses_rs2) b_d = immediate;
        else if (valid_x && x.writes && x.rd == rs2) b_d = result_x;
        else if (retired && writes_w && rd_w == rs2) b_d = value_w;
        else b_d = register2;
    end

    assign target_d = {pc_d, 2'b00} + distance;
    assign upper_d  = (fetch_word[5] ? 32'd0 : {pc_d, 2'b00}) + upper; // bit 5 tells lui from auipc

    // Where a jump to half a word leads does not matter: the next stage traps.
    assign follow = fetched && !fetched_unmapped && (decoded.jal || returns || decoded.branch && likely);

    rv32_predict predict (
        .clk, .rst, .instruction(fetch_word), .pc(pc_d), .returns, .caller, .likely,
        .executed(execute), .jumps(x.jal || x.jalr), .branches(x.branch),
        .links(x.writes && x.rd == 5'd1), .came_back(returned),
        .executed_pc(pc_x), .backwards(backwards), .taken(condition)
    );

    always_ff @(posedge clk) begin
        if (rst) begin
            valid_x <= 1'b0;
            wait_a  <= 1'b0;
            wait_b  <= 1'b0;
        end else if (!stall) begin
            valid_x <= fetched && !redirect;
            wait_a  <= valid_x && x.load && x.writes && uses_rs1 && x.rd == rs1;
            wait_b  <= valid_x && x.load && x.writes && uses_rs2 && x.rd == rs2;
        end else if (!waits_w) begin
            wait_a <= 1'b0;
            wait_b <= 1'b0;
        end

        if (!stall) begin
            x          <= fetched_unmapped ? '0 : decoded;
            unmapped_x <= fetched_unmapped;
            followed   <= follow;
            returned   <= returns;
            backwards  <= distance[31];
            pc_x       <= pc_d;
            target     <= decoded.upper ? upper_d : returns ? {caller, 2'b00} : target_d;
            offset     <= offset_d;
            a          <= a_d;
            b          <= b_d;
        end else begin // as long as they wait: the last value is what was loaded
            if (wait_a) a <= value_w;
            if (wait_b) b <= value_w;
        end
    end

    // ---- execute

    assign waits   = late_error || bus_valid && (!bus_ready || bus_error)
                  || valid_x && (wait_a || wait_b || x.multiply && !multiplied || x.divide && !divided);
    assign stall   = stopped || waits;
    assign execute = valid_x && !stall;
    assign link    = pc_x + 30'd1;
    assign address = a + offset;

    rv32_alu alu (
        .a, .b, .funct3(x.funct3), .subtract(x.subtract), .arithmetic(x.arithmetic), .result(sum), .condition
    );

    rv32_multiplier multiplier (.clk, .a, .b, .funct3(x.funct3), .result(product));

    assign multiplied = multiplying == 2'd2;

    always_ff @(posedge clk) begin
        if (rst || !stall) multiplying <= 2'd0;
        else if (valid_x && !wait_a && !wait_b && !multiplied) multiplying <= multiplying + 2'd1;
    end

    rv32_divider divider (
        .clk, .rst, .start(valid_x && x.divide && !wait_a && !wait_b), .a, .b,
        .no_sign(x.funct3[0]), .for_remainder(x.funct3[1]), .done(divided), .taken(!stall), .result(quotient)
    );

    rv32_counters counters (.clk, .rst, .executed(execute), .instructions(offset[1]), .high(offset[7]), .value(count));

    always_comb begin
        if (x.multiply) special = product;
        else if (x.divide) special = quotient;
        else if (x.counter) special = count;
        else if (x.upper) special = target;
        else special = {link, 2'b00};
        // What the ALU says comes last.
        result_x = x.multiply || x.divide || x.counter || x.upper || x.jal || x.jalr ? special : sum;
    end

    // Loads and stores.
    always_comb begin
        case (x.funct3[1:0])
            2'd0: begin
                misaligned = 1'b0;
                strobe     = 4'b0001 << address[1:0];
                lanes      = {4{b[7:0]}};
            end
            2'd1: begin
                misaligned = address[0];
                strobe     = address[1] ? 4'b1100 : 4'b0011;
                lanes      = {2{b[15:0]}};
            end
            default: begin
                misaligned = address[1:0] != 2'd0;
                strobe     = 4'b1111;
                lanes      = b;
            end
        endcase
    end

    assign local_access = address < 32'(RAM_BYTES);
    assign outside      = (x.load || x.store) && !local_access;
    assign data_enable  = x.load || x.store;
    assign data_write   = execute && x.store && local_access && !misaligned ? strobe : 4'd0;
    assign data_address = address[INDEX+1:2];
    assign data_wdata   = lanes;

    // Where the program goes on if not where fetching did.
    assign taken = x.jal || x.branch && condition;
    assign redirect = execute && (x.jalr ? !followed || a[31:1] != target[31:1] : x.fence_i || taken != followed);

    always_comb begin
        if (x.jalr) redirect_pc = address[31:2];
        else if (x.fence_i || followed) redirect_pc = link;
        else redirect_pc = target[31:2];
    end

    rv32_trap trap_check (
        .unmapped(unmapped_x), .illegal(x.illegal), .ebreak(x.ebreak),
        .ecall(x.ecall), .load(x.load), .store(x.store), .jalr(x.jalr),
        .pc({pc_x, 2'b00}), .address, .misaligned, .jump(taken), .target,
        .trap, .cause(trap_cause), .trap_address(trap_where)
    );

    always_ff @(posedge clk) begin
        if (rst) begin
            stopped <= 1'b0;
        end else if (late_error) begin
            stopped      <= 1'b1;
            cause        <= rv32_pkg::CAUSE_UNMAPPED_STORE;
            trap_pc      <= late_pc;
            trap_address <= late_address;
        end else if (execute && trap) begin
            stopped      <= 1'b1;
            cause        <= trap_cause;
            trap_pc      <= {pc_x, 2'b00};
            trap_address <= trap_where;
        end else if (bus_valid && bus_ready && bus_error) begin
            stopped      <= 1'b1;
            cause        <= bus_write ? rv32_pkg::CAUSE_UNMAPPED_STORE : rv32_pkg::CAUSE_UNMAPPED_LOAD;
            trap_pc      <= {pc_w, 2'b00};
            trap_address <= bus_address;
        end
    end

    assign halted = stopped && !late;

    // ---- retire

    assign waits_w = bus_valid && !bus_ready;
    assign retired = done_w || bus_valid && bus_ready && !bus_error;
    assign bus_pc  = {pc_w, 2'b00};

    always_ff @(posedge clk) begin
        if (rst || late_error) begin
            done_w    <= 1'b0;
            bus_valid <= 1'b0;
        end else if (!waits_w) begin
            done_w    <= execute && !trap && !outside;
            bus_valid <= execute && !trap && outside;
        end

        if (!waits_w) begin
            bus_write   <= x.store;
            bus_address <= address;
            bus_wdata   <= lanes;
            bus_strobe  <= strobe;
            pc_w        <= pc_x;
            rd_w        <= x.rd;
            writes_w    <= x.writes;
            funct3_w    <= x.funct3;
            load_w      <= x.load;
            result_w    <= result_x;
        end
    end

    rv32_align align (
        .word(bus_valid ? bus_rdata : data_rdata), .lane(bus_address[1:0]), .funct3(funct3_w), .value(loaded)
    );

    assign value_w       = load_w ? loaded : result_w;
    assign retired_pc    = {pc_w, 2'b00};
    assign retired_rd    = writes_w ? rd_w : 5'd0;
    assign retired_value = writes_w ? value_w : 32'd0;

endmodule

`default_nettype wire
