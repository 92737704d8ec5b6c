import { askBoth, type Made, newTally, type Tally } from '../agreement.ts'
import { differenceOf } from '../compare.ts'
import { knownDifferences } from '../known-differences.ts'
import type { Asked, Query } from '../world.ts'

const madeOf = ({ kind, text }: Query): Made => ({
  kind,
  piece: { kind: 'query', rule: text, parts: [text] },
  plainest: () => [],
  alone: () => [],
})

/** Runs one query on two engines that return the given answers. */
export async function talliedOf(
  query: Query,
  embedded: (text: string) => Asked,
  druid: (text: string) => Asked,
): Promise<Tally> {
  const tally = newTally()
  const engines = {
    embedded: async ({ text }: Query) => embedded(text),
    druid: async ({ text }: Query) => druid(text),
    close: async () => undefined,
  }
  await askBoth(engines, madeOf(query), 0, tally)
  return tally
}

export const answer = (text: string): Asked => ({ status: 200, text })
export const refusal = (detail: string, status = 400): Asked => ({ status, text: JSON.stringify({ detail }) })

/** The reasons of all entries that match two answers to one query. */
export function reasonsOf(query: Query, embedded: Asked, druid: Asked): readonly string[] {
  const difference = differenceOf(query, embedded, druid)
  if (difference === null) return []
  const found = { query, embedded, druid, difference }
  return knownDifferences.filter((entry) => entry.matches(found)).map(({ reason }) => reason)
}
