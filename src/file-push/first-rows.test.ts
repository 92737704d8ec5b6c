import { expect, test } from 'vitest'
import type { CellType } from './cells.ts'
import { FirstRows } from './first-rows.ts'

const types = new Map<string, CellType>([
  ['D', 'timestamp'],
  ['T', 'string'],
  ['V', 'double'],
])
const unknown = (field: string, rows = 1) => ({ code: 'unknown_field', field, rows })

async function likely(rows: readonly string[], kinds: Parameters<FirstRows['likelyRenames']>[0]) {
  const firstRows = new FirstRows()
  const groups = (async function* () {
    yield []
    yield rows.map((row) => Buffer.from(row))
  })()
  const passed: string[] = []
  for await (const group of firstRows.of(groups)) passed.push(...group.map((row) => Buffer.from(row).toString()))
  expect(passed).toEqual(rows)
  const renames = firstRows.likelyRenames(kinds, { types })
  return renames === null ? null : Object.fromEntries(renames)
}

const named = '{"value":1,"timestamp":"2026-01-01T00:00:00Z","name":"a"}'

test.each([
  ['all names are others', named, [unknown('value', 5)], { timestamp: 'D', name: 'T', value: 'V' }],
  ['one is another', '{"D":"2026-01-01","tag":"a","V":1}', [unknown('tag')], { tag: 'T' }],
  [
    'an open ingest says what it lacks',
    named,
    [{ code: 'missing_time', field: 'D', rows: 3 }],
    { timestamp: 'D', name: 'T', value: 'V' },
  ],
  ['each row has other names', '{"t1":"2026-01-01","x1":1}', ['t1', 't2', 't3'].map((name) => unknown(name)), null],
  ['other faults are more', named, [unknown('value'), { code: 'wrong_type', field: 'V', rows: 2 }], null],
  ['a number is new and only a text is lacking', '{"D":1,"V":1,"oil":3}', [unknown('oil')], null],
  ['no field is left', '{"D":1,"T":"a","V":1,"x":1}', [unknown('x')], null],
  ['it is no object', '[1]', [unknown('x')], null],
  ['it is no JSON', '{"x', [unknown('x')], null],
])('where %s', async (_, row, kinds, renames) => {
  expect(await likely([row, '{}'], kinds)).toEqual(renames)
})

test.each([
  ['{"T":"a","D":1767225600}', { row: 1, property: 'D', count: '1767225600' }],
  ['{"D":100000000}', { row: 1, property: 'D', count: '100000000' }],
  ['{"D":1767225600000}', null],
  ['{"D":"1767225600"}', null],
  ['{"D":4100000000}', null],
  ['{"D":99999999}', null],
  ['{"V":1767225600}', null],
  ['D 1767225600', null],
])('%s has seconds for milliseconds: %j', async (row, found) => {
  expect(await secondsOf([[row]])).toEqual(found)
})

async function secondsOf(groups: readonly (readonly string[])[]) {
  const firstRows = new FirstRows()
  const rows = firstRows.of(
    (async function* () {
      for (const group of groups) yield group.map((row) => Buffer.from(row))
    })(),
  )
  for await (const _ of rows);
  return firstRows.likelySeconds({ types })
}

const [none, seconds] = ['{"D":null}', '{"D":1767225600}']

test.each([
  ['in the same group', [[none, none, seconds, seconds]], 3],
  ['in a later group', [[none], [], [none, seconds]], 3],
  ['behind a row that is no JSON', [['{', seconds]], 2],
  ['in row 100', [Array(60).fill(none), [...Array(39).fill(none), seconds]], 100],
  ['in row 101', [Array(60).fill(none), [...Array(40).fill(none), seconds]], undefined],
])('later rows are looked at: %s', async (_, groups, row) => {
  expect((await secondsOf(groups))?.row).toBe(row)
})

test('there may be no row', async () => {
  expect(await likely([], [])).toBeNull()
})
