// Writes of the core to the bus: they are ready as soon as they are kept here, and
// follow in order. A read waits until they are done.
`default_nettype none

module rv32_posted #(
    parameter int unsigned DEPTH = 16 // writes at a time
) (
    input  wire         clk,
    input  wire         rst,

    input  wire         core_valid,
    input  wire         core_write,
    input  wire  [31:0] core_address,
    input  wire  [31:0] core_wdata,
    input  wire  [3:0]  core_strobe,
    input  wire  [31:0] core_pc,      // of the instruction
    output logic        core_ready,
    output logic [31:0] core_rdata,
    output logic        core_error,

    output logic        bus_valid,
    output logic        bus_write,
    output logic [31:0] bus_address,
    output logic [31:0] bus_wdata,
    output logic [3:0]  bus_strobe,
    input  wire         bus_ready,
    input  wire  [31:0] bus_rdata,
    input  wire         bus_error,

    // Some are kept. One has failed: those behind it are dropped.
    output logic        late,
    output logic        late_error,
    output logic [31:0] late_address,
    output logic [31:0] late_pc
);

    localparam int unsigned INDEX = $clog2(DEPTH);

    logic [99:0]      kept [DEPTH];
    logic [99:0]      first;
    logic [INDEX-1:0] in, out;
    logic [INDEX-1:0] in_next, out_next;
    logic             some, full; // some are kept, all places are taken
    logic             push, pop;
    logic [31:0]      first_address, first_wdata, first_pc;
    logic [3:0]       first_strobe;

    assign first    = kept[out];
    assign in_next  = in + 1'b1;
    assign out_next = out + 1'b1;
    assign push     = core_valid && core_write && !full;
    assign pop      = some && bus_ready;

    assign {first_address, first_wdata, first_strobe, first_pc} = first;

    assign core_ready   = core_write ? !full : !some && bus_ready;
    assign core_rdata   = bus_rdata;
    assign core_error   = !core_write && bus_error;
    assign late         = some;
    assign late_error   = pop && bus_error;
    assign late_address = first_address;
    assign late_pc      = first_pc;

    always_comb begin
        bus_valid   = some || core_valid && !core_write;
        bus_write   = some;
        bus_address = some ? first_address : core_address;
        bus_wdata   = first_wdata;
        bus_strobe  = some ? first_strobe : core_strobe;
    end

    always_ff @(posedge clk) begin
        if (push) kept[in] <= {core_address, core_wdata, core_strobe, core_pc};
        if (rst || late_error) begin
            in   <= '0;
            out  <= '0;
            some <= 1'b0;
            full <= 1'b0;
        end else begin
            if (push) in <= in_next;
            if (pop) out <= out_next;
            if (push != pop) begin
                some <= push || out_next != in;
                full <= push && in_next == out;
            end
        end
    end

endmodule

`default_nettype wire
