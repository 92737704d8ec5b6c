// Queries with something else in a place that a reason speaks of.

export type Change = (text: string) => string

/** The query with other words, one after the other. */
export const instead =
  (...words: readonly (readonly [RegExp, string])[]): Change =>
  (text) =>
    words.reduce((changed, [word, other]) => changed.replaceAll(word, other), text)

export const inTurn =
  (...changes: readonly Change[]): Change =>
  (text) =>
    changes.reduce((changed, change) => change(changed), text)

/** The query with other texts in place of whole calls, whatever their operands hold; calls within calls are changed first. */
export const changedCalls =
  (name: RegExp, changed: Change): Change =>
  (text) => {
    const call = new RegExp(`\\b(?:${name.source})\\(`).exec(text)
    if (call === null) return text
    const from = call.index + call[0].length
    const end = endOfCall(text, from)
    const inner = changedCalls(name, changed)(text.slice(from, end))
    return text.slice(0, call.index) + changed(call[0] + inner) + changedCalls(name, changed)(text.slice(end))
  }

/** The query with another word in place of whole calls. */
export const withoutCalls = (name: RegExp, other: string): Change => changedCalls(name, () => other)

/** Behind the parenthesis that ends what begins here; texts may hold others. */
function endOfCall(text: string, from: number): number {
  let depth = 1
  for (const match of text.slice(from).matchAll(/'[^']*'|[()]/g)) {
    if (match[0] === '(') depth += 1
    else if (match[0] === ')') depth -= 1
    if (depth === 0) return from + match.index + 1
  }
  return text.length
}

/** The column of texts, where it is no name of one and no letter of a format or pattern. */
const textColumn = /(?<![.\w%\\'"]|AS )\bs\b(?!['"]|, (?:j|LATEST\(j)\b)/g

/** The query over texts without characters beyond U+FFFF, which count twice to Druid. */
export const ofPlainCharacters = (replace: 'REPLACE' | 'replace'): Change =>
  instead([/\u{1f600}/gu, 'x'], [textColumn, `${replace}(s, '\u{1f600}', 'x')`])

/** The query over columns of longs that doubles hold, but for the names of columns and the lists of all. */
export const ofSmallLongs = instead([/(?<!AS |V, c, )\b[lm]\b(?!, b, ts)/g, 'n'])

/** The query over numbers that doubles hold, and that are not far apart. */
export const ofSmallNumbers = inTurn(
  ofSmallLongs,
  instead(
    [/(?<!AS )\bV\b(?!, c, m)/g, 'd'],
    [/\b(?:9223372036854775807|9007199254740993|2147483648|1e10|1e308)\b/g, '63'],
  ),
)

/** Bounds that doubles hold. */
export const evenBounds = instead(
  [/900719925474099[23]/g, '9007199254740000'],
  [/922337203685477580[78]/g, '1000000000000000000'],
  [/1e308/g, '1e10'],
)

/** What stands at a side of an operator. */
export const plainOperand = String.raw`(?:[\w.]+|\w+\((?:[^()]|\([^()]*\))*\)|\((?:[^()]|\([^()]*\))*\))`

/** Numbers that a column of texts is compared with, each where it stands. */
const besideTexts = String.raw`(?:CAST\((?:\w+\.)?[sTjckx]\d? AS (?:BIGINT|DOUBLE)\)|\b(?:\w+\.)?[sTjckx]\d?) (?:[<>]=?|<>|=|(?:NOT )?IN|(?:NOT )?BETWEEN) \(?-?\d`

/** A text or a double that is asked for being true. */
const truths = String.raw`AS BOOLEAN\)|= TRUE`

/** Such a comparison in a CASE that chooses rows or is aggregated, several of them, and a list. */
export const textsBesideNumbers = new RegExp(
  `(?:(?:WHERE|HAVING|ON) .*|\\()CASE .*(?:${besideTexts}|${truths}|CAST\\()|${besideTexts}.* (?:AND|OR) .*${besideTexts}|\\bIN \\(-?\\d`,
)

/** The query with texts in place of these numbers. */
export const textsBesideTexts = inTurn(
  instead([/CAST\(((?:\w+\.)?[sTjckx]\d?) AS (?:BIGINT|DOUBLE)\)/g, '$1'], [/CAST\(([dV]) AS BIGINT\)/g, 'ABS($1)']),
  instead(
    [/(\b(?:\w+\.)?[sTjckx]\d? (?:[<>]=?|<>|=)) (-?\d[\d.]*)/g, "$1 '$2'"],
    [/(\b(?:\w+\.)?[sTjckx]\d? (?:NOT )?IN) \((-?\d[\d.]*), (-?\d[\d.]*)\)/g, "$1 ('$2', '$3')"],
    [/(\b(?:\w+\.)?[sTjckx]\d? (?:NOT )?BETWEEN) (-?\d[\d.]*) AND (-?\d[\d.]*)/g, "$1 '$2' AND '$3'"],
    [/CAST\(([dV]) AS BOOLEAN\)/g, '($1 > 1)'],
    [/CAST\(((?:\w+\.)?[sTjckx]\d?) AS BOOLEAN\)/g, "($1 = 'true')"],
    [/(\b(?:\w+\.)?[sTjckx]\d?) = TRUE/g, "$1 = 'true'"],
  ),
)

/** Functions that may give null of what is there. */
export const constantCall =
  /\b(?:ARRAY_(?:SLICE|ORDINAL|OFFSET|ORDINAL_OF|OFFSET_OF)|JSON_KEYS|[LR]PAD|SUBSTRING|REGEXP_EXTRACT|NULLIF|CAST|PARSE_LONG|TIME_PARSE)\(/

/** Columns that may be null: to the planner, what is made of the time is never null. */
const nullable = /\b(?:[TsjnlbdVcmkexq]|ts)\b/

/** Calls without such a column are written as nulls that Druid knows for such, of the type that they are of. */
export function withNullConstants(text: string): string {
  const call = constantCall.exec(text)
  if (call === null) return text
  const end = endOfCall(text, call.index + call[0].length)
  const whole = text.slice(call.index, end)
  const hasColumn = nullable.test(whole.replaceAll(/'[^']*'/g, '')) && !/SLICE/.test(call[0])
  const first = whole.slice(call[0].length)
  if (hasColumn) return text.slice(0, call.index) + call[0] + withNullConstants(text.slice(call.index + call[0].length))
  return text.slice(0, call.index) + nullOf(call[0], first) + withNullConstants(text.slice(end))
}

function nullOf(call: string, operands: string): string {
  const castTo = call === 'CAST(' ? /.* AS (\w+)\)/.exec(operands)?.[1] : null
  if (castTo !== undefined && castTo !== null) return `CAST(NULL AS ${castTo})`
  if (/TIME_PARSE/.test(call)) return 'CAST(NULL AS TIMESTAMP)'
  if (/_OF\(|PARSE_LONG/.test(call)) return 'CAST(NULL AS BIGINT)'
  if (/SLICE|KEYS/.test(call)) return "STRING_TO_ARRAY(NULLIF(T, T), ',')"
  return /^(?:ARRAY\[)?-?\d/.test(operands) ? 'CAST(NULL AS BIGINT)' : 'CAST(NULL AS VARCHAR)'
}
