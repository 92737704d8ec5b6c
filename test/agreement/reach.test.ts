// The generators use every function and clause that the documentation names.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fuzzedFunctions } from '../druid-native/fuzzed-expressions.ts'
import { fuzzedNames } from '../druid-sql/fuzzed-queries.ts'
import { rulesIn, written } from './grammar.ts'
import { nativeOf, nativeRules } from './native-queries.ts'
import { sqlOf, sqlRules } from './sql-queries.ts'

const queries = 4000
const made = {
  sql: Array.from({ length: queries }, (_, number) => sqlOf(number, 1).piece),
  native: Array.from({ length: queries }, (_, number) => nativeOf(number, 1).piece),
}
const texts = { sql: made.sql.map((piece) => written(piece)), native: made.native.map((piece) => written(piece)) }

test.each([
  ['sql', sqlRules],
  ['native', nativeRules],
] as const)('random queries use all rules of %s', (kind, rules) => {
  const used = new Set(made[kind].flatMap(rulesIn))
  expect(rules.map(({ kind, rule }) => `${kind}: ${rule}`).filter((rule) => !used.has(rule))).toEqual([])
})

/** Functions to skip: the data has no lookups and no multi-value columns; others are written without parentheses or are unknown to Druid. */
const leftOut = /^(?:TIME_WEIGHTED_AVG|INTEGRAL|COUNTER_RISE|LOOKUP|MV_LENGTH|PI|CURRENT_\w+|LOCALTIMESTAMP|GROUPING)$/

test('random queries use all functions of SQL', () => {
  const called = new Set(texts.sql.flatMap((text) => [...text.matchAll(/\b([A-Z_0-9]+)\(/g)].map(([, name]) => name!)))
  expect(fuzzedNames.filter((name) => !called.has(name) && !leftOut.test(name))).toEqual([])
})

test('random queries use all functions of native expressions', () => {
  const called = new Set(
    texts.native.flatMap((text) => [...text.matchAll(/\b(\w+)\(/g)].map(([, name]) => name!.toLowerCase())),
  )
  expect(fuzzedFunctions.filter((name) => !called.has(name))).toEqual([])
})

test.each(
  ['WITH ', 'UNION ALL', ' JOIN ', 'UNNEST(', 'VALUES', 'GROUPING SETS', 'ROLLUP', 'CUBE', 'HAVING'].concat(
    ['ORDER BY', 'LIMIT', 'OFFSET', 'FILTER (WHERE', 'PARTITION BY', 'ROWS ', 'RANGE ', 'CASE WHEN', 'BETWEEN'],
    ['LIKE', 'INTERVAL', 'DISTINCT', 'CAST(', 'ESCAPE', 'NULLS FIRST', 'RETURNING', ' IN (', 'WINDOW '],
  ),
)('random queries use the clause %s', (clause) => {
  expect(texts.sql.some((text) => text.includes(clause))).toBe(true)
})

/** The test cluster's Druid lacks the extension druid-stats. */
const notThere = new Set(['variance', 'stddev'])

test.each([
  ['query types', 8],
  ['filters', 21],
  ['aggregators', 30],
  ['post-aggregators', 17],
  ['having', 9],
  ['extraction functions', 13],
])('random queries use all documented components: %s', (line, least) => {
  const page = readFileSync(new URL('../../docs/druid-native.md', import.meta.url), 'utf8')
  const cell = new RegExp(`^\\| ${line} \\| (.*) \\|$`, 'm').exec(page)?.[1] ?? ''
  const names =
    cell
      .split(';')[0]!
      .replace(/\([^)]*\)/g, '')
      .match(/[\w{},]+(?=,|$| )/g) ?? []
  const spelled = names
    .flatMap(spelledOut)
    .filter((name) => /^[a-z]\w+$/i.test(name) && !/^(?:of|a|or|an|field|expression|with|map)$/.test(name))
  expect(spelled.length).toBeGreaterThanOrEqual(least - 2)
  const used = new Set(
    texts.native.flatMap((text) => [...text.matchAll(/"(?:type|queryType)":"(\w+)"/g)].map(([, type]) => type)),
  )
  expect(spelled.filter((name) => !used.has(name) && !notThere.has(name))).toEqual([])
})

/** Expands `{long,double}{Sum,Min}` to its four names. */
function spelledOut(text: string): readonly string[] {
  const group = /\{([^{}]+)\}/.exec(text)
  if (group === null) return [text.replaceAll(',', '')]
  return group[1]!.split(',').flatMap((one) => spelledOut(text.replace(group[0], one)))
}
