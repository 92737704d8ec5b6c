// The fuzzer of SQL uses every function, and so every function that the documentation names.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fuzzedNames, fuzzedSql } from './fuzzed-queries.ts'

const docs = new URL('../../docs/', import.meta.url)
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
/** Words before parentheses that are not functions, and functions that the pages name because they are not supported. */
const notCalled =
  /^(?:AND|AS|BY|CAST|IN|INTO|OVER|SELECT|TABLE|UNNEST|VALUES|DECIMAL|COLUMNS|IMPORTDATA|APPEND|EXTERN|SHA256|MV_\w+)$/

const texts = Array.from({ length: 3 * fuzzedNames.length * 2 }, (_, number) => fuzzedSql(number)).join('\n')

test('random queries call every function', () => {
  const called = new Set([...texts.matchAll(/\b(\w+)\(/g)].map(([, name]) => name!))
  // These are written without parentheses.
  const bare = fuzzedNames.filter((name) => new RegExp(`\\b${name}\\b`).test(texts))
  expect(fuzzedNames.filter((name) => !called.has(name) && !/^(?:CURRENT_|LOCALTIME)/.test(name))).toEqual([])
  expect(bare).toEqual(fuzzedNames)
})

test('the documentation names only functions that exist', () => {
  // A word after a dot is a method in a program.
  const text = pages.map((name) => readFileSync(new URL(name, docs), 'utf8')).join('\n')
  const named = new Set([...text.matchAll(/(?<![.\w])([A-Z][A-Z0-9_]+)\(/g)].map(([, name]) => name!))
  expect(named.size).toBeGreaterThan(5)
  expect([...named].filter((name) => !fuzzedNames.includes(name) && !notCalled.test(name))).toEqual([])
})

test.each([
  ...['WITH ', 'UNION ALL', ' JOIN ', 'UNNEST(', 'VALUES', 'GROUPING SETS', 'ROLLUP', 'CUBE', 'HAVING'],
  ...[
    'ORDER BY',
    'LIMIT',
    'OFFSET',
    'FILTER (WHERE',
    'PARTITION BY',
    'ROWS ',
    'RANGE ',
    'CASE WHEN',
    'BETWEEN',
    'LIKE',
  ],
  ...['INTERVAL', 'DISTINCT', 'CAST(', 'ESCAPE', 'NULLS LAST', 'RETURNING', ' IN ('],
])('random queries use the clause %s', (clause) => {
  expect(texts).toContain(clause)
})
