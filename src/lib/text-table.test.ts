import { expect, test } from 'vitest'
import { printable, textTable } from './text-table.ts'

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

test('a table without rows is its titles', () => {
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
