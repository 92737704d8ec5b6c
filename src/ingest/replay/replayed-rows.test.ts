import { expect, test } from 'vitest'
import { decodeReplayedRows, encodeReplayedRows, type ReplayedRow } from './replayed-rows.ts'

const row = (position: number, text: string, ...longs: readonly string[]): ReplayedRow => ({
  position,
  text: Buffer.from(text),
  ...(longs.length === 0 ? {} : { longs }),
})

const rows = [row(1, '{"a":1}'), row(2, '{"n":1,"é":2}', 'n', 'é'), row(2 ** 40, ''), row(2 ** 40 + 1, '5', '')]

test('decodes rows as they were encoded', () => {
  const decoded = decodeReplayedRows(encodeReplayedRows(rows))
  expect(decoded.map((one) => ({ ...one, text: Buffer.from(one.text) }))).toEqual(rows)
})

test('refuses a body that ends within a row', () => {
  const body = encodeReplayedRows(rows)
  const ends = new Set(rows.map((_, index) => encodeReplayedRows(rows.slice(0, index)).length))
  for (let end = 1; end < body.length; end++) {
    if (ends.has(end)) continue
    expect(() => decodeReplayedRows(body.subarray(0, end)), String(end)).toThrow('within a row')
  }
})

test('refuses rows that are not in order', () => {
  expect(() => decodeReplayedRows(encodeReplayedRows([row(2, '1'), row(1, '1')]))).toThrow('not in order')
})
