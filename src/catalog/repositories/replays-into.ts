import type { Kysely, Transaction } from 'kysely'
import type { ReplayOutcome, ReplayTarget } from '../catalog.ts'
import type { Tables } from '../schema.ts'

type IntoOutcome = Pick<ReplayOutcome, 'position' | 'passed'> & { readonly into: ReplayTarget }

/** The rows that this replay has stored in the other ingest, of those that pass, by their own positions. */
export async function storedInto(
  database: Kysely<Tables>,
  { position, passed, into: { ingestId, places } }: IntoOutcome,
): Promise<readonly number[]> {
  const noted = await database
    .selectFrom('replays_into')
    .select('stored')
    .where('ingest_id', '=', ingestId)
    .where('position', '=', position)
    .executeTakeFirst()
  const runs: readonly (readonly [first: number, last: number])[] = JSON.parse(noted?.stored ?? '[]')
  return passed.filter((own) => {
    const index = places.get(own)! - position
    return runs.some(([first, last]) => first <= index && index <= last)
  })
}

/** Notes what this replay stores in the other ingest, in place of what was noted before. */
export async function noteInto(
  transaction: Transaction<Tables>,
  { position, into: { ingestId, places } }: IntoOutcome,
  storedRows: readonly number[],
): Promise<void> {
  const runs: [first: number, last: number][] = []
  for (const own of storedRows) {
    const index = places.get(own)! - position
    const last = runs.at(-1)
    if (last !== undefined && last[1] + 1 === index) last[1] = index
    else runs.push([index, index])
  }
  const stored = JSON.stringify(runs)
  await transaction
    .insertInto('replays_into')
    .values({ ingest_id: ingestId, position, stored })
    .onConflict((conflict) => conflict.columns(['ingest_id', 'position']).doUpdateSet({ stored }))
    .execute()
}
