// Nested calls: with every level the engine's SQL grows by the same length, whichever function and operand contains the next call.
import { expect, test } from 'vitest'
import { translateSql } from '../../src/druid-sql/translate.ts'
import { constants, values } from '../agreement/sql-values.ts'

/** Rules that the grammar of the agreement tests lacks. */
const more: Readonly<Record<string, readonly string[]>> = {
  text: ['NULLIF(<text>, 1)', 'ARRAY[<text>][<long>]'],
  long: ['NULLIF(<long>, <text>)', '<long> / <long>', 'MOD(<long>, <long>)', 'DIV(<long>, <long>)'],
  truth: ["<text> IN (1, 'a', 2.5)", "<text> BETWEEN 1 AND 'a'"],
}
const rows =
  '(SELECT CAST(x AS VARCHAR) AS s, x AS n, CAST(x AS DOUBLE) AS d, MILLIS_TO_TIMESTAMP(x) AS t, x > 1 AS b FROM UNNEST(ARRAY[1, 2]) AS u (x))'
const innermost: Readonly<Record<string, string>> = {
  ...{ text: 's', long: 'n', double: 'd', time: 't', truth: 'b', value: 's' },
  ...{ texts: 'ARRAY[s]', longs: 'ARRAY[n]', json: 'TRY_PARSE_JSON(s)' },
}
const columns: Readonly<Record<string, string>> = {
  textColumn: 's',
  longColumn: 'n',
  doubleColumn: 'd',
  timeColumn: 't',
}
const toText: Readonly<Record<string, (x: string) => string>> = {
  ...{ long: castTo('VARCHAR'), double: castTo('VARCHAR'), time: castTo('VARCHAR') },
  truth: (x) => `CASE WHEN ${x} THEN 'a' END`,
  texts: (x) => `ARRAY_OFFSET(${x}, 0)`,
  longs: (x) => `ARRAY_TO_STRING(${x}, ',')`,
  json: (x) => `TO_JSON_STRING(${x})`,
}
const ofText: Readonly<Record<string, (x: string) => string>> = {
  ...{ long: (x) => `LENGTH(${x})`, double: castTo('DOUBLE'), time: castTo('TIMESTAMP') },
  truth: (x) => `REGEXP_LIKE(${x}, 'a')`,
  texts: (x) => `ARRAY[${x}]`,
  longs: (x) => `ARRAY[LENGTH(${x})]`,
  json: (x) => `TRY_PARSE_JSON(${x})`,
}

function castTo(type: string): (x: string) => string {
  return (x) => `CAST(${x} AS ${type})`
}

function converted(x: string, from: string, to: string): string {
  if (from === to || to === 'value') return x
  const text = from === 'text' ? x : toText[from]!(x)
  return to === 'text' ? text : ofText[to]!(text)
}

/** `<kind>`, `<kind=k>`, and `<@k>`, which repeats the text of `k`. The named group of a regular expression (`(?<q>l)`) is not a slot. */
const slot = /(?<!\?)<(?:@(\w+)|(\w+)(?:=(\w+))?)>/g

/** The rule with `within` in one of its slots, and the plainest values in the others. */
function filled(kind: string, rule: string, place: number, within: string): string {
  let at = 0
  const kept = new Map<string, string>()
  const text = rule.replaceAll(slot, (_, again?: string, name?: string, key?: string) => {
    const here = at++ === place
    if (again !== undefined) return kept.get(again)!
    const operand = here ? `(${converted(within, kind, name!)})` : plainest(name!)
    if (key !== undefined) kept.set(key, operand)
    return operand
  })
  return `(${text})`
}

function plainest(name: string): string {
  return innermost[name] ?? columns[name] ?? (constants[name] ?? values[name])![0]!
}

const cases = Object.entries(values)
  .filter(([kind]) => kind in innermost && kind !== 'value')
  .flatMap(([kind, rules]) => [...rules, ...(more[kind] ?? [])].map((rule) => ({ kind, rule })))
  .flatMap(({ kind, rule }) =>
    [...rule.matchAll(slot)].flatMap(([, , name], place) =>
      name !== undefined && name in innermost ? [{ kind, rule, place }] : [],
    ),
  )

test.each(cases)('$rule, operand $place: the SQL grows linearly with the depth of nesting', ({ kind, rule, place }) => {
  let within = innermost[kind]!
  const levels = Array.from({ length: 7 }, () => {
    within = filled(kind, rule, place, within)
    return within
  })
  const lengths = levels.slice(3).map((text) => translateSql(`SELECT ${text} FROM ${rows}`, []).text.length)
  const grown = lengths.slice(1).map((length, index) => length - lengths[index]!)
  // From some level on, the SQL also checks the length of a text that may be long.
  expect(grown.at(-1)!).toBeLessThanOrEqual(1.5 * grown.at(-3)!)
})
