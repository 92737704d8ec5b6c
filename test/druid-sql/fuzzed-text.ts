// Random texts: valid and hostile ones with words removed, inserted and cut, words in any order, and any characters.
import fc from 'fast-check'
import { hostileTexts } from './hostile-texts.ts'

/** Words for making and changing texts. */
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

/** A valid or hostile text with words removed, inserted and cut. */
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

export const fuzzedText: fc.Arbitrary<string> = fc.oneof(
  mutated,
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((all) => all.join(' ')),
)
