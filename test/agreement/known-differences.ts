// Differences between the engines that stand, each with its reason. A query is one of them by its smallest form and both answers.
// docs/druid-sql.md and docs/druid-native.md tell users of those that they may meet.
import {
  changedCalls,
  constantCall,
  instead,
  inTurn,
  ofPlainCharacters,
  ofSmallNumbers,
  withNullConstants,
  withoutCalls,
} from './changed-queries.ts'
import { differenceOf } from './compare.ts'
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
  /** The query without what the reason speaks of: where the engines then do not answer alike, the reason is another. */
  readonly without?: (text: string) => string
  /** What is left out changes nothing of our own answer: it stands for what it is written as. */
  readonly keepsOurs?: boolean
}

/** Druid refuses in words of its own, and is asked what it has no answer to. */
const refusedThere = (reason: string, words: RegExp, within = /(?:)/): KnownDifference => ({
  reason,
  matches: ({ query, embedded, druid }) =>
    embedded.status === 200 && druid.status === 400 && words.test(druid.text) && within.test(query.text),
})

/** Both answer a query that holds this, and not the same. */
const otherwise = (
  reason: string,
  within: RegExp,
  kind: Query['kind'],
  {
    there = /(?:)/,
    differing = /(?:)/,
    without,
  }: { readonly there?: RegExp; readonly differing?: RegExp; readonly without?: (text: string) => string } = {},
): KnownDifference => ({
  reason,
  matches: ({ query, embedded, druid, difference }) =>
    embedded.status === 200 &&
    druid.status === 200 &&
    query.kind === kind &&
    within.test(query.text) &&
    there.test(druid.text) &&
    differing.test(difference),
  ...(without === undefined ? {} : { without }),
})

/** The same rows, with other values. */
const values = /: |^order by/

/** Both answer a query of SQL that holds this, and the same once both answers are written in one way. */
const writtenOtherwise = (reason: string, within: RegExp, even: (text: string) => string): KnownDifference => ({
  reason,
  matches: ({ query, embedded, druid }) =>
    embedded.status === 200 &&
    druid.status === 200 &&
    query.kind === 'sql' &&
    within.test(query.text) &&
    differenceOf(query, evened(embedded, even), evened(druid, even)) === null,
})

const evened = ({ status, text }: Asked, even: (text: string) => string): Asked => ({ status, text: even(text) })

/** Doubles as JavaScript writes them, also within texts. */
const doublesEvened = (text: string): string =>
  text.replaceAll(/-?\d+(?:\.\d+(?:[eE][-+]?\d+)?|[eE][-+]?\d+)/g, (double) => String(Number(double)))

/** Zeros, and what is divided by them, without a sign. */
const signsEvened = (text: string): string => text.replaceAll(/-(?=0\.0\b|Infinity)/g, '')

