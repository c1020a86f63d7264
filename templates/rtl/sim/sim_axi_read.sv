// The read side of the simulated memory: takes bursts and answers them in order.
`default_nettype none

module sim_axi_read #(
    parameter int PORT        = 0, // its number in the simulation
    parameter int SPACE       = 0, // memory that it leads to: its number in the simulation
    parameter int OUTSTANDING = 32 // bursts, a power of two
) (
    input  wire          clk,
    input  wire          rst,
    input  wire  [31:0]  now,

    input  wire          arvalid,
    output logic         arready,
    input  wire  [63:0]  araddr,
    input  wire  [7:0]   arlen,
    output logic         rvalid,
    input  wire          rready,
    output logic [511:0] rdata,
    output logic [1:0]   rresp,
    output logic         rlast
);

    import "DPI-C" function chandle sim_axi_open(input int port, input int space, input int writes);
    import "DPI-C" function void sim_axi_reset(input chandle self);
    // Cycles from an address to its data, and cycles without a beat after one.
    import "DPI-C" function int sim_axi_delay(input chandle self);
    import "DPI-C" function int sim_axi_pause(input chandle self);
    // 1 if the memory keeps the answer to itself for now.
    import "DPI-C" function int sim_axi_silent(input chandle self, input longint unsigned line, input int beats);
    // A beat; the result is the response.
    import "DPI-C" function int sim_axi_read_beat(input chandle self, input longint unsigned line,
                                                  output bit [511:0] data, input int last);

    chandle self;
    initial self = sim_axi_open(PORT, SPACE, 0);

    localparam int POINTER = $clog2(OUTSTANDING);

    logic [63:0]      addresses [OUTSTANDING];
    logic [7:0]       lengths [OUTSTANDING];
    logic [31:0]      times [OUTSTANDING];
    logic [POINTER:0] head, tail;
    logic [7:0]       beat;
    int               beat_pause, address_pause;
    logic             ready;

    logic [63:0]      address;
    logic [7:0]       length;
    logic [31:0]      early;
    bit   [511:0]     fetched;

    assign arready = tail - head != (POINTER + 1)'(OUTSTANDING) && address_pause == 0 && !rst;
    assign address = addresses[head[POINTER-1:0]];
    assign length  = lengths[head[POINTER-1:0]];
    assign early   = times[head[POINTER-1:0]] - now;
    assign ready   = head != tail && (!rvalid || rready) && beat_pause == 0
                     && (beat != '0 || early == '0 || early[31]);

    always_ff @(posedge clk) begin
        if (rst) begin
            sim_axi_reset(self);
            head          <= '0;
            tail          <= '0;
            beat          <= '0;
            beat_pause    <= 0;
            address_pause <= 0;
            rvalid        <= 1'b0;
        end else begin
            if (address_pause != 0) address_pause <= address_pause - 1;
            if (beat_pause != 0) beat_pause <= beat_pause - 1;
            if (arvalid && arready) begin
                addresses[tail[POINTER-1:0]] <= {araddr[63:6], 6'b0};
                lengths[tail[POINTER-1:0]]   <= arlen;
                times[tail[POINTER-1:0]]     <= now + sim_axi_delay(self) - 32'd1;
                tail                         <= tail + 1'b1;
                address_pause                <= sim_axi_pause(self);
            end
            if (rready) rvalid <= 1'b0;
            if (ready && (beat != '0 || sim_axi_silent(self, address, 32'(length) + 1) == 0)) begin
                rresp      <= 2'(sim_axi_read_beat(self, address + {50'b0, beat, 6'b0}, fetched, 32'(beat == length)));
                rdata      <= fetched;
                rlast      <= beat == length;
                rvalid     <= 1'b1;
                beat_pause <= sim_axi_pause(self);
                beat       <= beat == length ? '0 : beat + 8'd1;
                if (beat == length) head <= head + 1'b1;
            end
        end
    end

    wire _unused = &{1'b0, araddr[5:0]};

endmodule

`default_nettype wire
