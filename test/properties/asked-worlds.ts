// The number of random worlds in a run, and their seeds: TIDEMARK_TEST_WORLDS, TIDEMARK_TEST_SEED.

const worlds = process.env['TIDEMARK_TEST_WORLDS']
const seed = process.env['TIDEMARK_TEST_SEED']

/** Null for the test's own default. */
export const worldsAsked = worlds === undefined ? null : Number(worlds)

/** The seed of the first world; each further world's seed is one higher. */
export const firstSeed = seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(seed)

/** Adds to an error the seed that reproduces it. */
export async function seeded<T>(seed: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new Error(`TIDEMARK_TEST_SEED=${seed}`, { cause: error })
  }
}