/** Texts of JSON with their keys in order. */
function keysEvened(text: string): string {
  return JSON.stringify(JSON.parse(text), (_, value: unknown) => {
    if (typeof value !== 'string' || !/^[[{]/.test(value)) return value
    try {
      return JSON.stringify(JSON.parse(value), (_key, inner: unknown) =>
        inner !== null && typeof inner === 'object' && !Array.isArray(inner)
          ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
          : inner,
      )
    } catch {
      return value
    }
  })
}

/** Both answer, and what differs is of these sorts. */
const differing = (reason: string, difference: RegExp, within = /(?:)/): KnownDifference => ({
  reason,
  matches: (found) => difference.test(found.difference) && within.test(found.query.text),
})

/** What a query makes by sketches. */
const bySketches = /HLL|THETA|theta|cardinality|hyperUnique|uantile|QUANTILE|APPROX_|DS_RANK/

/** The names of what a query answers without sketches, where that can be told: they are not near each other, but the same. */
function exactNames({ kind, text }: Query): ReadonlySet<string> {
  if (kind === 'native') {
    const exact = /"type":"(?:count|doubleMean|(?:long|double|float)(?:Sum|Min|Max))","name":"(\w+)"/g
    return new Set([...text.matchAll(exact)].map(([, name]) => name!))
  }
  if (/FROM \(SELECT|^WITH /.test(text)) return new Set()
  const items = text.matchAll(/(?:SELECT (?:DISTINCT )?|, )((?:(?! AS \w+(?:, | FROM |$)).)*) AS (\w+)(?=, | FROM |$)/g)
  return new Set([...items].filter(([, item]) => !bySketches.test(item!)).map(([, , name]) => name!))
}

/** Whether all numbers of two answers are near each other, and all else is the same: those of sketches are estimates there. */
function areNear(a: unknown, b: unknown, exact: ReadonlySet<string>, isExact = false): boolean {
  if (typeof a === 'number' && typeof b === 'number') {
    // Two values that fall into one place of a sketch are counted as one.
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

/** Numbers of an answer, also within its texts, with six digits alone. */
const digitsEvened = (text: string): string =>
  text.replaceAll(/-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, (number) => Number(number).toPrecision(6))

/** Whole numbers as 32 bits hold them. */
const intsEvened = (text: string): string =>
  text.replaceAll(/(?<=:)-?\d{10,19}(?=[,}])/g, (digits) => String(Number(BigInt.asIntN(32, BigInt(digits)))))

/** Whether two answers have groups in the same order, and the same groups but for those that tie with the first or the last. */
function differInTies(ours: Asked, theirs: Asked, columns: string): boolean {
  const [orders, others] = [ours, theirs].map((answer) => ordersOf(answer, columns))
  if (JSON.stringify(orders) !== JSON.stringify(others)) return false
  const ends = [orders![0], orders!.at(-1)]
  const [inner, otherInner] = [ours, theirs].map(({ text }) =>
    (JSON.parse(text) as unknown[]).filter((_, place) => !ends.includes(orders![place])),
  )
  const query: Query = { kind: 'native', text: '' }
  return (
    differenceOf(
      query,
      { status: 200, text: JSON.stringify(inner) },
      { status: 200, text: JSON.stringify(otherInner) },
    ) === null
  )
}

/** What each group of an answer is ordered by. */
function ordersOf({ text }: Asked, columns: string): readonly string[] {
  const names = (JSON.parse(columns) as (string | { readonly dimension: string })[]).map((column) =>
    typeof column === 'string' ? column : column.dimension,
  )
  const groups = JSON.parse(text) as { readonly timestamp: string; readonly event: Readonly<Record<string, unknown>> }[]
  return groups.map(({ timestamp, event }) => JSON.stringify([timestamp, ...names.map((name) => event[name])]))
}

/** The events of a scan in an order that is not theirs. */
function eventsOf({ text }: Asked): string {
  const entries = JSON.parse(text) as { readonly events: readonly unknown[] }[]
  return entries
    .flatMap(({ events }) => events.map((event) => JSON.stringify(event)))
    .toSorted()
    .join()
}

/** Whether a column of one entry of a scan has no value. */
function isNullColumn({ text }: Asked, entry: number, column: number): boolean {
  const entries = JSON.parse(text) as {
    readonly rowSignature: readonly { readonly name: string }[]
    readonly events: readonly (readonly unknown[] | Readonly<Record<string, unknown>>)[]
  }[]
  const { rowSignature, events } = entries[entry]!
  const { name } = rowSignature[column]!
  return events.every((event) => (Array.isArray(event) ? event[column] : Reflect.get(event, name)) === null)
}

const estimates: KnownDifference = {
  reason: 'sketches are estimates in Druid, and exact here',
  matches: ({ query, embedded, druid }) =>
    bySketches.test(query.text) &&
    embedded.status === 200 &&
    druid.status === 200 &&
    areNear(JSON.parse(embedded.text), JSON.parse(druid.text), exactNames(query)),
}

/** Numbers next to 0 as it. */
const nearlyZeros = (text: string): string =>
  text.replaceAll(/-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, (number) => (Math.abs(Number(number)) < 1e-5 ? '0' : number))

const guarded = (value: string): string => `(CASE WHEN ${value} BETWEEN -1e300 AND 1e300 THEN ${value} END)`
const plainOperand = String.raw`(?:[\w.]+|\w+\((?:[^()]|\([^()]*\))*\)|\((?:[^()]|\([^()]*\))*\))`

/** What is no number, or has no end, is null. */
const withoutEndlessNumbers = inTurn(
  instead([new RegExp(`(${plainOperand}) / (${plainOperand})`, 'g'), guarded('$1 / $2')]),
  changedCalls(/MOD|BITWISE_CONVERT_LONG_BITS_TO_DOUBLE|LN|LOG10|SQRT|POWER|POW|ASIN|ACOS|COT|EXP/, guarded),
)

/** Bounds hold for what is there alone. */
const withoutNullsInBounds = instead(
  [new RegExp(`(${plainOperand}) (NOT BETWEEN|BETWEEN SYMMETRIC) `, 'g'), '$1 IS NOT NULL AND $1 $2 '],
  [
    new RegExp(`\\(?(${plainOperand}) ([<>]=?) (${plainOperand})\\)? OR \\(?\\1 ([<>]=?) `, 'g'),
    '$1 IS NOT NULL AND $1 $2 $3 OR $1 IS NOT NULL AND $1 $4 ',
  ],
)

/** Expressions of whole numbers in place of doubles. */
const ofWholeExpressions = (text: string): string =>
  text.replaceAll(/"expression":"(?:[^"\\]|\\.)*"/g, (expression) => expression.replaceAll(/\b[dV]\b/g, 'n'))

/** What may be -0.0 is 0.0. */
const withoutNegativeZeros = inTurn(
  changedCalls(
    /CEIL|CEILING|FLOOR|ROUND|TRUNC|TRUNCATE|MOD|SAFE_DIVIDE|BITWISE_CONVERT_LONG_BITS_TO_DOUBLE|ATAN2|DEGREES|RADIANS|SIN|TAN|ATAN|ASIN|SQRT/,
    // The planner leaves a sum with 0 out.
    (call) => `((${call} + 1.0) - 1.0)`,
  ),
  instead([/ [*/] /g, ' + ']),
)

/** Times of 1970 and later. */
const since1970 = inTurn(
  instead([/\bts\b/g, '__time'], [/'19\d\d-/g, "'2026-"], [/MILLIS_TO_TIMESTAMP\(-/g, 'MILLIS_TO_TIMESTAMP(']),
  withoutCalls(/TIME_PARSE/, '__time'),
)

/** Bounds that doubles hold. */
const evenBounds = instead(
  [/900719925474099[23]/g, '9007199254740000'],
  [/922337203685477580[78]/g, '1000000000000000000'],
  [/1e308/g, '1e10'],
)

export const knownDifferences: readonly KnownDifference[] = [
  estimates,
  refusedThere(
    "Druid's planner fails",
    /InvalidCastException|Calcite assertion violated|could not be planned|Query Planning Failure|Cannot (?:vectorize|invoke)|RexLiteral cannot be cast|is null"|Druid fails at it with|Error (?:while|occurred while) applying rule|Marker filters|while converting |has no target in mapping|to DECIMAL\(\d+, \d+\) due to overflow|no entry for field \d+ in \{|must be BOOLEAN NOT NULL|is not being grouped/,
  ),
  refusedThere(
    'a constant that is no number is null here',
    /evaluates to an unsupported value \[(?:NaN|-?Infinity)\]|Infinite or NaN|For input string|Character . is neither a decimal digit/,
  ),
  refusedThere('Druid cuts characters in half, which no text can hold', /half of a character/),
  {
    reason: 'Druid cuts any of the groups that tie at a limit',
    matches: ({ query, embedded, druid }) => {
      const columns = /"limitSpec":.*"columns":(\[.*?\])/.exec(query.text)?.[1]
      if (columns === undefined || embedded.status !== 200 || druid.status !== 200) return false
      return differInTies(embedded, druid, columns)
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
    { there: /%[dxo][^"]*; /, without: instead([/\b(?:FLOOR|CEIL)\(/g, 'ABS(']) },
  ),
  otherwise(
    'FLOOR, CEIL and TRUNCATE of a whole number, centuries and millennia are doubles as a text and in arrays in Druid',
    /(?:AS VARCHAR|CONCAT|\|\||TO_STRING|STRING_FORMAT|STRING_AGG|LISTAGG|ARRAY).*\b(?:(?:FLOOR|CEIL|TRUNC|TRUNCATE)\(|CENTURY|MILLENNIUM)|\b(?:(?:FLOOR|CEIL|TRUNC|TRUNCATE)\(|CENTURY|MILLENNIUM).*(?:AS VARCHAR|\|\|)/,
    'sql',
    {
      without: inTurn(
        changedCalls(/FLOOR|CEIL|TRUNC|TRUNCATE/, (call) => `CAST(${call} AS BIGINT)`),
        instead([/\b(?:CENTURY|MILLENNIUM)\b/g, 'YEAR']),
      ),
    },
  ),
  otherwise(
    'groups of truth values of texts and doubles are those of the texts and doubles in Druid',
    /(?:AS BOOLEAN\)|= TRUE)(?=.*(?:GROUP BY|DISTINCT))|(?:GROUP BY|DISTINCT).*(?:AS BOOLEAN\)|= TRUE)/,
    'sql',
    {
      without: inTurn(
        changedCalls(/CAST/, (call) =>
          call.endsWith(' AS BOOLEAN)') ? `CASE WHEN ${call} THEN TRUE WHEN NOT ${call} THEN FALSE END` : call,
        ),
        instead([/\b(\w+) = TRUE/g, '(CASE WHEN $1 = TRUE THEN TRUE WHEN $1 <> TRUE THEN FALSE END)']),
      ),
    },
  ),
  {
    ...otherwise(
      'bounds that hold all values together hold null too in Druid',
      /NOT BETWEEN|BETWEEN SYMMETRIC|(?:\(|WHERE )([^<>=]+) [<>]=? .* OR \(?\1 [<>]=? |NOT \(([^<>=]+) [<>]=? .* AND \2 [<>]=? /,
      'sql',
      { without: withoutNullsInBounds },
    ),
    keepsOurs: true,
  },
  otherwise('zeros of two signs are two groups in Druid', /GROUP BY|DISTINCT/, 'sql', {
    there: /":0[,}]|-0\.0/,
    without: withoutNegativeZeros,
  }),
  otherwise(
    'a negative zero is not equal to 0 in a filter of Druid',
    / (?:=|<>|<=|>=|<|>) 0(?:\.0)?\b|IN \(.*\b0\b/,
    'sql',
    { without: inTurn(withoutNegativeZeros, instead([/(?<!AS )\bV\b(?!, c, m)/g, '((V + 1.0) - 1.0)'])) },
  ),
  otherwise(
    'arrays of nulls alone are of numbers in Druid, a row at a time',
    /ARRAY_(?:APPEND|PREPEND|CONCAT)\(/,
    'sql',
    {
      without: changedCalls(
        /ARRAY_(?:APPEND|PREPEND|CONCAT)/,
        instead([/(?<![.\w'])([sTjce])(?=[,\])])/g, "COALESCE($1, 'q')"], [/CAST\(NULL AS VARCHAR\)/g, "'q'"]),
      ),
    },
  ),
  refusedThere('Druid orders by no arrays', /ArrayList cannot be cast/),
  refusedThere('Druid takes no array that is a constant null', /Cannot handle literal \[null/),
  refusedThere(
    'what is no Base64 is null here',
    /[Bb]ase64|4-byte ending unit|enough valid bits|Function\[\w+\] encountered unknown exception/,
    /DECODE_BASE64_UTF8|decode_base64_utf8/,
  ),
  otherwise('bytes that are no UTF-8 are null here', /DECODE_BASE64_UTF8\(/, 'sql', {
    without: instead([/DECODE_BASE64_UTF8\(/g, 'UPPER(']),
  }),
  refusedThere(
    'JSON_MERGE takes objects alone in Druid',
    /Function\[json_merge\] (?:bad string|invalid) input|Function\[\w+\] encountered unknown exception/,
    /JSON_MERGE/,
  ),
  refusedThere(
    'Druid folds no expression of a constant null',
    /Unhandled exception made it to the top|types\.size >= 1/,
  ),
  {
    reason: 'Druid asks the operands of a quotient whether it is null, and does not divide',
    matches: ({ query, embedded, druid }) =>
      / \/ .*IS (?:NOT )?(?:NULL|UNKNOWN)/.test(query.text) &&
      embedded.status === 400 &&
      /is divided by zero/.test(embedded.text) &&
      druid.status === 200,
    without: instead([/ \/ /g, ' * ']),
  },
  {
    reason: 'Druid divides in those rows alone that the other conditions leave',
    matches: ({ query, embedded, druid }) =>
      /WHERE .* AND .* \/ |WHERE .* \/ .* AND /.test(query.text) &&
      embedded.status === 400 &&
      /is divided by zero/.test(embedded.text) &&
      druid.status === 200,
    without: instead([/ \/ /g, ' * ']),
  },
  otherwise(
    'a negative zero is not equal to 0 in a filter of Druid',
    /"(?:matchValue|value|lower|upper)":"?0(?:\.0)?\b/,
    'native',
    { without: ofWholeExpressions },
  ),
  otherwise('of zeros of two signs the least is the negative one in Druid', /Min".* \* 0\.0|Max".* \* 0\.0/, 'native', {
    there: /-0\.0|Infinity/,
    without: instead([/ \* 0\.0/g, ' * 2.0']),
  }),
  otherwise(
    'Druid leaves a HAVING out that always holds, and then puts null first where it takes the first groups',
    /HAVING .* ORDER BY k DESC LIMIT/,
    'sql',
    {
      there: /^\[\{"k":null/,
      differing: values,
      without: instead([/ HAVING .* ORDER BY k DESC/g, ' ORDER BY k DESC']),
    },
  ),
  refusedThere(
    'Druid divides before HAVING',
    /\/ by zero|ArithmeticException|cannot be run: null"|Function\[\w+\] encountered unknown exception/,
    / [/%] .*HAVING|MOD\(.*HAVING|HAVING.* [/%] /,
  ),
  otherwise(
    'beside a COUNT(DISTINCT) of groups Druid has no EARLIEST or LATEST of a text',
    /(?:(?:COUNT|SUM)\(DISTINCT .*(?:EARLIEST|LATEST)|(?:EARLIEST|LATEST).*(?:COUNT|SUM)\(DISTINCT )/,
    'sql',
    { without: instead([/\b(COUNT|SUM)\(DISTINCT /g, '$1(']) },
  ),
  otherwise(
    'Druid leaves a CAST to a whole number out of a mean and of a deviation',
    /^(?=.*\b(?:AVG|STDDEV\w*|VAR\w*)\().*CAST\([^()]* AS (?:BIGINT|INTEGER)\)/,
    'sql',
    { differing: values, without: instead([/CAST\([^()]* AS (BIGINT|INTEGER)\)/g, 'CAST(ABS(n) AS $1)']) },
  ),
  otherwise('estimates of DS_THETA and DS_HLL are added as doubles', /_DS_(?:THETA|HLL)\(|SKETCH_ESTIMATE/, 'sql', {
    differing: values,
    without: instead([/\b[lm]\b/g, 'n']),
  }),
  otherwise(
    'a column that is there twice is one to Druid, which then puts null first',
    /SELECT DISTINCT (\w+) AS k, \1 AS m1 .*ORDER BY .*DESC/,
    'sql',
    { without: instead([/SELECT DISTINCT (\w+) AS k, \1 AS m1/g, 'SELECT DISTINCT $1 AS k, b AS m1']) },
  ),
  refusedThere('Druid fails to replace by null', /Function\[replace\] encountered unknown exception/, /replace\(/i),
  otherwise(
    'a search in alphanumeric order counts values that differ by case as one in Druid, a segment at a time',
    /"queryType":"search".*"sort":\{"type":"alphanumeric"\}/,
    'native',
    { without: instead([/"type":"alphanumeric"/g, '"type":"lexicographic"']) },
  ),
  differing(
    'a scan of an inner query does not tell the types of all columns in Druid',
    /rowSignature\[\d+\]\.type: string and nothing$/,
    /"queryType":"scan","dataSource":\{/,
  ),
  otherwise("'any' takes a value that is not null here", /"type":"(?:long|double|float|string)Any"/, 'native', {
    without: instead([/"(long|double|float)Any"/g, '"$1Max"'], [/"stringAny"/g, '"stringLast"']),
  }),
  differing(
    'a topN writes a bucket that lies in two segments in UTC in Druid, in whichever zone it is asked for',
    /^\[\d+\]\.timestamp: string and string$/,
    /"queryType":"topN".*"timeZone":/,
  ),
  {
    reason: 'an expression that is always null has the type of what it could be, and none or FLOAT in Druid',
    matches: ({ difference, embedded }) => {
      const places = /^\[(\d+)\]\.rowSignature\[(\d+)\]\.type: string and (?:string|nothing)$/.exec(difference)
      return places !== null && isNullColumn(embedded, Number(places[1]), Number(places[2]))
    },
  },
  writtenOtherwise(
    'a deviation of doubles that are all the same is 0 here, and as far from it as doubles round in Druid',
    /STDDEV|VAR/,
    nearlyZeros,
  ),
  otherwise(
    'what is no number is null here, and goes on as NaN in Druid',
    /\b(?:MOD|BITWISE_CONVERT_LONG_BITS_TO_DOUBLE|LN|LOG10|SQRT|POWER|POW|ASIN|ACOS)\(| \/ /,
    'sql',
    { without: withoutEndlessNumbers },
  ),
  otherwise(
    'first and last over rows of an inner query pass over null texts in Druid, and take any of the rows of one time',
    /"dataSource":\{"type":"query".*"type":"(?:long|double|float|string)(?:First|Last)"/,
    'native',
    {
      without: instead([/"(?:long|double|float|string)(?:First|Last)"/g, '"count"']),
    },
  ),
  otherwise('a mean of parts of the rows goes wrong beside nulls in Druid', /"doubleMean"/, 'native', {
    without: instead([/"doubleMean"/g, '"doubleSum"']),
  }),
  writtenOtherwise('doubles in JSON are written as 1.0E10 in Druid', /JSON_OBJECT\(|PARSE_JSON\(/, doublesEvened),
  writtenOtherwise(
    'the text of a double may have a digit more in Druid',
    /AS VARCHAR|CONCAT\(|\|\||STRING_FORMAT\(/,
    doublesEvened,
  ),
  otherwise('JSON with more behind it is none here, and what comes first in Druid', /try_parse_json\(/, 'native', {
    without: withoutCalls(/try_parse_json/, 'try_parse_json(j)'),
  }),
  otherwise('JSON with more behind it is none here, and what comes first in Druid', /TRY_PARSE_JSON\(/, 'sql', {
    without: withoutCalls(/TRY_PARSE_JSON/, 'TRY_PARSE_JSON(j)'),
  }),
  otherwise(
    'FLOOR and CEIL of longs beyond 2^53 go by way of doubles in Druid',
    /\b(?:FLOOR|CEIL|CEILING)\(.*\b[lm]\b|\b[lm]\b.*\b(?:FLOOR|CEIL|CEILING)\(/,
    'sql',
    { differing: values, without: ofSmallNumbers },
  ),
  otherwise(
    'bounds of longs go by way of doubles in Druid',
    /900719925474099[23]|922337203685477580[78]|1e308/,
    'sql',
    {
      without: evenBounds,
    },
  ),
  otherwise(
    'bounds of longs go by way of doubles in Druid',
    /900719925474099[23]|922337203685477580[78]|1e308/,
    'native',
    {
      without: evenBounds,
    },
  ),
  otherwise(
    'Druid cuts the fractions of numbers that it looks for in longs',
    /(?:NOT )?IN \([^()]*\d[.e]\d|(?:=|<>) -?\d+\.\d.* (?:OR|AND) .*(?:=|<>) /,
    'sql',
    { without: instead([/(?<=[ (,]-?\d+)\.\d+(?:e\d+)?(?=[ ,)]|$)/g, '.0'], [/\b1e-7\b/g, '0.0']) },
  ),
  refusedThere('Druid limits no texts by their natural order', /NaturalComparator/),
  otherwise('a year beyond all times is null here', /TIMESTAMP|TIME_PARSE/, 'sql', {
    there: /\d{17}/,
    without: inTurn(ofSmallNumbers, withoutCalls(/TIME_PARSE/, 'ts')),
  }),
  otherwise('a year beyond all times is null here', /MILLIS_TO_TIMESTAMP\(|AS TIMESTAMP\)/, 'sql', {
    without: instead([/\b[lm]\b/g, 'n'], [/9223372036854775807|9007199254740993/g, '1767225600000']),
  }),
  otherwise('a year beyond all times is null here', /TIME_PARSE\(.*GROUP BY/, 'sql', {
    there: /"(\w+)":null.*"\1":null/,
    without: ofSmallNumbers,
  }),
  otherwise(
    'a year beyond all times is null here',
    /(?:TIME_PARSE|AS TIMESTAMP).*IPV4_PARSE\('|IPV4_PARSE\('.*AS TIMESTAMP/,
    'sql',
    {
      without: instead([/IPV4_PARSE\('[^']*'\)/g, '2000']),
    },
  ),
  otherwise('a first or last number that is null is 0 beside an UNNEST in Druid', /UNNEST\(/, 'sql', {
    without: instead([/\b(?:EARLIEST|LATEST)(?:_BY)?\(/g, 'COUNT(DISTINCT ']),
  }),
  differing(
    'with skipEmptyBuckets one bucket is at the time of the first segment of which a row passes in Druid',
    /^\[0\]\.timestamp: /,
    /"queryType":"timeseries".*"granularity":"all".*"skipEmptyBuckets":true/,
  ),
  otherwise('a year beyond all times is null here', /(?:MAX|MIN|EARLIEST|LATEST|TIME_\w+)\(.*TIME_PARSE\(/, 'sql', {
    there: /null/,
    without: ofSmallNumbers,
  }),
  refusedThere('a year beyond all times is null here', /query cannot be run: (?:[+-]?\d{5,}|-\d{4})-\d\d-\d\d/),
  otherwise(
    'TIME_FLOOR and TIME_CEIL by several hours give the next bucket before 1970 in Druid',
    /'PT(?:6|12)H'/,
    'sql',
    { without: since1970 },
  ),
  otherwise(
    'TIME_FLOOR by several hours begins on the hour in Druid in zones east whose minutes changed since 1970',
    /'PT(?:6|12)H'.*'(?:Asia\/Kathmandu|Australia\/Lord_Howe)'/,
    'sql',
    { without: instead([/'(?:Asia\/Kathmandu|Australia\/Lord_Howe)'/g, "'Europe/Madrid'"]) },
  ),
  otherwise(
    'a floor by several hours begins on the hour in Druid in zones east whose minutes changed since 1970',
    /'PT12H'.*'Asia\/Kathmandu'/,
    'native',
    { without: instead([/'Asia\/Kathmandu'/g, "'Europe/Madrid'"]) },
  ),
  otherwise(
    'alphanumeric orders put values that differ by case alone in any order in Druid',
    /"queryType":"topN".*"metric":\{"type":"(?:alphaNumeric|dimension","ordering":"alphanumeric)"/,
    'native',
    {
      without: instead(
        [/"alphaNumeric"/g, '"lexicographic"'],
        [/"ordering":"alphanumeric"/g, '"ordering":"lexicographic"'],
      ),
    },
  ),
  otherwise(
    'a floor or ceil to several hours gives the next bucket before 1970 in Druid',
    /timestamp_(?:floor|ceil)\(.*'PT(?:6|12)H'/,
    'native',
    { without: inTurn(instead([/\bts\b/g, '__time']), withoutCalls(/timestamp_parse/, '__time')) },
  ),
  {
    reason: 'Druid takes a call of constants that is null for one that is there',
    matches: ({ query, embedded, druid }) =>
      constantCall.test(query.text) &&
      /IS (?:NOT )?(?:NULL|UNKNOWN|DISTINCT FROM)|COALESCE\(|NVL\(|NULLIF\(|CASE |ARRAY_CONTAINS\(|ARRAY_OVERLAP\(|COUNT\((?!\*)/.test(
        query.text,
      ) &&
      embedded.status === 200 &&
      druid.status === 200,
    without: withNullConstants,
    keepsOurs: true,
  },
  otherwise(
    'beside a COUNT(DISTINCT) Druid tells the arrays of ARRAY_CONCAT_AGG(DISTINCT) apart, and not their elements',
    /ARRAY_CONCAT_AGG\(DISTINCT/,
    'sql',
    { without: instead([/\b(COUNT|SUM)\(DISTINCT /g, '$1(']) },
  ),
  refusedThere(
    'Druid fails to group by an array under a COUNT(DISTINCT)',
    /does not support ARRAY types|Problem invoking method/,
  ),
  {
    reason: 'Druid fails to group by an array of constants under a COUNT(DISTINCT)',
    matches: ({ query, embedded, druid }) =>
      /ARRAY\[.*(?:COUNT|SUM)\(DISTINCT .*GROUP BY/.test(query.text) && embedded.status === 200 && druid.status === 400,
    without: instead([/\b(COUNT|SUM)\(DISTINCT /g, '$1(']),
  },
  {
    reason: 'UNNEST of keys of constant JSON beside a table is refused here',
    matches: ({ query, embedded, druid }) =>
      /UNNEST\(.*JSON_KEYS\(/.test(query.text) &&
      embedded.status === 400 &&
      /this form of query is not answered/.test(embedded.text) &&
      druid.status === 200,
  },
  refusedThere('Druid fails to look for some arrays', /Function\[array_overlap\] encountered unknown exception/),
  otherwise('a deviation of numbers beyond 1e140 is null here', /HAVING.*\b(?:STDDEV|VAR)/, 'sql', {
    without: ofSmallNumbers,
  }),
  otherwise('sketches are estimates in Druid, and exact here', /HAVING.*QUANTILE/, 'sql', {
    without: instead([/HAVING .*?QUANTILE.*?(?= ORDER BY| LIMIT|\) SELECT |\) AS |$)/g, 'HAVING COUNT(*) > 1']),
  }),
  otherwise(
    'a groupBy over a union that is ordered does not put the groups of its tables together in Druid',
    /"type":"union".*"limitSpec"/,
    'native',
    { without: instead([/\{"type":"union","dataSources":\["fuzz","fuzz"\]\}/g, '"fuzz"']) },
  ),
  otherwise(
    'sums of doubles beyond 2^53 depend on the order of their rows',
    /"type":"doubleSum","name":"\w+","fieldName":"l"/,
    'native',
    { without: instead([/("doubleSum","name":"\w+","fieldName":)"l"/g, '$1"n"']) },
  ),
  otherwise('means of longs beyond 2^53 depend on the order of their rows', /\bAVG\(.*\b[lm]\b/, 'sql', {
    differing: values,
    without: instead([/\b[lm]\b/g, 'n']),
  }),
  refusedThere(
    'Druid takes no number for a text in some functions',
    /Parameters must be of the same type|Cannot apply '\w+' to arguments of type '\w+\((?:<[^>]*>, )*<(?:BIGINT|INTEGER|DOUBLE|DECIMAL)|Cannot apply '(?:SUBSTRING|LEFT|RIGHT|REVERSE|LPAD|RPAD|STRPOS|POSITION|I?CONTAINS_STRING|REGEXP_\w+)'/,
  ),
  {
    reason: 'rows of an inner groupBy are in no order',
    matches: ({ query, embedded, druid }) =>
      /"queryType":"scan","dataSource":\{"type":"query","query":\{"queryType":"groupBy"/.test(query.text) &&
      embedded.status === 200 &&
      druid.status === 200 &&
      eventsOf(embedded) === eventsOf(druid),
  },
  {
    reason: 'lists and texts of aggregates take at most 1,024 bytes on a cluster, unless more is allowed',
    matches: ({ embedded, druid }) =>
      embedded.status === 200 && druid.status === 413 && /takes more than 1024 bytes/.test(druid.text),
  },
  {
    reason: 'the buffers of the Druid under test hold few sketches',
    matches: ({ druid }) => druid.status === 413 && /merge buffer/.test(druid.text),
  },
  otherwise('what is no number is left out of the least and the greatest here', /Min|Max|min\(|max\(/, 'native', {
    there: /NaN/,
    differing: /and string$/,
  }),
  otherwise('1 to the power of what is no number is 1 here', /pow|\^/, 'native', {
    there: /NaN/,
    differing: /number and string$/,
  }),
  otherwise("'true' in an array of texts is 1 as a LONG in Druid", /mv_to_array.*ARRAY<LONG>/, 'native', {
    without: instead([/mv_to_array\(s\)/g, 'mv_to_array(T)']),
  }),
  refusedThere('a constant text that is no time is null here', /Illegal TIMESTAMP constant/),
  otherwise('a cluster keeps no sign of a zero', /\bV\b/, 'sql', {
    without: instead([/(?<!AS )\bV\b(?!, c, m)/g, '((V + 1.0) - 1.0)']),
  }),
  otherwise('a cluster keeps no sign of a zero', /"expression":"[^"]*\bV\b/, 'native', {
    without: instead([/(?<!")\bV\b/g, '((V + 1.0) - 1.0)']),
  }),
  otherwise('a cluster keeps no sign of a zero', /"dimension":"V"/, 'native', {
    without: instead([/"dimension":"V"/g, '"dimension":"d"']),
  }),
  {
    reason: 'a cluster keeps no sign of a zero',
    matches: ({ query, embedded, druid }) =>
      query.kind === 'native' &&
      /"fieldName":"V"/.test(query.text) &&
      embedded.status === 200 &&
      druid.status === 200 &&
      differenceOf(query, evened(embedded, signsEvened), evened(druid, signsEvened)) === null,
  },
  otherwise(
    'characters beyond U+FFFF are two to Druid where texts are cut, counted and filled',
    /\b(?:strpos|substring|left|right|lpad|rpad|string_to_array)\(/,
    'native',
    { without: ofPlainCharacters('replace') },
  ),
  otherwise(
    'characters beyond U+FFFF are two to Druid where texts are cut, counted and filled',
    /\b(?:STRPOS|POSITION|SUBSTR|SUBSTRING|LEFT|RIGHT|LPAD|RPAD|STRING_TO_ARRAY)\(|STRING_FORMAT\('%\d*\.\d/,
    'sql',
    { without: ofPlainCharacters('REPLACE') },
  ),
  otherwise('substring, left and right cut no character in two here', /"extractionFn":.*"type":"substring"/, 'native', {
    without: instead([/"type":"substring","index":\d+(?:,"length":\d+)?/g, '"type":"upper"']),
  }),
  otherwise('no array is one of a null to mv_harmonize_nulls here', /mv_harmonize_nulls\(/, 'native', {
    without: instead([/mv_harmonize_nulls\(/g, 'array_to_mv(']),
  }),
  otherwise("Druid replaces nothing once more behind what '.*' has matched", /REGEXP_REPLACE\(.*'\.\*'/, 'sql', {
    without: instead([/'\.\*'/g, "'.+'"]),
  }),
  otherwise(
    "centuries and FLOOR of whole numbers are doubles in Druid's expressions, and no addresses",
    /IPV4_\w+\(.*(?:CENTURY|MILLENNIUM|FLOOR\(|CEIL\()/,
    'sql',
    {
      without: instead([/\b(?:CENTURY|MILLENNIUM)\b/g, 'YEAR'], [/\b(?:FLOOR|CEIL)\(/g, 'ABS(']),
    },
  ),
  otherwise(
    'isfalse of a bound over a join is unknown for null in Druid, and not of it is true',
    /"dataSource":\{"type":"join".*"isfalse".*"bound"/,
    'native',
    { without: instead([/"isfalse"/g, '"not"']) },
  ),
  refusedThere(
    'Druid takes a name for an array or for a value, not for both',
    /used as both scalar and array variables/,
  ),
  refusedThere('Druid renames within the names of functions', /function '\w+' is not defined/),
  otherwise(
    'functions of doubles end in other digits, and in other bits',
    /bitwiseConvertDoubleToLongBits\(/i,
    'native',
    { without: instead([/bitwiseConvertDoubleToLongBits\(/gi, 'abs(']) },
  ),
  writtenOtherwise(
    'functions of doubles end in other digits',
    /\b(?:COT|A?SIN|A?COS|A?TAN|EXP|LN|POW|POWER|ATAN2|LOG10)\(/i,
    digitsEvened,
  ),
  otherwise(
    'what is in no interval holds for a column that is not there in Druid',
    /"(?:not|isfalse)","field":\{"type":"interval"/,
    'native',
  ),
  otherwise(
    'isfalse of a lookup holds for what Druid finds in no key of it',
    /"isfalse","field":.*"extractionFn":\{.*"type":"lookup"/,
    'native',
    { without: instead([/\{"type":"isfalse","field":/g, '{"type":"not","field":']) },
  ),
  otherwise(
    'Druid leaves a CAST of a subquery out of the conditions around it',
    /\(SELECT .*CAST\(\w+(?:\([^()]*\) OVER \([^()]*\))? AS (?:DOUBLE|BIGINT|VARCHAR)\) AS \w+.* FROM .*(?:WHERE|HAVING) /,
    'sql',
    {
      without: instead([
        /CAST\((\w+(?:\([^()]*\) OVER \([^()]*\))?) AS (DOUBLE|BIGINT|VARCHAR)\) AS (\w+)/g,
        "CAST(CONCAT($1, '') AS $2) AS $3",
      ]),
    },
  ),
  otherwise(
    'Druid puts a constant in place of a column that a condition holds equal to it, and works out what is made of it',
    /\bT = 't1'.*CAST\(T AS|CAST\(T AS.*\bT = 't1'/,
    'sql',
    { without: instead([/\bT = 't1'/g, "T LIKE 't1'"]) },
  ),
  otherwise('what is cast of VALUES without a null is no null to the planner', /\(VALUES/, 'sql', {
    without: instead([/(?<=\(VALUES .*)'(?:a|b|c|x|y|\{\}|\[1\])'/g, "'7'"], [/(?<=\(VALUES .*)-0\.5/g, '1.5']),
  }),
  otherwise(
    'a constant text that OR looks for in several whole numbers is cut to one in Druid',
    /'-1\.5' (?:=|<>|(?:NOT )?IN).* (?:OR|AND) /,
    'sql',
    { without: instead([/'-1\.5'/g, "'-1'"]) },
  ),
  otherwise(
    'a text that is looked for among a number and NULL within a call is a number to Druid',
    /\w\(.*\b\w+ IN \([-\d.]+, NULL\)/,
    'sql',
    { without: instead([/( IN \([-\d.]+, )NULL\)/g, '$1CAST(NULL AS BIGINT))']) },
  ),
  otherwise(
    'an element of an array that holds constants is no null to the planner',
    /\b(?:NVL|COALESCE)\(ARRAY_(?:OFFSET|ORDINAL)\(/,
    'sql',
    { without: instead([/\b(?:NVL|COALESCE)\(ARRAY_/g, 'NULLIF(ARRAY_']) },
  ),
  otherwise(
    "what is not null is all that is equal to itself to Druid's planner",
    /\b(\w+) (?:=|<>|<=|>=|<|>) \1\b/,
    'sql',
    {
      without: instead([/\b(\w+) (=|<>|<=|>=|<|>) \1\b/g, '$1 $2 3']),
    },
  ),
  otherwise(
    'a text that is no number finds null in what is computed without an outputType, where Druid looks at one row after another',
    /"(?:selector|in)","dimension":"v\d".*"name":"v\d","expression":"(?:[^"\\]|\\.)*"\}/,
    'native',
    { without: instead([/("name":"v\d","expression":"(?:[^"\\]|\\.)*")\}/g, '$1,"outputType":"DOUBLE"}']) },
  ),
  otherwise('NOT IN of null holds in a CASE that an UNNEST of Druid works out', /UNNEST\(.*CASE .* NOT IN \(/, 'sql', {
    without: instead([/ NOT IN /g, ' IN ']),
  }),
  otherwise(
    'what is counted by is compared as it is cast in a FILTER of different values in Druid',
    /DISTINCT (\w+)\) FILTER \(WHERE .*CAST\(\1 AS /,
    'sql',
    { without: instead([/\b(COUNT|SUM|AVG)\(DISTINCT /g, '$1(']) },
  ),
  otherwise(
    'a text of JSON that is looked for among null finds all rows in Druid',
    /SCALAR_IN_ARRAY\(TO_JSON_STRING\(.*NULL\]/,
    'sql',
    { without: instead([/, NULL\]/g, ']']) },
  ),
  otherwise(
    'a column that is cast to another type and back by way of a sum with 0, or around a subquery, is the column to Druid',
    /CAST\(.*CAST\(/,
    'sql',
    { without: instead([/CAST\(\w+ AS (BIGINT|DOUBLE|VARCHAR)\)/g, 'CAST(ABS(n) AS $1)']) },
  ),
  otherwise(
    'filters of what a virtual column computes of doubles look at whole numbers over an inner scan in Druid',
    /"dataSource":\{"type":"query","query":\{"queryType":"scan".*"(?:column|dimension)":"v\d"/,
    'native',
    { without: ofWholeExpressions },
  ),
  otherwise('a text in place of a number is 0 or null to functions of Druid', /\bdiv\(/, 'native', {
    without: changedCalls(/div/, (call) => call.replaceAll(/\b[sTjc]\b/g, 'n')),
  }),
  otherwise(
    'an address with a range or spaces behind it is one to Druid',
    /IPV4_(?:PARSE|MATCH)\(.*(?:'-'|' ')/,
    'sql',
    {
      without: instead([/'(?:-| )'/g, "'x'"]),
    },
  ),
  otherwise('BIT_AND is always 0 in Druid', /BIT_AND\(/, 'sql', { without: instead([/BIT_AND\(/g, 'BIT_OR(']) }),
  otherwise(
    'Druid gives the rows of the right side that match nothing once for each segment',
    /\b(?:RIGHT|FULL) JOIN/,
    'sql',
    { without: instead([/\b(?:RIGHT|FULL) JOIN/g, 'LEFT JOIN']) },
  ),
  otherwise('a built-in estimate leaves the empty text out in Druid', /APPROX_COUNT_DISTINCT(?:_BUILTIN)?\(/, 'sql', {
    without: instead([/APPROX_COUNT_DISTINCT(?:_BUILTIN)?\(/g, 'COUNT(DISTINCT ']),
  }),
  otherwise(
    'a cardinality over an inner scan or a union counts the empty text in Druid',
    /"dataSource":\{"type":"(?:query","query":\{"queryType":"scan|union)".*"type":"cardinality"/,
    'native',
    { without: instead([/\{"type":"cardinality","name":("\w+"),[^}]*\}/g, '{"type":"count","name":$1}']) },
  ),
  otherwise('arrays of nulls alone are of numbers in Druid, a row at a time', /array\((?:\w+)(?:, \w+)*\)/, 'native', {
    without: instead([/\barray\(/g, "array('a', "]),
  }),
  otherwise('variances are made of sums of squares on a cluster', /\b(?:STDDEV|VAR)/, 'sql', {
    without: inTurn(
      ofSmallNumbers,
      changedCalls(/CAST|TIMESTAMP_TO_MILLIS/, (call) =>
        /^TIMESTAMP| AS (?:BIGINT|DOUBLE)\)$/.test(call) ? 'n' : call,
      ),
    ),
  }),
  differing(
    'a virtual column of inline rows without an outputType may be a FLOAT in Druid',
    /rowSignature\[\d+\]\.type: string and string$/,
    /"queryType":"scan","dataSource":\{"type":"inline"/,
  ),
  writtenOtherwise(
    'whole numbers of 32 bits go round in the answers of Druid',
    /TIMESTAMPDIFF\(|LENGTH\(|STRLEN\(|POSITION\(|ARRAY_(?:OFFSET|ORDINAL)\(ARRAY_/,
    intsEvened,
  ),
  otherwise(
    'each row of GREATEST, LEAST and CASE has a type of its own in Druid, which %f and %d ask for',
    /STRING_FORMAT\('[^']*%[a-z][^']*', .*\b(?:GREATEST\(|LEAST\(|COALESCE\(|NVL\(|CASE )/,
    'sql',
    { without: withoutCalls(/GREATEST|LEAST|COALESCE|NVL/, 'd') },
  ),
  otherwise('each row of an if has a type of its own in Druid', /'(?:CENTURY|MILLENNIUM)'/, 'native', {
    without: instead([/'(?:CENTURY|MILLENNIUM)'/g, "'YEAR'"]),
  }),
  refusedThere('JSON_VALUE of a list is null here', /cannot cast \[ARRAY/, /JSON_VALUE\(/),
  otherwise('ANY_VALUE takes a value that is not null here', /ANY_VALUE\(/, 'sql', {
    without: instead([/ANY_VALUE\(/g, 'LATEST(']),
  }),
  otherwise('months from or to null are counted from 1970 in Druid', /TIMESTAMPDIFF\((?:MONTH|QUARTER|YEAR)/, 'sql', {
    without: inTurn(
      instead([/\bts\b/g, '__time'], [/CAST\((?:[^()]|\([^()]*\))* AS TIMESTAMP\)/g, '__time']),
      withoutCalls(/TIME_PARSE|NULLIF/, '__time'),
    ),
  }),
  otherwise('TRUNCATE and ROUND go by way of a long or a double in Druid', /\b(?:TRUNC(?:ATE)?|ROUND)\(/, 'sql', {
    without: inTurn(instead([/, 12\)/g, ', 2)']), ofSmallNumbers, withoutEndlessNumbers),
  }),
  otherwise('Druid counts different values of sets of groups otherwise', /DISTINCT.*(?:CUBE|ROLLUP|SETS)/, 'sql', {
    without: instead([/DISTINCT /g, '']),
  }),
  otherwise('a null in the second object of JSON_MERGE takes its key away here', /JSON_MERGE\(/, 'sql', {
    there: /null/,
    without: instead([/KEY 'a' VALUE [^)]*\)\)/g, "KEY 'a' VALUE 1))"]),
  }),
  writtenOtherwise(
    'JSON_MERGE keeps the order of keys in Druid, and JSON_OBJECT has none',
    /JSON_(?:MERGE|OBJECT)\(/,
    keysEvened,
  ),
]
