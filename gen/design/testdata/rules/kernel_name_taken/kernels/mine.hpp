inline void body() {}
