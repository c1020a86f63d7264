void float32_to_small_one();
void small_one_to_float32();
