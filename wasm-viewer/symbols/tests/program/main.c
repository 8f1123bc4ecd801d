#include "work.h"

static int square(int x) { return x * x + rounds; }

static inline int twice(int x) {
  int sum = 0;
  for (int i = 0; i < rounds; i++) sum += square(x + i) * 3;
  return sum;
}

int main(int count, char **words) {
  int sum = 0;
  for (int i = 0; i < count * 7; i++) {
    sum += twice(i) ^ words[0][0];
    sum += work(sum);
  }
  return sum & 1;
}
