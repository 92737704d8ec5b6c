import { expect, test } from 'vitest'
import { fittedTable, printable, textTable } from './text-table.ts'

test('columns are as wide as their widest cell', () => {
  const table = textTable(
    [{ title: 'tag' }, { title: 'value', align: 'right' }],
    [['01PHD.OSL101.PV', '7'], ['é😀', '12.25'], ['missing']],
  )
  expect(table).toMatchInlineSnapshot(`
    "tag              value
    01PHD.OSL101.PV      7
    é😀               12.25
    missing
    "
  `)
})

test('a table without rows has only its titles', () => {
  expect(textTable([{ title: 'a' }, { title: 'b' }], [])).toBe('a  b\n')
})

test.each([
  ['plain é', 'plain é'],
  ['a\nb', 'a\\u000ab'],
  ['\u001b[31mred', '\\u001b[31mred'],
  ['\u202eback', '\\u202eback'],
])('%j is printed as %j', (text, expected) => {
  expect(printable(text)).toBe(expected)
})

const columns = [
  { title: 'id' },
  { title: 'message', below: 'whole' },
  { title: 'rows', align: 'right' },
  { title: 'text', below: 'cut' },
] as const

test('a table that fits the terminal is unchanged', () => {
  const rows = [['1', 'no number', '7', 'x'.repeat(20)]]
  const whole = textTable(columns, rows)
  expect(fittedTable(columns, rows, 41)).toEqual({ text: whole, isCut: false })
  expect(fittedTable(columns, rows, 40).text).not.toBe(whole)
  // Without such columns, the table cannot be made narrower.
  const bare = columns.map(({ title }) => ({ title }))
  expect(fittedTable(bare, rows, 10)).toEqual({ text: textTable(bare, rows), isCut: false })
})

test('a wider table prints long cells below their rows, wrapped at spaces, and cut if the column says so', () => {
  const rows = [
    ['1', 'V: expected a number, got a text that is long', '7', `{"V":"${'x'.repeat(80)}"}`],
    ['22', 'expected a number', '12', ''],
    ['3', '', '', 'a\nb'],
  ]
  const { text, isCut } = fittedTable(columns, rows, 30)
  expect(text).toMatchInlineSnapshot(`
    "id  rows
    1      7
        message: V: expected a
        number, got a text that is
        long
        text: {"V":"xxxxxxxxxxxxxx
        xxxxxxxxxxxxxxxxxxxxxxxxxx
        xxxxxxxxxxxxxxxxxxxxxxxxx…
    22    12
        message: expected a number
    3
        text: a\\u000ab
    "
  `)
  expect(isCut).toBe(true)
  expect(text.split('\n').every((line) => [...line].length <= 30)).toBe(true)
  expect(fittedTable(columns, rows.slice(1), 30).isCut).toBe(false)
})

test('cuts a cell of a megabyte', () => {
  const { text } = fittedTable(columns, [['1', '', '', 'x'.repeat(1_000_000)]], 80)
  expect(text.length).toBeLessThan(400)
})
