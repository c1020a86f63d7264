// Stands in for the vendor's processor, MicroBlaze V, which is not ours to
// simulate: our own core behind the local memory buses, with the timing and the
// values of traps that UG1629 describes ("LMB Signal Interface", "Reset", "Machine
// Cause Register", "Machine Trap Value Register"). It is strict: what is around it
// must not look at an address, a byte or a strobe outside its cycle, and must
// answer every transfer once, or say in the next cycle that it waits.
//
// It executes the program itself with our own core, and what stands at the vectors,
// a jump to 0 and stores of CSRs, one word at a time. Instructions and the RAM's
// data must not wait; the vendor's core allows that.
`default_nettype none

module cclo_microblaze_v (
    input  wire         Clk,
    input  wire         Reset,

    output logic [31:0] Instr_Addr,
    input  wire  [31:0] Instr,
    output logic        IFetch,
    output logic        I_AS,
    input  wire         IReady,
    input  wire         IWAIT,
    input  wire         ICE,
    input  wire         IUE,

    output logic [31:0] Data_Addr,
    input  wire  [31:0] Data_Read,
    output logic [31:0] Data_Write,
    output logic        D_AS,
    output logic        Read_Strobe,
    output logic        Write_Strobe,
    input  wire         DReady,
    input  wire         DWait,
    input  wire         DCE,
    input  wire         DUE,
    output logic [3:0]  Byte_Enable
);

    localparam int unsigned RAM_BYTES = cclo_pkg::LOCAL_RAM_BYTES;
    localparam int unsigned INDEX     = $clog2(RAM_BYTES / 4);

    localparam logic [31:0] RESET_VECTOR = microblaze_v_pkg::BASE_VECTORS;
    localparam logic [31:0] TRAP_VECTOR  = microblaze_v_pkg::BASE_VECTORS + 32'd4;
    localparam logic [31:0] JUMP_TO_0    = 32'h0000_0067; // jr zero
    localparam logic [1:0]  AHEAD        = 2'd3;          // words that are fetched before the jump is executed
    localparam logic [4:0]  RESET_CYCLES = 5'd16;

    typedef enum logic [1:0] { BEGIN, RUN, TRAP, STORE } phase_t;

    phase_t            phase;
    logic              fetch, fetching, data_begins, accessing, outside_begun, for_ram;
    logic [1:0]        ahead;
    logic [4:0]        reset_cycles;
    logic [31:0]       pc, next_address, address, last_address, word, held_word, loaded, held_data, executing, written;
    logic [31:0]       csr, t0, lanes;
    logic [3:0]        bytes;
    logic              loads, stores, inside_begins, outside_begins, stored;

    // ---- our own core

    logic              core_fetch_enable, _unused_data_enable, core_bus_valid, core_bus_write, core_halted;
    logic [INDEX-1:0]  _unused_fetch_address, _unused_data_address;
    logic [3:0]        core_data_write, core_bus_strobe, core_cause;
    logic [31:0]       core_data_wdata, core_bus_address, core_bus_wdata;
    logic [31:0]       core_trap_pc, core_trap_address, _unused_bus_pc;

    // A configuration of the vendor's core that does not trap on errors, for benches.
    logic ignores_errors;
    initial ignores_errors = $test$plusargs("ignores_errors") != 0;

    // What benches see of it.
    logic        retired /*verilator public_flat_rd*/;
    logic [31:0] retired_pc /*verilator public_flat_rd*/;
    logic [4:0]  retired_rd /*verilator public_flat_rd*/;
    logic [31:0] retired_value /*verilator public_flat_rd*/;

    rv32_core #(.RAM_BYTES(RAM_BYTES)) core (
        .clk(Clk), .rst(Reset || phase == BEGIN),
        .fetch_enable(core_fetch_enable), .fetch_address(_unused_fetch_address), .fetch_word(word),
        .data_enable(_unused_data_enable), .data_write(core_data_write), .data_address(_unused_data_address),
        .data_wdata(core_data_wdata), .data_rdata(loaded),
        .bus_valid(core_bus_valid), .bus_write(core_bus_write),
        .bus_address(core_bus_address), .bus_wdata(core_bus_wdata),
        .bus_strobe(core_bus_strobe), .bus_ready(outside_begun && DReady),
        .bus_rdata(Data_Read), .bus_error(DUE && !ignores_errors),
        .bus_pc(_unused_bus_pc), .late(1'b0), .late_error(1'b0), .late_address('0), .late_pc('0),
        .halted(core_halted), .cause(core_cause), .trap_pc(core_trap_pc), .trap_address(core_trap_address),
        .retired, .retired_pc, .retired_rd, .retired_value
    );

    // ---- instructions

    always_comb begin
        fetch        = 1'b0;
        next_address = pc;
        case (phase)
            BEGIN: fetch = ahead != AHEAD;
            RUN: begin
                fetch        = core_fetch_enable && !core_halted;
                next_address = {core.fetch.next_pc, 2'b00};
            end
            TRAP: fetch = !fetching;
            default: ;
        endcase
    end

    assign I_AS       = fetch && !Reset;
    assign IFetch     = I_AS || fetching && !IReady;
    assign Instr_Addr = I_AS ? next_address : ~last_address;
    assign word       = IReady ? Instr : held_word;

    always_ff @(posedge Clk) begin
        fetching  <= I_AS;
        held_word <= word;
        for_ram   <= next_address < RAM_BYTES;
        if (I_AS) last_address <= next_address;
        if (core_fetch_enable && !core_halted) executing <= word; // in the stage that traps
    end

    // ---- data

    assign inside_begins  = phase == RUN && core.execute && core.local_access
        && !core.misaligned && (core.x.load || core.x.store);
    assign outside_begins = phase == RUN && core_bus_valid && !outside_begun;
    assign stores         = phase == STORE || (outside_begins ? core_bus_write : core_data_write != '0);
    assign loads          = !stores;

    always_comb begin
        data_begins = inside_begins || outside_begins;
        address     = outside_begins ? core_bus_address : core.address;
        bytes       = outside_begins ? core_bus_strobe : core.strobe;
        written     = outside_begins ? core_bus_wdata : core_data_wdata;
        if (phase == STORE) begin
            data_begins = !stored;
            address     = {{20{word[31]}}, word[31:25], word[11:7]};
            bytes       = '1;
            written     = t0;
        end
    end

    always_comb for (int i = 0; i < 4; i++) lanes[8*i+:8] = {8{bytes[i]}};

    assign D_AS         = data_begins && !Reset;
    assign Data_Addr    = D_AS ? address : ~address;
    assign Byte_Enable  = D_AS ? bytes : ~bytes;
    assign Data_Write   = D_AS ? (stores ? written ^ ~lanes : ~written) : ~written;
    assign Read_Strobe  = D_AS ? loads : accessing && !was_store;
    assign Write_Strobe = D_AS ? stores : accessing && was_store;
    assign loaded       = DReady ? Data_Read : held_data;

    logic was_store, was_outside;

    always_ff @(posedge Clk) begin
        if (Reset) accessing <= 1'b0;
        else accessing <= D_AS || accessing && !DReady;
        held_data     <= loaded;
        outside_begun <= !Reset && (outside_begins || outside_begun && !DReady);
        stored        <= phase == STORE && !(stored && DReady);
        if (D_AS) begin
            was_store   <= stores;
            was_outside <= outside_begins || phase == STORE;
        end
    end

    // ---- reset and traps

    always_comb begin
        case (word[31:20])
            12'h341: csr = core_trap_pc;
            12'h342: csr = 32'(core_cause);
            12'h343: csr = core_cause == rv32_pkg::CAUSE_ILLEGAL_INSTRUCTION ? trapped_word :
                           core_cause == rv32_pkg::CAUSE_BREAKPOINT ? core_trap_pc :
                           core_cause == rv32_pkg::CAUSE_UNMAPPED_FETCH ? '0 : core_trap_address;
            default: csr = 'x;
        endcase
    end

    logic [31:0] trapped_word;

    always_ff @(posedge Clk) begin
        if (Reset) begin
            phase <= BEGIN;
            ahead <= '0;
            pc    <= RESET_VECTOR;
        end else begin
            case (phase)
                BEGIN: begin
                    if (fetch) begin
                        ahead <= ahead + 2'd1;
                        pc    <= pc + 32'd4;
                    end else begin
                        phase <= RUN;
                    end
                    if (ahead == 2'd1 && (word != JUMP_TO_0 || IUE)) $error("MicroBlaze V begins with %h", word);
                end
                RUN: begin
                    pc           <= TRAP_VECTOR;
                    trapped_word <= executing;
                    if (core_halted) phase <= TRAP;
                end
                TRAP: if (fetching) begin
                    pc <= pc + 32'd4;
                    if (IUE) begin
                        $error("MicroBlaze V cannot read what it does in a trap at %h", pc);
                    end else if (word[6:0] == 7'h23 && word[14:12] == 3'd2
                            && word[19:15] == 5'd0 && word[24:20] == 5'd5) begin
                        phase <= STORE; // sw t0, offset(zero)
                    end else if (word[6:0] == 7'h73 && word[19:12] == 8'h02 && word[11:7] == 5'd5) begin
                        t0 <= csr; // csrr t0, csr
                    end else begin
                        $error("MicroBlaze V does not stand in for %h at %h", word, pc);
                    end
                end
                default: if (stored && DReady) phase <= TRAP;
            endcase
        end
    end

    // ---- rules

    always_ff @(posedge Clk) begin
        reset_cycles <= !Reset ? '0 : reset_cycles >= RESET_CYCLES ? RESET_CYCLES : reset_cycles + 5'd1;
        if (!Reset) begin
            if (reset_cycles != '0 && reset_cycles < RESET_CYCLES)
                $error("MicroBlaze V is reset for %0d cycles", reset_cycles);
            if (IReady != fetching) $error("MicroBlaze V: IReady %b for a fetch %b", IReady, fetching);
            if (IReady && phase == RUN && IUE && for_ram)
                $error("MicroBlaze V: an instruction of the RAM has an error");
            if (IReady && phase == RUN && !IUE && !for_ram
                    && !(last_address[31:5] == RESET_VECTOR[31:5] && last_address != RESET_VECTOR)) begin
                $error("MicroBlaze V: there is no instruction at %h", last_address);
            end
            if (IUE && !IReady || IWAIT && IReady || ICE)
                $error("MicroBlaze V: IReady %b, IWAIT %b, IUE %b, ICE %b", IReady, IWAIT, IUE, ICE);
            if (DReady && !accessing) $error("MicroBlaze V: DReady without a transfer");
            if (accessing && !DReady && !DWait) $error("MicroBlaze V: neither DReady nor DWait");
            if (accessing && !DReady && !was_outside) $error("MicroBlaze V: the RAM waits");
            if (D_AS && accessing && !DReady) $error("MicroBlaze V: a transfer within another one");
            if (DUE && !DReady || DWait && DReady || DCE)
                $error("MicroBlaze V: DReady %b, DWait %b, DUE %b, DCE %b", DReady, DWait, DUE, DCE);
        end
    end

endmodule

`default_nettype wire
