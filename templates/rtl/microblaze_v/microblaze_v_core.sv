// MicroBlaze V in the place of our own core. Its two local memory buses (LMB; UG1629,
// "Local Memory Bus (LMB) Interface Description") lead to the RAM, to the bus of
// everything else, and to a few words of program that bring traps to light.
//
// A transfer begins with the address strobe; address, byte enables and what is
// written are valid in this cycle only. The RAM answers in the next one. Other
// accesses wait, by a cycle more on each side than those of our own core.
//
// The firmware needs RV32IM, a start at address 0, and a processor that stands after
// a trap: no CSR, no interrupt, no clock of the core's. This one would go on at its
// trap vector, at address 4 by default, in the middle of what starts the firmware.
// So it begins and traps outside the RAM. The first word there jumps to the program,
// once; the words after it store why the processor traps, and it never gets an
// answer to the last of these stores: it stands until the next reset.
`default_nettype none

module microblaze_v_core #(
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

    // Everything else: held until ready.
    output logic                            bus_valid,
    output logic                            bus_write,
    output logic [31:0]                     bus_address,
    output logic [31:0]                     bus_wdata,
    output logic [3:0]                      bus_strobe,
    input  wire                             bus_ready,
    input  wire  [31:0]                     bus_rdata,
    input  wire                             bus_error,

    // A trap halts the core until the next reset.
    output logic                            halted,
    output logic [3:0]                      cause,
    output logic [31:0]                     trap_pc,      // 0 if the core goes on after an error of the bus
    output logic [31:0]                     trap_address
);

    localparam int unsigned INDEX = $clog2(RAM_BYTES / 4);

    // Values of mcause.
    localparam logic [3:0] CAUSE_UNMAPPED_FETCH      = 4'd1;
    localparam logic [3:0] CAUSE_ILLEGAL_INSTRUCTION = 4'd2;
    localparam logic [3:0] CAUSE_BREAKPOINT          = 4'd3;
    localparam logic [3:0] CAUSE_UNMAPPED_LOAD       = 4'd5;
    localparam logic [3:0] CAUSE_UNMAPPED_STORE      = 4'd7;
    localparam logic [3:0] CAUSE_ENVIRONMENT_CALL    = 4'd11;

    // Where the trap's words are stored: where offsets from x0 reach.
    localparam logic [31:0] TRAP_VALUE = 32'hFFFF_FFF0;
    localparam logic [31:0] TRAP_PC    = 32'hFFFF_FFF4;
    localparam logic [31:0] TRAP_CAUSE = 32'hFFFF_FFF8;

    logic        core_rst;
    logic [3:0]  rst_cycles;
    logic [31:0] instr_addr, instr, data_addr, data_out, data_in;
    logic        ifetch, i_as, iready, iue, d_as, read_strobe, write_strobe, dready, dwait, due;
    logic [3:0]  byte_enable;

    // The processor wants 16 cycles (UG1629, "Reset").
    always_ff @(posedge clk) begin
        if (rst) rst_cycles <= '1;
        else if (core_rst) rst_cycles <= rst_cycles - 4'd1;
    end

    assign core_rst = rst || rst_cycles != '0;

    // The IP's vectors are numbered from the left, [0:31]: bits meet by place, so that
    // numbers are the same on both sides, and byte enable 3 is byte 0 of the word.
    // Ports that the IP has beside these have no use in its configuration.
    cclo_microblaze_v cpu (
        .Clk(clk), .Reset(core_rst),
        .Instr_Addr(instr_addr), .Instr(instr), .IFetch(ifetch), .I_AS(i_as),
        .IReady(iready), .IWAIT(1'b0), .ICE(1'b0), .IUE(iue),
        .Data_Addr(data_addr), .Data_Read(data_in), .Data_Write(data_out),
        .D_AS(d_as), .Read_Strobe(read_strobe), .Write_Strobe(write_strobe),
        .DReady(dready), .DWait(dwait), .DCE(1'b0), .DUE(due), .Byte_Enable(byte_enable)
    );

    // ---- instructions

    logic        fetch, fetch_ram, from_ram, started, trapped;
    logic [31:0] vector, other_word;
    logic [2:0]  vector_index;
    logic        vectors;

    assign fetch         = i_as && ifetch && !core_rst;
    assign fetch_ram     = instr_addr < 32'(RAM_BYTES);
    assign fetch_enable  = halted || fetch && fetch_ram; // the instruction that has trapped is shown
    assign fetch_address = halted ? trap_pc[INDEX+1:2] : instr_addr[INDEX+1:2];
    assign vectors       = instr_addr[31:5] == microblaze_v_pkg::BASE_VECTORS[31:5];
    assign vector_index  = instr_addr[4:2];

    always_comb begin
        case (vector_index)
            3'd0:    vector = 32'h0000_0067; // jr   zero
            3'd1:    vector = 32'h3430_22F3; // csrr t0, mtval
            3'd2:    vector = 32'hFE50_2823; // sw   t0, -16(zero)
            3'd3:    vector = 32'h3410_22F3; // csrr t0, mepc
            3'd4:    vector = 32'hFE50_2A23; // sw   t0, -12(zero)
            3'd5:    vector = 32'h3420_22F3; // csrr t0, mcause
            3'd6:    vector = 32'hFE50_2C23; // sw   t0, -8(zero)
            default: vector = 32'h0000_006F; // j    .
        endcase
    end

    // Where there is no program an illegal instruction stands, for a core that does
    // not look at the error. What it fetches ahead must not trap.
    always_ff @(posedge clk) begin
        if (core_rst) begin
            iready  <= 1'b0;
            iue     <= 1'b0;
            started <= 1'b0;
            trapped <= 1'b0;
        end else begin
            iready  <= fetch;
            iue     <= fetch && !fetch_ram && !(vectors && !(started && vector_index == 3'd0));
            started <= started || fetch_enable;
            trapped <= trapped || fetch && vectors && vector_index == 3'd1 && started;
        end
        from_ram   <= fetch_ram;
        other_word <= vectors ? vector : '0;
    end

    assign instr = from_ram ? fetch_word : other_word;

    // ---- data

    logic        access, access_ram, trap_word, ram_ready, bus_answered, failed, ignored;
    logic [31:0] bus_word;

    assign access       = d_as && (read_strobe || write_strobe) && !core_rst;
    assign access_ram   = data_addr < 32'(RAM_BYTES);
    assign trap_word    = trapped && write_strobe && data_addr[31:4] == TRAP_VALUE[31:4];
    assign ignored      = access && failed && !trap_word; // an access after an error that should have trapped
    assign data_enable  = access && access_ram && !failed;
    assign data_write   = data_enable && write_strobe ? byte_enable : 4'd0;
    assign data_address = data_addr[INDEX+1:2];
    assign data_wdata   = data_out;

    always_ff @(posedge clk) begin
        if (core_rst) begin
            ram_ready    <= 1'b0;
            bus_valid    <= 1'b0;
            bus_answered <= 1'b0;
            due          <= 1'b0;
            failed       <= 1'b0;
            halted       <= 1'b0;
        end else begin
            ram_ready    <= data_enable || access && trap_word && data_addr != TRAP_CAUSE;
            bus_valid    <= bus_valid ? !bus_ready : access && !access_ram && !trap_word && !failed;
            bus_answered <= bus_valid && bus_ready;
            due          <= bus_valid && bus_ready && bus_error;
            failed       <= failed || bus_valid && bus_ready && bus_error;
            halted       <= halted || ignored || access && trap_word && data_addr == TRAP_CAUSE;
        end

        if (access) begin
            bus_write   <= write_strobe;
            bus_address <= data_addr;
            bus_wdata   <= data_out;
            bus_strobe  <= byte_enable;
        end
        if (bus_valid && bus_ready) bus_word <= bus_rdata;

        // What is no address in mtval is left out: instructions, and the place of the trap.
        if (bus_valid && bus_ready && bus_error) begin
            cause        <= bus_write ? CAUSE_UNMAPPED_STORE : CAUSE_UNMAPPED_LOAD;
            trap_pc      <= '0;
            trap_address <= bus_address;
        end else if (access && trap_word) begin
            case (data_addr)
                TRAP_VALUE: trap_address <= data_out;
                TRAP_PC:    trap_pc      <= data_out;
                TRAP_CAUSE: begin
                    cause <= data_out[3:0];
                    case (data_out[3:0])
                        CAUSE_UNMAPPED_FETCH: trap_address <= trap_pc;
                        CAUSE_ILLEGAL_INSTRUCTION, CAUSE_BREAKPOINT, CAUSE_ENVIRONMENT_CALL: trap_address <= '0;
                        default: ;
                    endcase
                end
                default: ;
            endcase
        end
    end

    // Nobody is told of a trap before the first reset.
    initial halted = 1'b0;

    assign data_in = bus_answered ? bus_word : data_rdata;
    assign dready  = ram_ready || bus_answered;
    assign dwait   = bus_valid || halted;

endmodule

`default_nettype wire
