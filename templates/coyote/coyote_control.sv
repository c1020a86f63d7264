// The host's registers in the Coyote shell. The shell's bus is 64 bits wide and
// that of kernels 32: a kernel's register at byte o of a window stands at byte 2 o,
// in the lower half of a word. Each kernel has a window, a power of two in size and
// aligned to it; what is in none is answered with an error (DECERR).
`default_nettype none

module coyote_control #(
    parameter int unsigned           WINDOWS = 1,        // kernels with registers
    parameter int unsigned           ADDRESS_WIDTH = 16, // of the kernels' bytes
    parameter logic [32*WINDOWS-1:0] BASE = '0,          // kernels' bytes
    parameter logic [32*WINDOWS-1:0] MASK = '0           // bits that are inside the window
) (
    input  wire                      clk,
    input  wire                      rst,

    input  wire                      s_awvalid,
    output logic                     s_awready,
    input  wire  [63:0]              s_awaddr,
    input  wire                      s_wvalid,
    output logic                     s_wready,
    input  wire  [63:0]              s_wdata,
    input  wire  [7:0]               s_wstrb,
    output logic                     s_bvalid,
    input  wire                      s_bready,
    output logic [1:0]               s_bresp,
    input  wire                      s_arvalid,
    output logic                     s_arready,
    input  wire  [63:0]              s_araddr,
    output logic                     s_rvalid,
    input  wire                      s_rready,
    output logic [63:0]              s_rdata,
    output logic [1:0]               s_rresp,

    output logic [WINDOWS-1:0]       m_awvalid,
    input  wire  [WINDOWS-1:0]       m_awready,
    output logic [ADDRESS_WIDTH-1:0] m_awaddr,
    output logic [WINDOWS-1:0]       m_wvalid,
    input  wire  [WINDOWS-1:0]       m_wready,
    output logic [31:0]              m_wdata,
    output logic [3:0]               m_wstrb,
    input  wire  [WINDOWS-1:0]       m_bvalid,
    output logic [WINDOWS-1:0]       m_bready,
    input  wire  [2*WINDOWS-1:0]     m_bresp,
    output logic [WINDOWS-1:0]       m_arvalid,
    input  wire  [WINDOWS-1:0]       m_arready,
    output logic [ADDRESS_WIDTH-1:0] m_araddr,
    input  wire  [WINDOWS-1:0]       m_rvalid,
    output logic [WINDOWS-1:0]       m_rready,
    input  wire  [32*WINDOWS-1:0]    m_rdata,
    input  wire  [2*WINDOWS-1:0]     m_rresp
);

    localparam logic [1:0] DECERR = 2'b11;

    // The window that the shell's address is in; the shell decodes bits above.
    logic [WINDOWS-1:0]       write_at, read_at, write_to, read_to;
    logic [31:0]              write_byte, read_byte;
    assign write_byte = 32'(s_awaddr[ADDRESS_WIDTH:1]);
    assign read_byte  = 32'(s_araddr[ADDRESS_WIDTH:1]);
    always_comb
        for (int unsigned i = 0; i < WINDOWS; i++) begin
            write_at[i] = (write_byte & ~MASK[32*i +: 32]) == BASE[32*i +: 32];
            read_at[i]  = (read_byte & ~MASK[32*i +: 32]) == BASE[32*i +: 32];
        end

    // One write and one read at a time.
    logic write_held, data_held, write_sent, data_sent, answered, nowhere;

    assign s_awready = !write_held && !rst;
    assign s_wready  = !data_held && !rst;
    assign nowhere   = write_held && write_to == '0;
    assign m_awvalid = write_held && data_held && !write_sent ? write_to : '0;
    assign m_wvalid  = write_held && data_held && !data_sent ? write_to : '0;
    assign answered  = s_bvalid && s_bready;

    logic       write_answer;
    logic [1:0] write_code;
    always_comb begin
        write_answer = 1'b0;
        write_code   = DECERR;
        for (int unsigned i = 0; i < WINDOWS; i++)
            if (write_to[i]) begin
                write_answer = m_bvalid[i];
                write_code   = m_bresp[2*i +: 2];
            end
    end
    assign s_bvalid = write_held && data_held && (nowhere || (write_sent && data_sent && write_answer));
    assign s_bresp  = write_code;
    assign m_bready = write_held && write_sent && data_sent && s_bready ? write_to : '0;

    always_ff @(posedge clk) begin
        if (s_awvalid && s_awready) begin
            m_awaddr <= s_awaddr[ADDRESS_WIDTH:1];
            write_to <= write_at;
        end
        if (s_wvalid && s_wready) begin
            m_wdata <= s_wdata[31:0];
            m_wstrb <= s_wstrb[3:0];
        end
        if (rst || answered) begin
            write_held <= 1'b0;
            data_held  <= 1'b0;
            write_sent <= 1'b0;
            data_sent  <= 1'b0;
        end else begin
            if (s_awvalid && s_awready) write_held <= 1'b1;
            if (s_wvalid && s_wready) data_held <= 1'b1;
            if (|(m_awvalid & m_awready)) write_sent <= 1'b1;
            if (|(m_wvalid & m_wready)) data_sent <= 1'b1;
        end
    end

    logic read_held, read_sent;

    assign s_arready = !read_held && !rst;
    assign m_arvalid = read_held && !read_sent ? read_to : '0;
    assign m_rready  = read_held && read_sent && s_rready ? read_to : '0;

    logic        read_answer;
    logic [1:0]  read_code;
    logic [31:0] read_data;
    always_comb begin
        read_answer = 1'b0;
        read_code   = DECERR;
        read_data   = '0;
        for (int unsigned i = 0; i < WINDOWS; i++)
            if (read_to[i]) begin
                read_answer = m_rvalid[i];
                read_code   = m_rresp[2*i +: 2];
                read_data   = m_rdata[32*i +: 32];
            end
    end
    assign s_rvalid = read_held && (read_to == '0 || (read_sent && read_answer));
    assign s_rresp  = read_code;
    assign s_rdata  = {32'b0, read_data};

    always_ff @(posedge clk) begin
        if (s_arvalid && s_arready) begin
            m_araddr <= s_araddr[ADDRESS_WIDTH:1];
            read_to  <= read_at;
        end
        if (rst || (s_rvalid && s_rready)) begin
            read_held <= 1'b0;
            read_sent <= 1'b0;
        end else begin
            if (s_arvalid && s_arready) read_held <= 1'b1;
            if (|(m_arvalid & m_arready)) read_sent <= 1'b1;
        end
    end

    wire _unused = &{1'b0, s_awaddr, s_araddr, s_wdata[63:32], s_wstrb[7:4]};

endmodule

`default_nettype wire
