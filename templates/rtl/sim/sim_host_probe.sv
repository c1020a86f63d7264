// What the simulation's host wants to know of an engine: whether it sleeps until
// something comes from outside, whether its processor has halted, what firmware
// traces, and the moves that it issues.
`default_nettype none

module sim_host_probe #(
    parameter int ID = 0 // number of the engine
) (
    input  wire          clk,
    input  wire          rst,

    input  wire          asleep,
    input  wire          halted,
    input  wire [31:0]   halt_cause,
    input  wire [31:0]   halt_pc,
    input  wire          trace_valid,
    input  wire [31:0]   trace_word,
    input  wire          issue_valid,
    input  wire [1023:0] issue
);

    import "DPI-C" function void sim_probe_asleep(input int id, input bit asleep);
    import "DPI-C" function void sim_probe_halted(input int id, input int unsigned cause, input int unsigned pc);
    import "DPI-C" function void sim_probe_trace(input int id, input int unsigned word);
    import "DPI-C" function void sim_probe_issue(input int id, input bit [1023:0] fields);

    logic was_asleep, was_halted;

    always_ff @(posedge clk) begin
        if (rst) begin
            was_asleep <= 1'b0;
            was_halted <= 1'b0;
        end else begin
            was_asleep <= asleep;
            was_halted <= halted;
            if (asleep != was_asleep) sim_probe_asleep(ID, asleep);
            if (halted && !was_halted) sim_probe_halted(ID, halt_cause, halt_pc);
            if (trace_valid) sim_probe_trace(ID, trace_word);
            if (issue_valid) sim_probe_issue(ID, issue);
        end
    end

endmodule

`default_nettype wire
