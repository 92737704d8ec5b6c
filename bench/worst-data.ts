// Data queries that ask for much, each at the limits or refused by them, and the rows that they are asked of.
import { makeIngest } from '../test/support/api.ts'
import { adminKey } from '../test/support/server-process.ts'
import { request, runLoad } from './load.ts'
import { drain } from './plant.ts'

export interface WorstDataQuery {
  readonly name: string
  readonly path: string
  /** Null for a GET. */
  readonly body: object | null
  readonly accept?: string
}

const firstMs = Date.UTC(2026, 0, 1)
const iso = (ms: number): string => new Date(ms).toISOString()
const manyTags = 5200
const longRows = 1_000_000
const lateRows = 500_000
const tiedRows = 500_000
const wideTags = 200_000
const wideTag = (tag: number): string => `t${String((tag * 7919) % wideTags).padStart(6, '0')}`
const range = (seconds: number): object => ({ start_date: iso(firstMs), end_date: iso(firstMs + seconds * 1000 - 1) })
const data = '/consumer/data'

export const worstDataQueries: readonly WorstDataQuery[] = [
  {
    name: 'snap: 1,000,000 ticks of 5,200 tags (refused)',
    path: `${data}/snap`,
    body: { entity: 'many', granularity: 'second', ...range(1_000_000) },
  },
  {
    name: 'snap: 190 ticks of 5,200 tags',
    path: `${data}/snap`,
    body: { entity: 'many', granularity: 'PT1H', ...range(190 * 3600) },
  },
  {
    name: 'average: 1,000,000 buckets',
    path: `${data}/average`,
    body: { entity: 'long', granularity: 'second', ...range(longRows) },
  },
  {
    name: 'average-dimensions: 500,000 combinations',
    path: `${data}/average-dimensions`,
    body: { entity: 'tied', fields: ['site'] },
  },
  {
    name: 'select: 500,000 rows of one date, by a field',
    path: `${data}/select`,
    body: { entity: 'tied', fields: ['site'] },
  },
  { name: 'select: 500,000 late rows, CSV', path: `${data}/select`, body: { entity: 'late' }, accept: 'text/csv' },
  {
    name: 'latest: 100,000 ids',
    path: `${data}/latest`,
    body: { entity: 'wide', ids: Array.from({ length: 100_000 }, (_, place) => wideTag(place * 2)) },
  },
  {
    name: 'latest: 10,000 prefixes of 200,000 tags',
    path: `${data}/latest`,
    body: { entity: 'wide', prefixes: Array.from({ length: 10_000 }, (_, place) => `${wideTag(place * 3)}x`) },
  },
  {
    name: 'last: the 900,000th before a date',
    path: `${data}/last`,
    body: { entity: 'long', date: '2027-01-01', offset: 900_000 },
  },
  {
    name: 'latest: of a metric that came once',
    path: `${data}/latest`,
    body: { entity: 'long', metric_name_field: ['W'] },
  },
  { name: 'describe: the list of entities', path: `${data}/entities`, body: null },
]

interface Rows {
  readonly alias: string
  readonly duplicates?: 'keep' | 'replace'
  readonly count: number
  readonly row: (row: number) => string
}

const row = (ms: number, tag: string, rest: string): string => `{"D":"${iso(ms)}","T":"${tag}",${rest}}`
const scattered = (row: number, rows: number): number => (row * 7919) % rows

const entities: readonly Rows[] = [
  {
    alias: 'many',
    count: manyTags * 20,
    row: (place) =>
      row(firstMs + Math.floor(place / manyTags) * 3_600_000, `tag${place % manyTags}`, `"site":"s","V":${place}`),
  },
  {
    alias: 'long',
    count: longRows,
    row: (place) => row(firstMs + place * 1000, 'one', `"site":"s","V":${place}${place === 0 ? ',"W":1' : ''}`),
  },
  { alias: 'wide', count: wideTags, row: (place) => row(firstMs, wideTag(place), `"site":"s","V":${place}`) },
  {
    alias: 'tied',
    count: tiedRows,
    row: (place) => row(firstMs, 'one', `"site":"s${scattered(place, tiedRows)}","V":${place}`),
  },
  {
    alias: 'late',
    count: lateRows,
    duplicates: 'replace',
    row: (place) => row(firstMs + scattered(place, lateRows) * 1000, 'one', `"site":"s","V":${place}`),
  },
]

const fields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'site', type: 'string', role: 'dimension' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'W', type: 'double', role: 'metric' },
]

/** Resolves when all rows are queryable; the last entity is in memory still. */
export async function makeWorstData(url: string): Promise<void> {
  for (const { alias, duplicates = 'keep', count, row } of entities) {
    const key = await makeIngest(url, adminKey, { alias, duplicates, fields })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    let pushed = 0
    const next = (): Uint8Array | null => {
      if (pushed >= count) return null
      const length = Math.min(10_000, count - pushed)
      const body = `[${Array.from({ length }, (_, place) => row(pushed + place)).join(',')}]`
      pushed += length
      return request(url, 'POST', `/ingests/${alias}/data`, headers, body)
    }
    await runLoad({ url, connections: 1, next, retryMs: 100 })
    await drain(url, alias)
  }
}
