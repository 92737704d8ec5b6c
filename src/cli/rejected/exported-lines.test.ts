import { expect, test } from 'vitest'
import type { LinePrecision } from '../../model/line-format.ts'
import { ExportedLines } from './exported-lines.ts'

type Row = [row: string, precision?: LinePrecision]

const json: Row = ['{"D":1}']
const ns: Row = ['a load="41" 1767225660000000000', 'ns']
const s: Row = ['b load="41" 1767225660', 's']
const timeless: Row = ['c load="41 2"', 's']

test.each<[rows: readonly Row[], notes: readonly RegExp[]]>([
  [[json, ns], []],
  [[json, s, s], [/are in seconds: push them with --precision s\.$/]],
  [[ns, s], [/different units \(nanoseconds, seconds\)\. Export each push apart/]],
  [[ns, timeless], [/^1 line has no time/]],
  [
    [timeless, s, timeless],
    [/in seconds/, /^2 lines have no time/],
  ],
])('of %j it is said how they are to be pushed', (rows, notes) => {
  const lines = new ExportedLines()
  for (const [row, precision] of rows) lines.add({ row, precision })
  expect(lines.notes()).toEqual(notes.map((note) => expect.stringMatching(note)))
})
