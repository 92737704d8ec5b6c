import { expect, test } from 'vitest'
import type { ServiceEvent } from './event.ts'
import { Metrics } from './metrics.ts'

const taken = (ingestId: number, rows: number, receivedMs = 1000): ServiceEvent => {
  return { kind: 'pushTaken', ingestId, rows, receivedMs }
}
const validated = (ingestId: number, stored: number, rejected: number): ServiceEvent => {
  return { kind: 'rowsValidated', rows: 0, rejected: 0, again: 0, ms: 1, ingests: [{ ingestId, stored, rejected }] }
}

interface World {
  readonly ingests: { id: number; alias: string }[]
  readonly reported: (...events: readonly ServiceEvent[]) => Promise<readonly string[]>
}

function world(ownMax: number, aliases: readonly string[], pending: (id: number) => number | null = () => 0): World {
  const metrics = new Metrics({ processMetrics: false })
  const ingests = aliases.map((alias, index) => ({ id: index + 1, alias }))
  metrics.watchIngests({ ownMax, ingests: () => ingests, pendingRows: pending })
  return {
    ingests,
    reported: async (...events) => {
      for (const event of events) metrics.observe(event)
      const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('tidemark_ingest'))
      return lines.map((line) => line.replace('tidemark_ingest', ''))
    },
  }
}

test('rows are counted by ingest, from 0 on', async () => {
  const { reported } = world(5, ['plant', 'weather'], (id) => id * 10)
  const replayed: ServiceEvent = { kind: 'rowsReplayed', ingestId: 1, rows: 2, stored: 2 }
  expect(await reported(taken(1, 9, 5500), taken(1, 1, 5000), validated(1, 6, 4), replayed)).toEqual([
    '_received_rows_total{ingest="plant"} 10',
    '_received_rows_total{ingest="weather"} 0',
    '_stored_rows_total{ingest="plant"} 8',
    '_stored_rows_total{ingest="weather"} 0',
    '_rejected_rows_total{ingest="plant"} 4',
    '_rejected_rows_total{ingest="weather"} 0',
    '_pending_rows{ingest="plant"} 10',
    '_pending_rows{ingest="weather"} 20',
    '_last_received_timestamp_seconds{ingest="plant"} 5.5',
    's_counted_together 0',
  ])
})

test('beyond the limit, ingests are counted together, except the oldest', async () => {
  const { reported } = world(1, ['plant', 'weather', 'tags'], (id) => id)
  expect(await reported(taken(3, 1, 3000), taken(2, 5, 2000), taken(1, 7), validated(2, 4, 1))).toEqual([
    '_received_rows_total{ingest="plant"} 7',
    '_received_rows_total{ingest="(others)"} 6',
    '_stored_rows_total{ingest="plant"} 0',
    '_stored_rows_total{ingest="(others)"} 4',
    '_rejected_rows_total{ingest="plant"} 0',
    '_rejected_rows_total{ingest="(others)"} 1',
    '_pending_rows{ingest="plant"} 1',
    '_pending_rows{ingest="(others)"} 5',
    '_last_received_timestamp_seconds{ingest="plant"} 1',
    '_last_received_timestamp_seconds{ingest="(others)"} 3',
    's_counted_together 2',
  ])
})

test('the common count never decreases, and an ingest stays where it is counted', async () => {
  const { ingests, reported } = world(1, ['plant', 'weather', 'tags'])
  await reported(taken(1, 7), taken(2, 5), taken(3, 3))
  // The first and the second are deleted; a new one gets the free place and the name.
  ingests.splice(0, 2)
  ingests.push({ id: 4, alias: 'plant' })
  const received = (await reported(taken(3, 1), taken(4, 2))).filter((line) => line.startsWith('_received'))
  expect(received).toEqual(['_received_rows_total{ingest="(others)"} 9', '_received_rows_total{ingest="plant"} 2'])
  ingests.splice(0)
  expect(await reported()).toContain('_received_rows_total{ingest="(others)"} 9')
})

test('unknown values are not exported', async () => {
  const { reported } = world(1, ['plant', 'weather'], () => null)
  expect((await reported()).filter((line) => /pending|last/.test(line))).toEqual([])
})

test('with a limit of 0, no ingest is named', async () => {
  const { reported } = world(0, ['plant'])
  expect((await reported(taken(1, 3))).join()).not.toContain('plant')
})
