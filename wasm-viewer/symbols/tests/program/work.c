#include "work.h"

volatile int rounds = 5;

static inline int step(int amount) { return clamp(amount * 31) + clamp(amount / 7); }

__attribute__((noinline)) int work(int amount) {
  int sum = amount;
  while (sum > 100)
    sum = step(sum) - rounds;
  return clamp(sum);
}
