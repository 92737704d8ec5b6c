// SQL that means harm, or none, is refused before the engine hears of it; whatever is not refused holds nothing of the caller's names.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Problem } from '../../src/model/problem.ts'
import { sqlTable } from '../../src/query/sql/tables.ts'
import { translateSql } from '../../src/query/sql/translate.ts'
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

test('there are 150 hostile texts or more', () => {
  expect(Object.values(hostileTexts).flat().length).toBeGreaterThan(150)
})

const words =
  `SELECT FROM WHERE GROUP BY ORDER HAVING LIMIT JOIN ON AS WITH UNION ALL IN ( ) , . ; * + - / = < > ' " || -- /* */ [ ] plant edge secret tag value
  __time 1 2.5 'a' NULL COUNT SUM LATEST TIME_FLOOR CAST CASE WHEN THEN ELSE END OVER PARTITION FILTER DISTINCT INTERVAL DAY BETWEEN LIKE NOT read_csv`.split(
    /\s+/,
  )
const goodTexts = [
  'SELECT tag, COUNT(*) AS n FROM plant WHERE value > 1 GROUP BY tag ORDER BY n DESC LIMIT 5',
  "SELECT TIME_FLOOR(__time, 'PT1H') AS t, SUM(value) FROM plant GROUP BY 1",
  'WITH a AS (SELECT tag FROM plant) SELECT * FROM a JOIN edge ON a.tag = edge.tag',
  "SELECT tag, LATEST(value) FILTER (WHERE tag LIKE 'a%') FROM plant GROUP BY tag",
  'SELECT tag, ROW_NUMBER() OVER (PARTITION BY tag ORDER BY __time) FROM plant',
]

/** A good text or a hostile one, with words taken out, put in and cut. */
const mutated = fc
  .tuple(
    fc.constantFrom(
      ...goodTexts,
      ...Object.values(hostileTexts)
        .flat()
        .filter((text) => text.length < 500),
    ),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom('cut', 'put', 'drop', 'swap'), fc.constantFrom(...words), fc.nat()), {
      maxLength: 6,
    }),
  )
  .map(([text, changes]) => {
    let pieces = text.split(/(\s+|\b)/)
    for (const [at, change, word, other] of changes) {
      const index = at % (pieces.length + 1)
      if (change === 'put') pieces.splice(index, 0, ` ${word} `)
      if (change === 'drop') pieces.splice(index, 1)
      if (change === 'swap') pieces[index] = pieces[other % pieces.length] ?? ''
      if (change === 'cut') pieces = pieces.slice(0, Math.max(1, index))
    }
    return pieces.join('')
  })

test('no text makes anything but a checked query or a problem', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        mutated,
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((all) => all.join(' ')),
      ),
      (text) => {
        try {
          const { text: engineText, entityIds } = translateSql(text, tables)
          expect(entityIds.every((id) => id === 1 || id === 2)).toBe(true)
          // Without its literals, the text is of our own words alone.
          expect(engineText.replace(/'(?:[^']|'')*'/g, '')).not.toMatch(
            /read_|secret|"|;|--|\/\*|duckdb_|pragma|plant|edge/i,
          )
        } catch (error) {
          if (!(error instanceof Problem)) throw error
          expect(error.status).toBe(400)
        }
      },
    ),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 5000) },
  )
})
