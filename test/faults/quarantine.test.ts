// A push that crashes the store's thread: the others continue, its rows are rejected, and nothing of it is lost.
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { testProgram } from '../support/compiled.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
const diesOnEntry = pathToFileURL(testProgram('crash/dies-on-entry-thread'))
const soundThread = new URL('../../dist/store-thread/worker-side/entry.js', import.meta.url)

afterEach(() => service?.close())

interface Receipt {
  readonly rows: number
  readonly stored: number
  readonly rejected: number
  readonly pending: number
  readonly errors: readonly { readonly index: number; readonly code: string }[]
}

const row = (V: number, T = 'a'): object => ({ D: `2026-01-01T00:00:${String(V).padStart(2, '0')}Z`, T, V })
const isQueryable = async (key: string, batch: string): Promise<boolean> =>
  (await callOk<Receipt>(service.url, 'GET', `/ingests/plant/batches/${batch}`, { key })).pending === 0

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 10))
}

async function push(key: string, body: unknown): Promise<string> {
  return (await callOk<{ batch: string }>(service.url, 'POST', '/ingests/plant/data', { key, body })).batch
}

async function values(): Promise<readonly number[]> {
  const options = { body: { entity: 'plant' } }
  const items = await callOk<{ V: number }[]>(service.url, 'POST', '/consumer/data/select', options)
  return items.map(({ V }) => V)
}

test.each(['ends the thread', 'throws'])(
  'a push with a row that %s is quarantined, and other pushes are stored',
  async (tag) => {
    service = await runService({ 'limits.checkMs': '50' }, { threadUrl: diesOnEntry })
    const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
    const poison = [row(3), row(4, tag), 5]
    const batches = [await push(key, [row(1), row(2)]), await push(key, poison), await push(key, row(6))]
    await until(async () => (await Promise.all(batches.map((batch) => isQueryable(key, batch)))).every(Boolean))

    const admin = { key: adminKey }
    const shown = async () => {
      const receipt = await callOk<Receipt>(service.url, 'GET', `/ingests/plant/batches/${batches[1]}`, { key })
      const ingest = await callOk<{ counters: object }>(service.url, 'GET', '/admin/ingests/plant', admin)
      return { values: await values(), receipt, counters: ingest.counters }
    }
    const expected = {
      values: [1, 2, 6],
      receipt: {
        rows: 3,
        stored: 0,
        rejected: 3,
        pending: 0,
        errors: [0, 1, 2].map((index) => ({ index, code: 'not_validated' })),
      },
      counters: { received: 6, stored: 3, rejected: 3, pending: 0 },
    }
    expect(await shown()).toMatchObject(expected)
    const reported = async (entries: number): Promise<void> => {
      await until(async () => {
        const { quarantine } = await callOk<{ quarantine: { entries: number } }>(service.url, 'GET', '/readyz', {
          key: adminKey,
        })
        return quarantine.entries === entries
      })
      const metrics = await (await fetch(`${service.url}/metrics`)).text()
      expect(metrics).toContain(`tidemark_quarantine_entries ${entries}\n`)
    }
    await reported(1)
    const { Items } = await callOk<{ Items: { id: string }[] }>(service.url, 'GET', '/admin/quarantine', admin)
    expect(Items).toMatchObject([{ batch: batches[1], ingest: 'plant', rows: 3, not_validated: 3, texts: true }])
    const path = `/admin/quarantine/${Items[0]!.id}`
    expect((await call(service.url, 'GET', `${path}/body`, admin)).body).toEqual(poison)

    // With a program that can validate it: after a restart the reported state stays until the push is validated again.
    service = await service.restart({ threadUrl: soundThread })
    expect(await shown()).toMatchObject(expected)
    const replay = await callOk(service.url, 'POST', '/admin/ingests/plant/rejected/replay', { ...admin, body: {} })
    expect(replay).toEqual({ replayed: 3, stored: 2, rejected: 1 })
    expect(await values()).toEqual([1, 2, 3, 4, 6])
    expect((await call(service.url, 'DELETE', path, admin)).status).toBe(204)
    expect((await call(service.url, 'GET', `${path}/body`, admin)).status).toBe(404)
    expect((await call(service.url, 'DELETE', path, admin)).status).toBe(404)
    await reported(0)
    service = await service.restart()
    expect(await values()).toEqual([1, 2, 3, 4, 6])
  },
)
