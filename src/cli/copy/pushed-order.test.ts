import { expect, test } from 'vitest'
import { hasTies, inPushedOrder } from './pushed-order.ts'

type Row = {
  readonly D: number
  readonly T: string
  readonly 'S,"V":'?: string | null
  readonly Q?: number | null
  readonly V: number
}
const dimension = 'S,"V":'
/** As in the rows below: a quality other than null is not good. */
const rules = {
  member: dimension,
  metric: 'V',
  isGood: (row: Uint8Array) => JSON.parse(Buffer.from(row).toString()).Q === null,
}
const lines = (rows: readonly Row[]): Buffer[] => rows.map((row) => Buffer.from(JSON.stringify(row)))
const row = (D: number, T: string, S: string | null, V: number): Row => ({ D, T, [dimension]: S, Q: null, V })

/** As `select` orders them: by date, tag and dimension. */
const selected = (pushed: readonly Row[]): Row[] =>
  pushed.toSorted(
    (a, b) =>
      a.D - b.D || (a.T < b.T ? -1 : a.T > b.T ? 1 : 0) || (String(a[dimension]) < String(b[dimension]) ? -1 : 1),
  )
const plainOf = (pushed: readonly Row[]): Omit<Row, typeof dimension>[] =>
  pushed.toSorted((a, b) => a.D - b.D || (a.T < b.T ? -1 : a.T > b.T ? 1 : 0)).map(({ D, T, V }) => ({ D, T, V }))

test.each<[string, Row[], Row[]]>([
  ['no rows', [], []],
  ['rows without ties', [row(1, 'a', 'x', 1), row(2, 'a', 'y', 1)], [row(1, 'a', 'x', 1), row(2, 'a', 'y', 1)]],
  ['rows of one date and tag', [row(1, 'a', 'z', 1), row(1, 'a', 'b', 2)], [row(1, 'a', 'z', 1), row(1, 'a', 'b', 2)]],
  [
    'ties next to other tags, whose names continue this one',
    [row(1, 'a"', 'z', 1), row(1, 'a', 'z', 3), row(1, 'a', 'b', 2), row(1, 'ab', 'z', 5)],
    [row(1, 'a', 'z', 3), row(1, 'a', 'b', 2), row(1, 'a"', 'z', 1), row(1, 'ab', 'z', 5)],
  ],
  [
    'rows that differ only in dimensions, in the order of those',
    [row(1, 'a', 'z', 7), row(1, 'a', 'c', 1), row(1, 'a', 'b', 7)],
    [row(1, 'a', 'b', 7), row(1, 'a', 'c', 1), row(1, 'a', 'z', 7)],
  ],
  [
    'a dimension that reads like a member',
    [row(1, 'a', ',"V":3}', 1), row(1, 'a', ',"V":1}', 3)],
    [row(1, 'a', ',"V":3}', 1), row(1, 'a', ',"V":1}', 3)],
  ],
])('%s are returned as pushed', (_, pushed, expected) => {
  const ordered = inPushedOrder(
    lines(selected(pushed)),
    plainOf(pushed).map((line) => Buffer.from(JSON.stringify(line))),
    rules,
  )
  expect(ordered.map((line) => JSON.parse(Buffer.from(line).toString()))).toEqual(expected)
})

test('rows of a date and tag that have changed between the selections keep the order of select', () => {
  const pushed = [row(1, 'a', 'z', 1), row(1, 'a', 'b', 2), row(2, 'a', 'z', 1), row(2, 'a', 'b', 2)]
  const plain = plainOf(pushed.slice(1)).map((line) => Buffer.from(JSON.stringify(line)))
  const ordered = inPushedOrder(lines(selected(pushed)), plain, rules)
  expect(ordered.map((line) => JSON.parse(Buffer.from(line).toString()).V)).toEqual([2, 1, 1, 2])
})

test.each<[string, Row[], boolean]>([
  ['another date', [row(1, 'a', 'x', 1), row(2, 'a', 'x', 1)], false],
  ['another tag', [row(1, 'a', 'x', 1), row(1, 'b', 'x', 1)], false],
  ['another dimension', [row(1, 'a', 'x', 1), row(1, 'a', 'y', 1)], true],
])('rows of %s are ties or not', (_, rows, expected) => {
  expect(hasTies(lines(rows), dimension)).toBe(expected)
})

test('rows that are not good come before the good ones of their date and tag', () => {
  const bad = { ...row(1, 'a', 'c', 3), Q: 1 }
  const pushed = [row(1, 'a', 'z', 1), bad, row(1, 'a', 'b', 2), row(2, 'a', 'b', 2)]
  const plain = pushed.filter(({ Q }) => Q === null).map(({ D, T, V }) => Buffer.from(JSON.stringify({ D, T, V })))
  const ordered = inPushedOrder(lines(selected(pushed)), plain, rules)
  expect(ordered.map((line) => JSON.parse(Buffer.from(line).toString()))).toEqual([
    bad,
    row(1, 'a', 'z', 1),
    row(1, 'a', 'b', 2),
    row(2, 'a', 'b', 2),
  ])
})

test('rows that were pushed between the two selections change nothing for other dates', () => {
  const pushed = [row(1, 'a', 'z', 1), row(3, 'a', 'z', 1), row(3, 'a', 'b', 2)]
  const plain = plainOf([...pushed, row(2, 'a', 'x', 1)]).map((line) => Buffer.from(JSON.stringify(line)))
  const ordered = inPushedOrder(lines(selected(pushed)), plain, rules)
  expect(ordered.map((line) => JSON.parse(Buffer.from(line).toString()))).toEqual(pushed)
})
