import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const lines = (text: string): string[] => text.split('\n').map((line) => line.trim().split(/\s+/).join(' '))
/** The guide without its SQL answers, which test/acceptance/sql-over-time.test.ts checks. */
const guide = readFileSync('docs/guides/which-number.md', 'utf8').replaceAll(
  /^```sql\n[\s\S]*?\n```\n\n```text\n[\s\S]*?\n```$/gm,
  '',
)
const scenario = readFileSync('test/scenarios/values-over-time.scenario', 'utf8')
const tables = [...guide.matchAll(/^```text\n([\s\S]*?)\n```$/gm)].map(([, table]) => table!)
/** The number of tables with pushed rows; the scenario has these with further columns. */
const pushed = 3

test('the tables of the guide match the scenario', () => {
  const answered = lines(scenario).join('\n')
  for (const table of tables.slice(pushed)) expect(answered).toContain(lines(table).join('\n'))
})

test('the scenario pushes the rows that the guide shows', () => {
  const values = (text: string): string[] =>
    lines(text).map((line) =>
      line
        .split(' ')
        .filter((cell) => cell !== '_')
        .join(' '),
    )
  const rows = values(scenario)
  for (const table of tables.slice(0, pushed)) for (const row of values(table).slice(1)) expect(rows).toContain(row)
})
