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
const otherwise = (reason: string, within: RegExp, kind: Query['kind'], there = /(?:)/): KnownDifference => ({
  reason,
  matches: ({ query, embedded, druid }) =>
    embedded.status === 200 &&
    druid.status === 200 &&
    query.kind === kind &&
    within.test(query.text) &&
    there.test(druid.text),
})

/** Both answer, and what differs is of these sorts. */
const differing = (reason: string, difference: RegExp, within = /(?:)/): KnownDifference => ({
  reason,
  matches: (found) => difference.test(found.difference) && within.test(found.query.text),
})

/** Whether all numbers of two answers are near each other, and all else is the same: those of sketches are estimates there. */
function areNear(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= 0.02 * Math.max(1, Math.abs(a))
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b
  const [ours, theirs] = [new Map(Object.entries(a)), new Map(Object.entries(b))]
  return ours.size === theirs.size && [...ours].every(([name, value]) => areNear(value, theirs.get(name)))
}

/** The rows of an answer in order, without what stands in place of numbers. */
function withoutNumbers(text: string): string {
  return text
    .slice(2, -2)
    .replaceAll(/-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, '#')
    .split('},{')
    .toSorted()
    .join()
}

/** What the groups of an answer are ordered by. */
function ordersOf({ text }: Asked, columns: string): string {
  const names = (JSON.parse(columns) as (string | { readonly dimension: string })[]).map((column) =>
    typeof column === 'string' ? column : column.dimension,
  )
  const groups = JSON.parse(text) as { readonly timestamp: string; readonly event: Readonly<Record<string, unknown>> }[]
  return JSON.stringify(groups.map(({ timestamp, event }) => [timestamp, ...names.map((name) => event[name])]))
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
  {
    reason: 'a character cut in half breaks the answer of Druid',
    matches: ({ embedded, druid }) =>
      embedded.status === 200 &&
      druid.status >= 400 &&
      /end-of-input|Invalid UTF-8|Invalid type marker/.test(druid.text),
  },
  {
    reason: 'Druid cuts any of the groups that tie at a limit',
    matches: ({ query, embedded, druid }) => {
      const columns = /"limitSpec":.*"columns":(\[.*?\])/.exec(query.text)?.[1]
      if (columns === undefined || embedded.status !== 200 || druid.status !== 200) return false
      return ordersOf(embedded, columns) === ordersOf(druid, columns)
    },
  },
  refusedThere(
    'Druid does not count different values beside aggregates of texts and times',
    /Aggregation \[\w+\] does not support type/,
    /DISTINCT/,
  ),
  otherwise(
    'FLOOR and CEIL of a whole number are doubles in an expression of Druid, which no %d takes',
    /STRING_FORMAT\('[^']*%[dxo][^']*'.*\b(?:FLOOR|CEIL)\(/,
    'sql',
    /%[dxo][^"]*; /,
  ),
  refusedThere('Druid orders by no arrays', /ArrayList cannot be cast/),
  refusedThere('Druid takes no array that is a constant null', /Cannot handle literal \[null/),
  refusedThere(
    'what is no Base64 is null here',
    /[Bb]ase64|4-byte ending unit|enough valid bits/,
    /DECODE_BASE64_UTF8|decode_base64_utf8/,
  ),
  otherwise('bytes that are no UTF-8 are null here', /DECODE_BASE64_UTF8\(/, 'sql', /\ufffd/),
  refusedThere(
    'JSON_MERGE takes objects alone in Druid',
    /Function\[json_merge\] (?:bad string|invalid) input/,
    /JSON_MERGE/,
  ),
  refusedThere(
    'Druid folds no expression of a constant null',
    /Unhandled exception made it to the top|types\.size >= 1/,
  ),
  refusedThere('Druid fails to replace by null', /Function\[replace\] encountered unknown exception/, /replace\(/i),
  otherwise(
    'a search in alphanumeric order counts values that differ by case as one in Druid, a segment at a time',
    /"queryType":"search".*"sort":\{"type":"alphanumeric"\}/,
    'native',
  ),
  otherwise("'any' takes a value that is not null here", /"type":"(?:long|double|float|string)Any"/, 'native'),
  differing(
    'a topN writes a bucket that lies in two segments in UTC in Druid, in whichever zone it is asked for',
    /^\[\d+\]\.timestamp: string and string$/,
    /"queryType":"topN".*"timeZone":/,
  ),
  differing(
    'an expression that is always null has the type of what it could be, and none or FLOAT in Druid',
    /rowSignature\[\d+\]\.type: string and (?:string|nothing)$/,
  ),
  {
    reason: 'a deviation of doubles that are all the same is 0 here, and next to it in Druid',
    matches: ({ query, embedded, druid }) =>
      /STDDEV|VAR/.test(query.text) && /:0\b/.test(embedded.text) && /:\d\.\d+e-\d/.test(druid.text),
  },
  differing(
    'what is no number is null here, and goes on as NaN in Druid',
    /: (?:null|null or number|null or string) and (?:null or )?(?:number|string)$/,
    /(?:MOD|BITWISE_CONVERT_LONG_BITS_TO_DOUBLE|LN|LOG10|SQRT|POWER|POW|ASIN|ACOS)\(| \/ /,
  ),
  otherwise(
    'first and last over rows of an inner query pass over null texts in Druid, and take any of the rows of one time',
    /"dataSource":\{"type":"query".*"type":"(?:long|double|float|string)(?:First|Last)"/,
    'native',
  ),
  otherwise('a mean by buckets goes wrong beside nulls in Druid', /"granularity":(?!"all").*"doubleMean"/, 'native'),
  otherwise('doubles in JSON are written as 1.0E10 in Druid', /TO_JSON_STRING\(|JSON_OBJECT\(|ARRAY/, 'sql', /\dE-?\d/),
  otherwise('JSON with more behind it is none here, and what comes first in Druid', /try_parse_json\(/, 'native'),
  otherwise('with a zone, TIME_PARSE reads a year of few digits in Druid', /TIME_PARSE\(.*NULL/, 'sql', /"00\d\d-/),
  otherwise('what is no number is left out of the least and the greatest here', /Min|Max|min\(|max\(/, 'native', /NaN/),
  otherwise('1 to the power of what is no number is 1 here', /pow|\^/, 'native', /NaN/),
  otherwise("a having filter for '' finds null numbers in Druid", /"having".*"value":""/, 'native'),
  otherwise("'true' in an array of texts is 1 as a LONG in Druid", /mv_to_array.*ARRAY<LONG>/, 'native'),
  refusedThere('a constant text that is no time is null here', /Illegal TIMESTAMP constant/),
  otherwise('a cluster keeps no sign of a zero', /\bV\b/, 'sql', /\b0\.0\b/),
  otherwise(
    'not of a numeric bound over rows of an inner query holds for null in Druid',
    /"dataSource":\{"type":"query".*"not".*"bound"/,
    'native',
  ),
  refusedThere(
    'Druid takes a name for an array or for a value, not for both',
    /used as both scalar and array variables/,
  ),
  refusedThere('Druid renames within the names of functions', /function '\w+' is not defined/),
  {
    reason: 'what is no number is null here, and goes on as NaN in Druid',
    matches: ({ query, embedded, druid }) =>
      embedded.status === 200 && druid.status === 200 && /\b(?:ACOS|ASIN|LN|LOG10|SQRT)\(/.test(query.text),
  },
  {
    reason: 'functions of doubles end in other digits',
    matches: ({ query, embedded, druid }) =>
      /\b(?:COT|SIN|COS|TAN|EXP|LN|POW|POWER|ATAN2|LOG10)\(/i.test(query.text) &&
      withoutNumbers(embedded.text) === withoutNumbers(druid.text),
  },
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
