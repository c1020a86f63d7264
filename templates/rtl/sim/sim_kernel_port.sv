// The simulation's host in place of a user kernel, at both kernel streams of an
// engine.
`default_nettype none

module sim_kernel_port #(
    parameter int ID = 0 // number of the engine
) (
    input  wire          clk,
    input  wire          rst,

    // From the engine.
    input  wire          s_axis_tvalid,
    output logic         s_axis_tready,
    input  wire  [511:0] s_axis_tdata,
    input  wire  [63:0]  s_axis_tkeep,
    input  wire          s_axis_tlast,
    input  wire  [7:0]   s_axis_tdest,

    // Into the engine.
    output logic         m_axis_tvalid,
    input  wire          m_axis_tready,
    output logic [511:0] m_axis_tdata,
    output logic [63:0]  m_axis_tkeep,
    output logic         m_axis_tlast,
    output logic [7:0]   m_axis_tdest
);

    // Takes a beat; the result says whether there is room for another one.
    import "DPI-C" function bit sim_kernel_take(input int id, input bit valid, input bit [511:0] data,
                                                input bit [63:0] keep, input bit last, input int tdest);
    // The next beat, if there is one.
    import "DPI-C" function bit sim_kernel_give(input int id,
        output bit [511:0] data, output bit last, output int tdest);

    bit [511:0] data;
    bit         last;
    int         tdest;
    wire        unused = &{1'b0, tdest};

    assign m_axis_tkeep = '1;

    always_ff @(posedge clk) begin
        if (rst) begin
            s_axis_tready <= 1'b0;
            m_axis_tvalid <= 1'b0;
        end else begin
            s_axis_tready <= sim_kernel_take(ID, s_axis_tvalid && s_axis_tready, s_axis_tdata, s_axis_tkeep,
                                             s_axis_tlast, 32'(s_axis_tdest));
            if (!m_axis_tvalid || m_axis_tready) begin
                m_axis_tvalid <= sim_kernel_give(ID, data, last, tdest);
                m_axis_tdata  <= data;
                m_axis_tlast  <= last;
                m_axis_tdest  <= 8'(tdest);
            end
        end
    end

endmodule

`default_nettype wire
