// Hostile or meaningless SQL is refused before it reaches the engine; the SQL of accepted texts contains none of the caller's names.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sqlTable } from '../../src/druid-sql/bind/tables.ts'
import { translateSql } from '../../src/druid-sql/translate.ts'
import { Problem } from '../../src/model/problem.ts'
import { rounds } from '../support/rounds.ts'
import { fuzzedText } from './fuzzed-text.ts'
import { hostileTexts } from './hostile-texts.ts'

const names = ['area', 'unit', 'quality', 'code', 'version'].map(
  (name) => ({ name, type: 'string', role: 'dimension' }) as const,
)
const longs = ['status', 'alarm', 'seq'].map((name) => ({ name, type: 'long', role: 'dimension' }) as const)
const fields = [
  { name: 'time', type: 'timestamp', role: 'time' },
  { name: 'tag', type: 'string', role: 'tag' },
  ...names,
  ...longs,
  { name: 'value', type: 'double', role: 'metric' },
] as const
const tables = [sqlTable({ id: 1, name: 'plant', fields }), sqlTable({ id: 2, name: 'edge', fields })]

function problemOf(text: string): Problem | null {
  try {
    translateSql(text, tables)
    return null
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

describe.each(Object.entries(hostileTexts))('%s', (_kind, texts) => {
  test.each(texts.map((text) => [text.slice(0, 80), text]))('%s', (_title, text) => {
    const problem = problemOf(text)
    expect(problem?.status).toBe(400)
    expect(problem?.message.length).toBeLessThan(2000)
  })
})

test('there are more than 150 hostile strings', () => {
  expect(Object.values(hostileTexts).flat().length).toBeGreaterThan(150)
})

test('any string becomes a checked query or a Problem', () => {
  fc.assert(
    fc.property(fuzzedText, (text) => {
      try {
        const { text: engineText, entityIds } = translateSql(text, tables)
        expect(entityIds.every((id) => id === 1 || id === 2)).toBe(true)
        // Apart from literals, the text consists of our own words.
        expect(engineText.replace(/'(?:[^']|'')*'/g, '')).not.toMatch(
          /read_|secret|"|;|--|\/\*|duckdb_|pragma|plant|edge/i,
        )
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        expect(error.status).toBe(400)
      }
    }),
    { numRuns: rounds(5000) },
  )
})
