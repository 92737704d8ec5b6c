// Real series and events, pushed from their files by the command line and read back: every row equals the file's.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { runCommand, runHere } from '../support/run-command.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const dataDirectory = fileURLToPath(new URL('../../../shared/data/', import.meta.url))
const nabDirectory = join(dataDirectory, 'nab')
const wikiPath = join(dataDirectory, 'wikiticker-2015-09-12-sampled.json.gz')
const hourMs = 3_600_000
/** Long pushes report their progress; nothing else is printed. */
const progressAlone = /^(\d+% [\d,]+ rows, [\d,]+ rows\/s\n)*$/

let service: RunningService

beforeAll(async () => {
  service = await runService()
})

afterAll(() => service?.close())

interface Counted {
  readonly entity: string
  readonly rows: number
}

function ask<T>(kind: string, body: object): Promise<T[]> {
  return callOk<T[]>(service.url, 'POST', `/consumer/data/${kind}`, { body })
}

/** Means by key, as plain sums: for values of similar size these are accurate to far better than 1e-9. */
function means(rows: readonly (readonly [key: string, value: number])[]): Map<string, number> {
  const sums = new Map<string, { sum: number; count: number }>()
  for (const [key, value] of rows) {
    const entry = sums.get(key) ?? { sum: 0, count: 0 }
    sums.set(key, { sum: entry.sum + value, count: entry.count + 1 })
  }
  return new Map([...sums].map(([key, { sum, count }]) => [key, sum / count]))
}

function expectClose(actual: Map<string, number>, expected: Map<string, number>): void {
  expect([...actual.keys()].sort()).toEqual([...expected.keys()].sort())
  for (const [key, mean] of expected) {
    expect(Math.abs(actual.get(key)! - mean)).toBeLessThanOrEqual(1e-9 * Math.max(1e-300, Math.abs(mean)))
  }
}

interface Reading {
  readonly D: string
  readonly T: string
  readonly V: number
}

const byDate = (left: Reading, right: Reading): number => (left.D < right.D ? -1 : left.D > right.D ? 1 : 0)

describe.skipIf(!existsSync(nabDirectory))('26 series of the Numenta Anomaly Benchmark', () => {
  const files = existsSync(nabDirectory) ? readdirSync(nabDirectory).filter((name) => name.endsWith('.csv')) : []
  const readings = new Map<string, Reading[]>()

  beforeAll(async () => {
    const key = await makeIngest(service.url, adminKey, { alias: 'nab' })
    for (const file of files) {
      const path = join(nabDirectory, file)
      const T = basename(file, '.csv')
      const [, ...lines] = readFileSync(path, 'utf8').trim().split('\n')
      const rows = lines.map((line) => {
        const [timestamp, value] = line.trim().split(',') as [string, string]
        return { D: new Date(`${timestamp.replace(' ', 'T')}Z`).toISOString(), T, V: Number(value) }
      })
      readings.set(T, rows.sort(byDate))
      const words = [
        'push',
        'nab',
        path,
        '--map',
        'timestamp=D,value=V',
        '--set',
        'T=@filename',
        '--concurrency',
        '1',
        '--json',
      ]
      const pushed = await runHere(words, { TIDEMARK_URL: service.url, TIDEMARK_KEY: key })
      expect(pushed.code).toBe(0)
      expect(pushed.errors).toMatch(progressAlone)
    }
  })

  test('select returns every row, equal to the file', async () => {
    expect(files).toHaveLength(26)
    for (const [tag, rows] of readings) {
      expect(await ask<Reading>('select', { entity: 'nab', ids: [tag] })).toEqual(rows)
    }
  })

  test('hourly means equal a plain computation', async () => {
    const items = await ask<Reading>('average', { entity: 'nab', granularity: 'hour' })
    const hourOf = (date: string): string => new Date(Math.floor(Date.parse(date) / hourMs) * hourMs).toISOString()
    const rows = [...readings.values()].flat()
    expectClose(
      new Map(items.map(({ D, T, V }) => [`${D} ${T}`, V])),
      means(rows.map(({ D, T, V }) => [`${hourOf(D)} ${T}`, V])),
    )
  })

  test('latest is the last row of each file', async () => {
    const newest = [...readings.values()].map((rows) => rows.at(-1)!)
    newest.sort((left, right) => byDate(left, right) || (left.T < right.T ? -1 : 1))
    expect(await ask<Reading>('latest', { entity: 'nab' })).toEqual(newest)
  })
})

