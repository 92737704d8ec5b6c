import { expect, test } from 'vitest'
import type { DataQueryRequest } from '../../client/request-options.ts'
import { exampleDay, faultyRows, pushExampleDay, pushTags, tagFields, tagsAlias } from './feed.ts'
import { instrumentsOf } from './plant.ts'

interface PushedBody {
  readonly body: string
  readonly idempotencyKey: string | undefined
}

function demo(stored: readonly Readonly<Record<string, unknown>>[]) {
  const asked: DataQueryRequest[] = []
  const pushed: PushedBody[] = []
  const options = {
    context: { nowMs: () => 0, sleep: async () => {} },
    client: {
      query: async (_kind: string, request: DataQueryRequest) => {
        asked.push(request)
        return stored
      },
      push: async (_ingest: string, body: string | Uint8Array, options: { readonly idempotencyKey?: string }) => {
        pushed.push({ body: String(body), idempotencyKey: options.idempotencyKey })
        return { batch: 'b', rows: String(body).trimEnd().split('\n').length }
      },
    },
    seed: 1,
    signal: new AbortController().signal,
  }
  return { options, asked, pushed }
}

test('pushes the day as one batch with forty rows a minute', async () => {
  const { options, pushed } = demo([])
  expect(await pushExampleDay(options)).toBe(40 * 1440)
  expect(pushed).toHaveLength(1)
  const dates = pushed[0]!.body
    .trimEnd()
    .split('\n')
    .map((line): string => JSON.parse(line).D)
  expect(dates[0]).toBe(`${exampleDay}T00:00:00.000Z`)
  expect(dates.at(-1)).toBe(`${exampleDay}T23:59:00.000Z`)
  expect(pushed[0]!.idempotencyKey).toBe('demo-2026-01-01')
})

test('does not push a day that is already stored', async () => {
  const { options, asked, pushed } = demo([{ D: `${exampleDay}T00:00:00.000Z` }])
  expect(await pushExampleDay(options)).toBe(0)
  expect(pushed).toEqual([])
  expect(asked).toMatchObject([{ start_date: exampleDay, end_date: 'PT0S' }])
})

test('the faulty rows have each kind of fault the expected number of times', () => {
  const rows = faultyRows(1, Date.parse('2026-01-05T08:00:00Z')).trimEnd().split('\n')
  const faults = rows.map((text) => {
    const row = JSON.parse(text) as { D?: string; V: unknown; quality?: number }
    if (row.D === undefined) return 'no time'
    if (!row.D.endsWith('Z')) return 'no date'
    if (typeof row.V !== 'number') return 'no number'
    return row.quality === undefined ? 'none' : 'no field'
  })
  const counts = Object.fromEntries(
    [...new Set(faults)].map((fault) => [fault, faults.filter((one) => one === fault).length]),
  )
  expect(counts).toEqual({ 'no number': 12, 'no field': 24, 'no date': 4, 'no time': 4 })
})

test('pushes an item with exactly the fields of the ingest for each instrument', async () => {
  const pushed: string[] = []
  const push = async (ingest: string, body: string | Uint8Array) => {
    expect(ingest).toBe(tagsAlias)
    pushed.push(body.toString())
    return { batch: 'b', rows: 1 }
  }
  await pushTags({ push }, 7)
  const items: Record<string, unknown>[] = JSON.parse(pushed.join())
  expect(items.map(({ tag }) => tag)).toEqual(instrumentsOf(7).map(({ tag }) => tag))
  const names = tagFields.map(({ name }) => name)
  for (const item of items) expect(Object.keys(item)).toEqual(names)
})
