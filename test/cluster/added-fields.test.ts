// A field is added while an entity's first rows arrive: no row ever appears twice, and none is missing for longer than allowed.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService

beforeAll(async () => {
  // Checks often enough to notice every change.
  service = await runService({ 'druid.checkMs': '1000' })
})
afterAll(() => service?.close())

type Row = Readonly<Record<string, unknown>>

const rowAt = (index: number): Row => ({ D: new Date(index * 1000).toISOString(), T: 'a', V: index })
const push = (alias: string, key: string, rows: readonly Row[]) =>
  callOk<{ stored: number }>(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key, body: rows })
const select = (entity: string, request: Row = {}) =>
  callOk<Row[]>(service.url, 'POST', '/consumer/data/select', {
    body: { entity, metric_name_field: ['V'], ...request },
  })

const native = (entity: string) => {
  const half = { type: 'expression', name: 'half', expression: 'W / 2', outputType: 'DOUBLE' }
  const whole = { type: 'expression', name: 'whole', expression: '"count" / 2', outputType: 'LONG' }
  const query_data = {
    dataSource: entity,
    intervals: ['1970/2100'],
    virtualColumns: [half, whole],
    columns: ['half', 'whole', 'note'],
    filter: { type: 'equals', column: 'note', matchValueType: 'STRING', matchValue: '7' },
    resultFormat: 'compactedList',
    limit: 1,
  }
  const body = { query_type: 'scan', query_data }
  return callOk<Row[]>(service.url, 'POST', '/consumer/data/druid-native-query', { key: adminKey, body })
}

/** Queries until it is stopped; resolves with the wrong counts. */
async function watch(
  entity: string,
  counts: { readonly pushed: number; readonly queryable: number },
  signal: AbortSignal,
): Promise<string[]> {
  const wrong: string[] = []
  while (!signal.aborted) {
    const { queryable } = counts
    const rows = (await select(entity)).length
    if (rows > counts.pushed || rows < queryable) wrong.push(`${rows}, not ${queryable} to ${counts.pushed}`)
    await sleep(20)
  }
  return wrong
}

describe.concurrent('every row is returned exactly once while a field is added', () => {
  test.each([0, 500, 3000])('%d ms after the first rows', async (pauseMs) => {
    const alias = `added_${pauseMs}`
    const key = await makeIngest(service.url, adminKey, { alias })
    await push(
      alias,
      key,
      Array.from({ length: 10 }, (_, index) => rowAt(index)),
    )
    const counts = { pushed: 10, queryable: 10 }
    const stop = new AbortController()
    const watched = watch(alias, counts, stop.signal)
    await sleep(pauseMs)
    const add_fields = [
      { name: 'W', type: 'double', role: 'metric' },
      { name: 'note', type: 'string', role: 'dimension' },
      { name: 'seen', type: 'timestamp', role: 'dimension' },
      { name: 'ok', type: 'boolean', role: 'dimension' },
      { name: 'count', type: 'long', role: 'metric' },
    ]
    await callOk(service.url, 'PATCH', `/admin/ingests/${alias}`, { key: adminKey, body: { add_fields } })
    const filled = { W: 3, note: '7', seen: '2026-01-01T00:00:00Z', ok: true, count: 9 }
    for (const until = Date.now() + 20_000; Date.now() < until; ) {
      counts.pushed += 1
      await push(alias, key, [{ ...rowAt(counts.pushed - 1), ...filled }])
      counts.queryable = counts.pushed
      await sleep(250)
    }
    stop.abort()
    expect(await watched).toEqual([])
    expect(await select(alias)).toHaveLength(counts.pushed)
    // The fields have their declared types: half of a double that was pushed as 3 is not an integer.
    const last = { metric_name_field: ['V', 'W', 'count'], fields: ['note', 'seen', 'ok'] }
    expect((await select(alias, last)).at(-1)).toMatchObject({
      ...filled,
      V: counts.pushed - 1,
      seen: '2026-01-01T00:00:00.000Z',
    })
    expect(await native(alias)).toMatchObject([{ events: [[1.5, 4, '7']] }])
  })
})
