#pragma once

// step runs one cycle.
template <class Model> void step(Model &model) {
    model.clk = 0;
    model.eval();
    model.clk = 1;
    model.eval();
}
