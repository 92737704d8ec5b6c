// Texts, and how a real Druid 33 read them.
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { sql } from '../lib/sql-text.ts'
import { registerZoneFunctions } from '../sql-engine/duckdb/zone-functions.ts'
import { parseIsoTime } from './parse-sql.ts'
import { Zone } from './zone.ts'

const at = (text: string): bigint => BigInt(Date.parse(text))

const read: readonly (readonly [text: string, ms: bigint | null])[] = [
  ['2026-01-01T00:00:00.123456789', at('2026-01-01T00:00:00.123Z')],
  ['2026-01-01T00:00:00.1234567891', null],
  ['2026-01-01T00:00:00.999999999', at('2026-01-01T00:00:00.999Z')],
  ['2026-01-01 00', at('2026-01-01T00:00Z')],
  ['2026-01', at('2026-01-01T00:00Z')],
  ['2026-W03', at('2026-01-12T00:00Z')],
  ['2026-W03-4', at('2026-01-15T00:00Z')],
  ['2020-W53-7', at('2021-01-03T00:00Z')],
  ['2021-W53', null],
  ['2026-032', at('2026-02-01T00:00Z')],
  ['2025-366', null],
  ['2026-01-01T', at('2026-01-01T00:00Z')],
  ['-5', -62_324_985_600_000n],
  ['10', at('0010-01-01T00:00Z')],
  ['2026-1-2', at('2026-01-02T00:00Z')],
  ['2024-02-29', at('2024-02-29T00:00Z')],
  ['2026-02-29', null],
  ['2026-13-01', null],
  ['2026-01-01TZ', at('2026-01-01T00:00Z')],
  ['2026-01-01 10.5', at('2026-01-01T10:30Z')],
  ['2026-01-01 10:30,25+0130', at('2026-01-01T09:00:15Z')],
  ['2026-01-01 24:00', null],
  ['123456789', 3_895_857_797_385_600_000n],
  ['12345', 327_403_382_400_000n],
  ['+2026', at('2026-01-01T00:00Z')],
  ['2026-01-01 10:30:00.', null],
  ['2026-01-01 1:3:5', at('2026-01-01T01:03:05Z')],
  ['2026-01-01 10:00+01', at('2026-01-01T09:00Z')],
  ['2026-01-01 10:00+01:00:00', at('2026-01-01T09:00Z')],
  ['2026-01-01 10:00 Z', null],
  ['2026-01-01t00:00z', at('2026-01-01T00:00Z')],
  ['2026-01-01 10:00+1', null],
  ['2026-01-01 10:00-0030', at('2026-01-01T10:30Z')],
  ['1969-12-31T23:59:59.999', -1n],
  ['a', null],
  ['', null],
]

async function instantsOf(texts: readonly string[], zone: Zone): Promise<unknown[]> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  registerZoneFunctions(connection)
  try {
    const list = sql.list(texts.map((one) => sql.literal(one)))
    const { text } = sql`SELECT ${parseIsoTime(sql`t`, zone)} FROM (SELECT unnest([${list}]) AS t)`
    const reader = await connection.runAndReadAll(text)
    return reader.getRows().map(([value]) => value)
  } finally {
    connection.closeSync()
  }
}

test('reads strings in UTC as Druid does', async () => {
  const found = await instantsOf(
    read.map(([text]) => text),
    Zone.utc,
  )
  expect(read.map(([text], index) => [text, found[index]])).toEqual(read)
})

test('a local time skipped by the clocks of a zone is null', async () => {
  const texts = [
    '2026-03-29 01:30',
    '2026-03-29 02:30',
    '2026-03-29 03:30',
    '2026-03-29 02:30Z',
    '10',
    '2026-10-25 02:30',
    '2026-10-25 03:30',
  ]
  const expected = [
    at('2026-03-29T00:30Z'),
    null,
    at('2026-03-29T01:30Z'),
    at('2026-03-29T02:30Z'),
    at('0010-01-01T00:14:44Z'),
    at('2026-10-25T00:30Z'),
    at('2026-10-25T02:30Z'),
  ]
  expect(await instantsOf(texts, Zone.find('Europe/Madrid')!)).toEqual(expected)
})
