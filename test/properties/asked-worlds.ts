// How many random worlds a run has, and which: TIDEMARK_TEST_WORLDS, TIDEMARK_TEST_SEED.

const worlds = process.env['TIDEMARK_TEST_WORLDS']
const seed = process.env['TIDEMARK_TEST_SEED']

/** Null: as many as the test has by itself. */
export const worldsAsked = worlds === undefined ? null : Number(worlds)

/** Each world has the seed after that of the one before. */
export const firstSeed = seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(seed)

/** A failure says by which seed it can be seen again. */
export async function seeded<T>(seed: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new Error(`TIDEMARK_TEST_SEED=${seed}`, { cause: error })
  }
}
