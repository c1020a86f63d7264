// Registers of a kernel that is called by ap_ctrl_hs: the control register at
// offset 0, and from ARGUMENTS on the words of the arguments. A host of a kernel
// without interrupts never needs what lies between. Reading takes no cycle.
`default_nettype none

module control_registers #(
    parameter int unsigned     ADDRESS_WIDTH = 12,     // bits of a byte address
    parameter int unsigned     ARGUMENTS     = 32'h10, // offset of the first word
    parameter int unsigned     WORDS         = 1,      // of 32 bits, from ARGUMENTS on
    parameter logic [WORDS-1:0] WRITABLE     = '1,     // others are results, or 0
    parameter logic [WORDS-1:0] RESULTS      = '0      // words that the kernel gives
) (
    input  wire                      clk,
    input  wire                      rst,

    input  wire                      bus_valid,
    input  wire                      bus_write,
    input  wire  [ADDRESS_WIDTH-1:0] bus_address,
    input  wire  [31:0]              bus_wdata,
    input  wire  [3:0]               bus_strobe,
    output logic                     bus_ready,
    output logic [31:0]              bus_rdata,

    output logic                     start,     // high until taken
    input  wire                      taken,     // pulse: the arguments may change
    input  wire                      done,      // pulse: the call has ended
    input  wire                      idle,
    output logic [32*WORDS-1:0]      arguments,
    input  wire  [32*WORDS-1:0]      results
);

    localparam int unsigned INDEX = ADDRESS_WIDTH - 2;

    logic [INDEX-1:0] index;
    logic             auto_restart, has_ended, was_taken, control;

    assign index     = bus_address[ADDRESS_WIDTH-1:2];
    assign control   = index == '0;
    assign bus_ready = 1'b1;

    wire unused = &{1'b0, bus_address[1:0], results};

    always_comb begin
        bus_rdata = '0;
        if (control) begin
            bus_rdata[cclo_pkg::HOSTCTRL_CONTROL_START_BIT]        = start;
            bus_rdata[cclo_pkg::HOSTCTRL_CONTROL_DONE_BIT]         = has_ended;
            bus_rdata[cclo_pkg::HOSTCTRL_CONTROL_IDLE_BIT]         = idle && !start;
            bus_rdata[cclo_pkg::HOSTCTRL_CONTROL_READY_BIT]        = was_taken;
            bus_rdata[cclo_pkg::HOSTCTRL_CONTROL_AUTO_RESTART_BIT] = auto_restart;
        end
        for (int unsigned i = 0; i < WORDS; i++)
            if (index == INDEX'(ARGUMENTS / 4 + i)) begin
                if (RESULTS[i]) bus_rdata = results[32*i +: 32];
                else if (WRITABLE[i]) bus_rdata = arguments[32*i +: 32];
            end
    end

    always_ff @(posedge clk) begin
        if (rst) begin
            start        <= 1'b0;
            auto_restart <= 1'b0;
            has_ended    <= 1'b0;
            was_taken    <= 1'b0;
            arguments    <= '0;
        end else begin
            if (taken) start <= auto_restart;
            if (bus_valid && control) begin
                if (!bus_write) begin
                    has_ended <= 1'b0;
                    was_taken <= 1'b0;
                end else if (bus_strobe[0]) begin
                    auto_restart <= bus_wdata[cclo_pkg::HOSTCTRL_CONTROL_AUTO_RESTART_BIT];
                    if (bus_wdata[cclo_pkg::HOSTCTRL_CONTROL_START_BIT]) start <= 1'b1;
                end
            end
            if (done) has_ended <= 1'b1;
            if (taken) was_taken <= 1'b1;
            for (int unsigned i = 0; i < WORDS; i++)
                for (int unsigned b = 0; b < 4; b++)
                    if (WRITABLE[i] && bus_valid && bus_write && bus_strobe[b] && index == INDEX'(ARGUMENTS / 4 + i))
                        arguments[32*i+8*b +: 8] <= bus_wdata[8*b +: 8];
        end
    end

endmodule

`default_nettype wire
