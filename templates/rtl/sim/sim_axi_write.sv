// The write side of the simulated memory: takes addresses, then their data, and
// answers in order.
`default_nettype none

module sim_axi_write #(
    parameter int PORT        = 0, // its number in the simulation
    parameter int SPACE       = 0, // memory that it leads to: its number in the simulation
    parameter int OUTSTANDING = 32 // bursts, a power of two
) (
    input  wire          clk,
    input  wire          rst,
    input  wire  [31:0]  now,

    input  wire          awvalid,
    output logic         awready,
    input  wire  [63:0]  awaddr,
    input  wire  [7:0]   awlen,
    input  wire          wvalid,
    output logic         wready,
    input  wire  [511:0] wdata,
    input  wire  [63:0]  wstrb,
    output logic         bvalid,
    input  wire          bready,
    output logic [1:0]   bresp
);

    // As in sim_axi_read.
    import "DPI-C" function chandle sim_axi_open(input int port, input int space, input int writes);
    import "DPI-C" function void sim_axi_reset(input chandle self);
    import "DPI-C" function int sim_axi_delay(input chandle self);
    import "DPI-C" function int sim_axi_pause(input chandle self);
    import "DPI-C" function int sim_axi_silent(input chandle self, input longint unsigned line, input int beats);
    // A beat; the result is the response to the burst so far.
    import "DPI-C" function int sim_axi_write_beat(input chandle self, input longint unsigned line,
                                                   input bit [511:0] data, input bit [63:0] strobes, input int last);
    // The response to a burst goes out.
    import "DPI-C" function void sim_axi_commit(input chandle self);

    chandle self;
    initial self = sim_axi_open(PORT, SPACE, 1);

    localparam int POINTER = $clog2(OUTSTANDING);

    // Bursts between their address and their response. Data are taken for the one
    // at `filling`, the next response is for the one at `head`.
    logic [63:0]      addresses [OUTSTANDING];
    logic [7:0]       lengths [OUTSTANDING];
    logic [31:0]      times [OUTSTANDING];
    logic [1:0]       responses [OUTSTANDING];
    logic [POINTER:0] head, filling, tail;
    logic [7:0]       beat;
    int               beat_pause, address_pause;

    logic [63:0]      address;
    logic [7:0]       length;
    logic [31:0]      early;
    logic             answer;

    assign awready = tail - head != (POINTER + 1)'(OUTSTANDING) && address_pause == 0 && !rst;
    assign wready  = filling != tail && beat_pause == 0 && !rst;
    assign address = addresses[filling[POINTER-1:0]];
    assign length  = lengths[filling[POINTER-1:0]];
    assign early   = times[head[POINTER-1:0]] - now;
    assign answer  = head != filling && (!bvalid || bready) && (early == '0 || early[31]);

    always_ff @(posedge clk) begin
        if (rst) begin
            sim_axi_reset(self);
            head          <= '0;
            filling       <= '0;
            tail          <= '0;
            beat          <= '0;
            beat_pause    <= 0;
            address_pause <= 0;
            bvalid        <= 1'b0;
        end else begin
            if (address_pause != 0) address_pause <= address_pause - 1;
            if (beat_pause != 0) beat_pause <= beat_pause - 1;
            if (awvalid && awready) begin
                addresses[tail[POINTER-1:0]] <= {awaddr[63:6], 6'b0};
                lengths[tail[POINTER-1:0]]   <= awlen;
                tail                         <= tail + 1'b1;
                address_pause                <= sim_axi_pause(self);
            end
            if (wvalid && wready) begin
                responses[filling[POINTER-1:0]] <= 2'(sim_axi_write_beat(self, address + {50'b0, beat, 6'b0},
                                                                     wdata, wstrb, 32'(beat == length)));
                beat_pause <= sim_axi_pause(self);
                beat       <= beat == length ? '0 : beat + 8'd1;
                if (beat == length) begin
                    times[filling[POINTER-1:0]] <= now + sim_axi_delay(self) - 32'd1;
                    filling                     <= filling + 1'b1;
                end
            end
            if (bready) bvalid <= 1'b0;
            if (answer
                    && sim_axi_silent(self, addresses[head[POINTER-1:0]], 32'(lengths[head[POINTER-1:0]]) + 1)
                        == 0) begin
                sim_axi_commit(self);
                bresp  <= responses[head[POINTER-1:0]];
                bvalid <= 1'b1;
                head   <= head + 1'b1;
            end
        end
    end

    wire _unused = &{1'b0, awaddr[5:0]};

endmodule

`default_nettype wire
