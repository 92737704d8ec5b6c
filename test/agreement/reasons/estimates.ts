// Sketches are estimates in Druid and exact in Tidemark.
import type { Query } from '../world.ts'
import type { KnownDifference } from './reason.ts'

/** Functions and aggregators that Druid computes with sketches. */
const bySketches = /HLL|THETA|theta|cardinality|hyperUnique|uantile|QUANTILE|APPROX_|DS_RANK/

export const estimates: KnownDifference = {
  reason: 'sketches are estimates in Druid, and exact here',
  matches: ({ query, embedded, druid }) =>
    bySketches.test(query.text) &&
    embedded.status === 200 &&
    druid.status === 200 &&
    areNear(JSON.parse(embedded.text), JSON.parse(druid.text), exactNames(query)),
}

/** The names of the outputs that do not use sketches, where the text shows that. They must be equal, not merely near. */
function exactNames({ kind, text }: Query): ReadonlySet<string> {
  if (kind === 'native') {
    const exact = /"type":"(?:count|doubleMean|(?:long|double|float)(?:Sum|Min|Max))","name":"(\w+)"/g
    return new Set([...text.matchAll(exact)].map(([, name]) => name!))
  }
  if (/FROM \(SELECT|^WITH /.test(text)) return new Set()
  const items = text.matchAll(/(?:SELECT (?:DISTINCT )?|, )((?:(?! AS \w+(?:, | FROM |$)).)*) AS (\w+)(?=, | FROM |$)/g)
  return new Set([...items].filter(([, item]) => !bySketches.test(item!)).map(([, , name]) => name!))
}

/** Whether all numbers of two answers are near each other and everything else is equal. */
function areNear(a: unknown, b: unknown, exact: ReadonlySet<string>, isExact = false): boolean {
  if (typeof a === 'number' && typeof b === 'number') {
    // Two values in the same bucket of a sketch count as one.
    const leastOff = Number.isInteger(a) && Number.isInteger(b) && a >= 10 ? 1 : 0
    const off = isExact ? 1e-9 * Math.abs(a) : Math.max(leastOff, 0.03 * Math.max(1, Math.abs(a)))
    return Math.abs(a - b) <= off
  }
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b
  const [ours, theirs] = [new Map(Object.entries(a)), new Map(Object.entries(b))]
  return (
    ours.size === theirs.size &&
    [...ours].every(([name, value]) => areNear(value, theirs.get(name), exact, exact.has(name)))
  )
}
