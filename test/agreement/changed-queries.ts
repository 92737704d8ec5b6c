// Rewrites of queries that remove the construct that a reason describes.

export type Change = (text: string) => string

/** Applies the replacements one after the other. */
export const instead =
  (...words: readonly (readonly [RegExp, string])[]): Change =>
  (text) =>
    words.reduce((changed, [word, other]) => changed.replaceAll(word, other), text)

export const inTurn =
  (...changes: readonly Change[]): Change =>
  (text) =>
    changes.reduce((changed, change) => change(changed), text)

/** Replaces whole calls, whatever their operands contain. Nested calls are replaced first. */
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

/** Replaces whole calls by a word. */
export const withoutCalls = (name: RegExp, other: string): Change => changedCalls(name, () => other)

/** The position after the closing parenthesis of the call whose operands start at `from`. Parentheses in string literals do not count. */
function endOfCall(text: string, from: number): number {
  let depth = 1
  for (const match of text.slice(from).matchAll(/'[^']*'|[()]/g)) {
    if (match[0] === '(') depth += 1
    else if (match[0] === ')') depth -= 1
    if (depth === 0) return from + match.index + 1
  }
  return text.length
}

/** The text column `s`, where it is neither an alias nor a letter of a format or pattern. */
const textColumn = /(?<![.\w%\\'"]|AS )\bs\b(?!['"]|, (?:j|LATEST\(j)\b)/g

/** The query over texts without characters beyond U+FFFF, each of which Druid counts as two. */
export const ofPlainCharacters = (replace: 'REPLACE' | 'replace'): Change =>
  instead([/\u{1f600}/gu, 'x'], [textColumn, `${replace}(s, '\u{1f600}', 'x')`])

/** The query over long columns that doubles represent exactly. Column aliases and the lists of all columns stay. */
export const ofSmallLongs = instead([/(?<!AS |V, c, )\b[lm]\b(?!, b, ts)/g, 'n'])

/** The query over numbers that doubles represent exactly and that are close together. */
export const ofSmallNumbers = inTurn(
  ofSmallLongs,
  instead(
    [/(?<!AS )\bV\b(?!, c, m)/g, 'd'],
    [/\b(?:9223372036854775807|9007199254740993|2147483648|1e10|1e308)\b/g, '63'],
  ),
)

/** Replaces bounds by ones that doubles represent exactly. */
export const evenBounds = instead(
  [/900719925474099[23]/g, '9007199254740000'],
  [/922337203685477580[78]/g, '1000000000000000000'],
  [/1e308/g, '1e10'],
)

/** An operand of an operator. */
export const plainOperand = String.raw`(?:[\w.]+|\w+\((?:[^()]|\([^()]*\))*\)|\((?:[^()]|\([^()]*\))*\))`

/** A comparison of a text column with numbers. */
const besideTexts = String.raw`(?:CAST\((?:\w+\.)?[sTjckx]\d? AS (?:BIGINT|DOUBLE)\)|\b(?:\w+\.)?[sTjckx]\d?) (?:[<>]=?|<>|=|(?:NOT )?IN|(?:NOT )?BETWEEN) \(?-?\d`

/** A text or a double tested for truth. */
const truths = String.raw`AS BOOLEAN\)|= TRUE`

/** Such a comparison in a CASE within a row condition or an aggregate, several such comparisons, or a list of numbers. */
export const textsBesideNumbers = new RegExp(
  `(?:(?:WHERE|HAVING|ON) .*|\\()CASE .*(?:${besideTexts}|${truths}|CAST\\()|${besideTexts}.* (?:AND|OR) .*${besideTexts}|\\bIN \\(-?\\d`,
)

/** The query with texts instead of these numbers. */
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

/** Functions that may return null for operands that are not null. */
export const constantCall =
  /\b(?:ARRAY_(?:SLICE|ORDINAL|OFFSET|ORDINAL_OF|OFFSET_OF)|JSON_KEYS|[LR]PAD|SUBSTRING|REGEXP_EXTRACT|NULLIF|CAST|PARSE_LONG|TIME_PARSE)\(/

/** Columns that may be null. The planner regards values computed from the time as never null. */
const nullable = /\b(?:[TsjnlbdVcmkexq]|ts)\b/

/** Replaces calls without such a column by null constants of the same type, which Druid recognizes as null. */
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
