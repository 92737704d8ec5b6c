// Settings that change the accepted rows, between two starts: journal rows that are not in a file yet are validated again with the new settings.
import { expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

interface Receipt {
  readonly batch: string
  readonly stored: number
  readonly rejected: number
}

const long = { D: 0, T: 'long'.repeat(500), V: 1 }
const short = { D: 0, T: 'short', V: 2 }
const bad = { T: 'no time', V: 3 }

interface Reported {
  readonly service: RunningService
  readonly key: string
  readonly batch: string
}

/** A stop has no time to seal, so rows are validated again. */
const settingsOf = (rowBytes: number) => ({ 'limits.rowBytes': String(rowBytes), 'server.shutdownMs': '0' })

async function pushed(rowBytes: number): Promise<Reported & Receipt> {
  const service = await runService(settingsOf(rowBytes))
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  const body = [long, short, bad]
  const receipt = await callOk<Receipt>(service.url, 'POST', '/ingests/plant/data?wait=true', { key, body })
  return { service, key, ...receipt }
}

/** The state of the push after a start with another limit. */
async function after({ service, key, batch }: Reported, rowBytes: number) {
  const changed = await service.restart({ settings: settingsOf(rowBytes) })
  const query = { entity: 'plant' }
  const items = await callOk<{ V: number }[]>(changed.url, 'POST', '/consumer/data/select', { body: query })
  const list = await callOk<{ Items: { index: number }[] }>(changed.url, 'GET', '/admin/ingests/plant/rejected', {
    key: adminKey,
  })
  const receipt = await callOk<Receipt>(changed.url, 'GET', `/ingests/plant/batches/${batch}`, { key })
  const { counters } = await callOk<{ counters: object }>(changed.url, 'GET', '/admin/ingests/plant', {
    key: adminKey,
  })
  await changed.close()
  const { stored, rejected } = receipt
  return {
    items: items.map(({ V }) => V),
    rejected: list.Items.map(({ index }) => index),
    reported: { stored, rejected },
    counters,
  }
}

test('a replayed row that exceeds a reduced row limit becomes rejected, and is never lost', async () => {
  const first = await pushed(1000)
  const service = await first.service.restart({ settings: settingsOf(100_000) })
  const path = '/admin/ingests/plant/rejected/replay'
  expect(await callOk(service.url, 'POST', path, { key: adminKey, body: {} })).toEqual({
    replayed: 2,
    stored: 1,
    rejected: 1,
  })
  expect(await after({ ...first, service }, 1000)).toEqual({
    items: [2],
    rejected: [0, 2],
    reported: { stored: 1, rejected: 2 },
    counters: { received: 3, stored: 1, rejected: 2, pending: 0 },
  })
})

test('a row rejected as too long stays rejected after the row limit is raised', async () => {
  const first = await pushed(1000)
  expect(first).toMatchObject({ stored: 1, rejected: 2 })
  expect(await after(first, 100_000)).toEqual({
    items: [2],
    rejected: [0, 2],
    reported: { stored: 1, rejected: 2 },
    counters: { received: 3, stored: 1, rejected: 2, pending: 0 },
  })
})

test('a stored row that exceeds a reduced row limit becomes rejected, and is never lost', async () => {
  const first = await pushed(100_000)
  expect(first).toMatchObject({ stored: 2, rejected: 1 })
  expect(await after(first, 1000)).toEqual({
    items: [2],
    rejected: [0, 2],
    reported: { stored: 1, rejected: 2 },
    counters: { received: 3, stored: 1, rejected: 2, pending: 0 },
  })
})