const wikiDimensions = [
  'cityName comment countryIsoCode countryName metroCode namespace page regionIsoCode regionName user',
  'isAnonymous isMinor isNew isRobot isUnpatrolled',
].map((names) => names.split(' ')) as [string[], string[]]

describe.skipIf(!existsSync(wikiPath))('39,244 edits of Wikipedia', () => {
  const [texts, flags] = wikiDimensions
  const metrics = ['added', 'deleted', 'delta']
  const fields = [
    { name: 'time', type: 'timestamp', role: 'time' },
    { name: 'channel', type: 'string', role: 'tag' },
    ...texts.map((name) => ({ name, type: name === 'metroCode' ? 'long' : 'string', role: 'dimension' })),
    ...flags.map((name) => ({ name, type: 'boolean', role: 'dimension' })),
    ...metrics.map((name) => ({ name, type: 'long', role: 'metric' })),
  ]
  type Edit = Record<string, unknown> & { time: string; channel: string; added: number }
  let edits: Edit[] = []

  beforeAll(async () => {
    edits = gunzipSync(readFileSync(wikiPath))
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Edit)
    const key = await makeIngest(service.url, adminKey, { alias: 'edits', fields })
    const words = ['push', 'edits', wikiPath, '--format', 'ndjson', '--concurrency', '1', '--json']
    const pushed = await runCommand(words, { TIDEMARK_URL: service.url, TIDEMARK_KEY: key })
    expect(pushed.code).toBe(0)
    expect(pushed.errors).toMatch(progressAlone)
  })

  test('select returns every edit, equal to the file', async () => {
    // `push` waits until its rows are validated, not until they are queryable.
    const rows = async (): Promise<number | undefined> =>
      (await callOk<Counted[]>(service.url, 'GET', '/consumer/data/entities')).find(({ entity }) => entity === 'edits')
        ?.rows
    await expect.poll(rows, { timeout: 60_000 }).toBe(edits.length)
    const asked = { entity: 'edits', fields: [...texts, ...flags] }
    const items = await ask<Edit>('select', asked)
    expect(items).toHaveLength(39_244)
    const text = (edit: Edit): string => JSON.stringify(fields.map(({ name }) => edit[name] ?? null))
    expect(items.map(text).sort()).toEqual(edits.map(text).sort())
    for (let row = 1; row < items.length; row++) expect(items[row]!.time >= items[row - 1]!.time).toBe(true)
  })

  test('means by hour, channel and namespace equal a plain computation', async () => {
    const asked = { entity: 'edits', granularity: 'hour', fields: ['namespace'], metric_name_field: ['added'] }
    const items = await ask<Edit>('average-dimensions', asked)
    const hourOf = (date: string): string => new Date(Math.floor(Date.parse(date) / hourMs) * hourMs).toISOString()
    const key = (hour: string, edit: Edit): string => `${hour} ${edit.channel} ${edit['namespace']}`
    expectClose(
      new Map(items.map((item) => [key(item.time, item), item.added])),
      means(edits.map((edit) => [key(hourOf(edit.time), edit), edit.added])),
    )
  })

  test('latest is the newest edit of each channel', async () => {
    const newest = new Map<string, Edit>()
    for (const edit of edits) {
      const known = newest.get(edit.channel)
      if (known === undefined || edit.time >= known.time) newest.set(edit.channel, edit)
    }
    const items = await ask<Edit>('latest', { entity: 'edits' })
    const short = ({ time, channel, added }: Edit): string => `${time} ${channel} ${added}`
    expect(items.map(short).sort()).toEqual([...newest.values()].map(short).sort())
  })
})
