// Rows that are reported as stored are queryable: `pending` is 0 only then, in receipts and in an ingest's counters, for every caller.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

interface Reported {
  readonly stored: number
  readonly rejected: number
  readonly pending: number
}

const rounds = 12
let service: RunningService
let key = ''

beforeAll(async () => {
  service = await runService()
  key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  await makeIngest(service.url, adminKey, { alias: 'other' })
})
afterAll(() => service?.close())

/** Rows with one tag each, so that a select without the last rows is still a valid answer. */
function rows(from: number, count: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({ D: '2026-01-01', T: `tag ${from + index}`, V: 1 }))
}

async function push(body: readonly object[]): Promise<string> {
  return (await callOk<{ batch: string }>(service.url, 'POST', '/ingests/plant/data', { key, body })).batch
}

async function selected(): Promise<number> {
  const items = await callOk<unknown[]>(service.url, 'POST', '/consumer/data/select', { body: { entity: 'plant' } })
  return items.length
}

/** Polls until nothing is pending; resolves with the last report. */
async function untilNonePending(
  ask: () => Promise<Reported>,
  isWhole: (reported: Reported) => boolean,
): Promise<Reported> {
  for (;;) {
    const reported = await ask()
    if (reported.pending === 0 && isWhole(reported)) return reported
  }
}

const receiptOf = (batch: string) => (): Promise<Reported> =>
  callOk<Reported>(service.url, 'GET', `/ingests/plant/batches/${batch}`, { key })
const counters = async (): Promise<Reported> =>
  (await callOk<{ counters: Reported }>(service.url, 'GET', '/admin/ingests/plant', { key: adminKey })).counters

test('rows are queryable when a receipt or the counters report nothing pending', async () => {
  let pushed = 0
  for (let round = 0; round < rounds; round++) {
    const count = 1 + ((round * 37) % 100)
    const bad = { D: '2026-01-01', T: 'bad', V: 'x' }
    const batch = await push([...rows(pushed, count), bad])
    pushed += count
    const rejected = round + 1
    const isWhole = (reported: Reported): boolean => reported.stored + reported.rejected >= pushed + rejected
    if (round % 2 === 0) {
      const receipt = await untilNonePending(receiptOf(batch), () => true)
      expect(await selected()).toBe(pushed)
      expect(receipt).toMatchObject({ stored: count, rejected: 1 })
    } else {
      const reported = await untilNonePending(counters, isWhole)
      expect(await selected()).toBe(pushed)
      expect(reported).toMatchObject({ stored: pushed, rejected })
    }
    // After `wait=true`, all reports include the rows.
    const { batch: waited } = await callOk<{ batch: string }>(service.url, 'POST', '/ingests/plant/data?wait=true', {
      key,
      body: rows(pushed, 1),
    })
    pushed += 1
    expect(await receiptOf(waited)()).toMatchObject({ stored: 1, pending: 0 })
    expect(await counters()).toMatchObject({ stored: pushed, rejected, pending: 0 })
  }
})

test('replayed rows are queryable when nothing is pending', async () => {
  const before = await selected()
  const batch = await push([{ D: '2026-01-02', T: 'late', V: 1, Z: 1 }])
  await untilNonePending(receiptOf(batch), ({ rejected }) => rejected === 1)
  await callOk(service.url, 'PATCH', '/admin/ingests/plant', {
    key: adminKey,
    body: { add_fields: [{ name: 'Z', type: 'double', role: 'metric' }] },
  })
  const replaying = callOk(service.url, 'POST', '/admin/ingests/plant/rejected/replay', { key: adminKey })
  await untilNonePending(receiptOf(batch), ({ stored }) => stored === 1)
  expect(await selected()).toBe(before + 1)
  await replaying
  expect(await counters()).toMatchObject({ pending: 0 })
})
