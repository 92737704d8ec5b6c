// How many rounds a random test has: a tenth at each `npm test`, all of them in `npm run test:crash`, as many times more as TIDEMARK_TEST_ROUNDS says.

const share = Number(process.env['TIDEMARK_TEST_ROUNDS'] ?? 0.1)

/** What a test by itself calls for, and what this run takes of it: at least one. */
export function rounds(all: number): number {
  return Math.max(1, Math.round(all * share))
}
