// Differences between the engines that stand, each with its reason. A query is one of them by its smallest form and both answers.
// docs/druid-sql.md and docs/druid-native.md tell users of those that they may meet.
import type { Asked, Query } from './world.ts'

export interface Found {
  readonly query: Query
  readonly difference: string
  readonly embedded: Asked
  readonly druid: Asked
}

export interface KnownDifference {
  readonly reason: string
  readonly matches: (found: Found) => boolean
}

/** Druid refuses in words of its own, and is asked what it has no answer to. */
const refusedThere = (reason: string, words: RegExp, within = /(?:)/): KnownDifference => ({
  reason,
  matches: ({ query, embedded, druid }) =>
    embedded.status === 200 && druid.status === 400 && words.test(druid.text) && within.test(query.text),
})

/** Both answer a query that holds this, and not the same. */
const otherwise = (reason: string, within: RegExp, kind?: Query['kind']): KnownDifference => ({
  reason,
  matches: ({ query, embedded, druid }) =>
    embedded.status === 200 &&
    druid.status === 200 &&
    within.test(query.text) &&
    (kind === undefined || query.kind === kind),
})

/** Whether all numbers of two answers are near each other: those of sketches are estimates there. */
function areNear(a: string, b: string): boolean {
  const numbers = (text: string): readonly number[] => (text.match(/-?\d+(?:\.\d+)?(?:E-?\d+)?/g) ?? []).map(Number)
  const [ours, theirs] = [numbers(a), numbers(b)]
  return (
    ours.length === theirs.length &&
    ours.every((one, index) => Math.abs(one - theirs[index]!) <= 0.02 * Math.max(1, Math.abs(one)))
  )
}

const estimates: KnownDifference = {
  reason: 'sketches are estimates in Druid, and exact here',
  matches: ({ query, embedded, druid }) =>
    /HLL|THETA|theta|cardinality|hyperUnique|uantile|APPROX_/.test(query.text) &&
    embedded.status === 200 &&
    druid.status === 200 &&
    areNear(embedded.text.replaceAll('.0', ''), druid.text.replaceAll('.0', '')),
}

export const knownDifferences: readonly KnownDifference[] = [
  estimates,
  refusedThere(
    "Druid's planner fails",
    /Calcite assertion violated|could not be planned|Query Planning Failure|Cannot (?:vectorize|invoke)/,
  ),
  refusedThere(
    'a constant that is no number is null here',
    /evaluates to an unsupported value \[(?:NaN|-?Infinity)\]|Infinite or NaN|For input string|Character . is neither a decimal digit/,
  ),
  refusedThere('a character cut in half breaks the answer of Druid', /end-of-input|Invalid UTF-8|Invalid type marker/),
  refusedThere(
    'Druid does not count different values beside aggregates of texts and times',
    /Aggregation \[\w+\] does not support type/,
    /DISTINCT/,
  ),
  otherwise('BIT_AND is always 0 in Druid', /BIT_AND\(/, 'sql'),
  otherwise('JSON_MERGE keeps the order of keys in Druid', /JSON_MERGE\(/, 'sql'),
]
