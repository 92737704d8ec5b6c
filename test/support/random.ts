/** A random number generator with a seed: a failure is printed with its seed and can be repeated. */
export interface Random {
  /** Returns an integer from 0 to `limit` - 1. */
  below(limit: number): number
}

/** Mulberry32 by Tommy Ettinger (public domain): small, and good enough to choose moments and sizes. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return {
    below(limit) {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
    },
  }
}
