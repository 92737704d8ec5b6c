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

/** Whether all numbers of two answers are near each other, and all else is the same: those of sketches are estimates there. */
function areNear(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= 0.02 * Math.max(1, Math.abs(a))
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b
  const [ours, theirs] = [new Map(Object.entries(a)), new Map(Object.entries(b))]
  return ours.size === theirs.size && [...ours].every(([name, value]) => areNear(value, theirs.get(name)))
}

const estimates: KnownDifference = {
  reason: 'sketches are estimates in Druid, and exact here',
  matches: ({ query, embedded, druid }) =>
    /HLL|THETA|theta|cardinality|hyperUnique|uantile|APPROX_/.test(query.text) &&
    embedded.status === 200 &&
    druid.status === 200 &&
    areNear(JSON.parse(embedded.text), JSON.parse(druid.text)),
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
  refusedThere('Druid orders by no arrays', /ArrayList cannot be cast/),
  refusedThere('Druid takes no UNNEST of a constant null', /Cannot handle literal \[null/, /UNNEST/),
  refusedThere('what is no Base64 is null here', /[Bb]ase64|4-byte ending unit/, /DECODE_BASE64_UTF8/),
  refusedThere('JSON_MERGE takes objects alone in Druid', /Function\[json_merge\] bad string input/, /JSON_MERGE/),
  refusedThere(
    'Druid folds no expression of a constant null',
    /Unhandled exception made it to the top|types\.size >= 1/,
    /null|NULL|_SLICE/,
  ),
  refusedThere('Druid fails to replace by null', /Function\[replace\] encountered unknown exception/, /replace\(/i),
  otherwise(
    'what is in no interval holds for a column that is not there in Druid',
    /"not","field":\{"type":"interval"/,
    'native',
  ),
  otherwise('BIT_AND is always 0 in Druid', /BIT_AND\(/, 'sql'),
  otherwise(
    'Druid gives the rows of the right side that match nothing once for each segment',
    /\b(?:RIGHT|FULL) JOIN/,
    'sql',
  ),
  otherwise('ANY_VALUE takes a value that is not null here', /ANY_VALUE\(/, 'sql'),
  otherwise('months from or to null are counted from 1970 in Druid', /TIMESTAMPDIFF\((?:MONTH|QUARTER|YEAR)/, 'sql'),
  otherwise('TRUNCATE and ROUND of longs go by way of a double in Druid', /(?:TRUNCATE|ROUND)\(/, 'sql'),
  otherwise('Druid counts different values of sets of groups otherwise', /DISTINCT.*(?:CUBE|ROLLUP|SETS)/, 'sql'),
  otherwise('JSON_MERGE keeps the order of keys in Druid', /JSON_MERGE\(/, 'sql'),
]
