// The number of rounds of a random test: a twentieth in `npm test`, all in `npm run test:crash`; TIDEMARK_TEST_ROUNDS sets another factor.

const share = Number(process.env['TIDEMARK_TEST_ROUNDS'] ?? 0.05)

/** The number of rounds in this run for a test that specifies `all`; at least one. */
export function rounds(all: number): number {
  return Math.max(1, Math.round(all * share))
}
