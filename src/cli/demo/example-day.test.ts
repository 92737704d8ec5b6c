import { expect, test } from 'vitest'
import type { DataQueryRequest } from '../../client/request-options.ts'
import { exampleDay, pushExampleDay } from './example-day.ts'

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
    ingest: 'plant',
    seed: 1,
    signal: new AbortController().signal,
  }
  return { options, asked, pushed }
}

test('the day goes in as one push: forty rows for each minute', async () => {
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

test('a day that is there is not pushed again', async () => {
  const { options, asked, pushed } = demo([{ D: `${exampleDay}T00:00:00.000Z` }])
  expect(await pushExampleDay(options)).toBe(0)
  expect(pushed).toEqual([])
  expect(asked).toMatchObject([{ start_date: exampleDay, end_date: 'PT0S' }])
})
