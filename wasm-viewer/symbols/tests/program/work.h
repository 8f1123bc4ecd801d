extern volatile int rounds;
int work(int amount);

static inline int clamp(int value) {
  if (value > rounds)
    return rounds;
  return value < 0 ? -value : value;
}
