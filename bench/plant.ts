// The rows that the benchmarks push: tags every ten seconds with a dimension and two metrics, as described in docs/performance.md.
import type { EntityField } from '../src/model/entity.ts'
import { callOk, makeIngest } from '../test/support/api.ts'
import { adminKey } from '../test/support/server-process.ts'

export const firstMs = Date.UTC(2026, 0, 1)
export const stepMs = 10_000

export function tagName(tag: number): string {
  return `01PHD.OSL${String(tag).padStart(4, '0')}.PV`
}

/** The first of a row's two metrics. */
export function plantValue(tag: number, point: number): number {
  const noise = ((tag * 7919 + point * 104_729) % 1000) / 500
  return Math.round(1000 * (50 + 20 * Math.sin(point / 300 + tag) + noise)) / 1000
}

const secondValue = (tag: number, point: number): number => (tag + point) % 977

/** The JSON of one row: time, tag, dimension, two metrics. About 110 bytes. */
export function plantRow(tag: number, point: number): string {
  const date = new Date(firstMs + point * stepMs).toISOString()
  const metrics = `"V":${plantValue(tag, point)},"W":${secondValue(tag, point)}`
  return `{"D":"${date}","T":"${tagName(tag)}","area":"area ${tag % 8}",${metrics}}`
}

/** The same row as a line of line protocol, in milliseconds. */
export function plantLine(tag: number, point: number): string {
  const metrics = `V=${plantValue(tag, point)},W=${secondValue(tag, point)}`
  return `t,T=${tagName(tag)},area=area\\ ${tag % 8} ${metrics} ${firstMs + point * stepMs}`
}

/** Bodies of about `rowsInBody` rows that together contain `points` rows of each tag, in the order of time. */
export function* plantBodies(
  tags: number,
  points: number,
  rowsInBody: number,
): Generator<{ body: string; rows: number }> {
  let rows: string[] = []
  for (let point = 0; point < points; point++) {
    for (let tag = 0; tag < tags; tag++) {
      rows.push(plantRow(tag, point))
      if (rows.length === rowsInBody) {
        yield { body: `[${rows.join(',')}]`, rows: rows.length }
        rows = []
      }
    }
  }
  if (rows.length > 0) yield { body: `[${rows.join(',')}]`, rows: rows.length }
}

export const plantFields: readonly EntityField[] = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'area', type: 'string', role: 'dimension' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'W', type: 'double', role: 'metric' },
]

export async function makePlant(url: string, alias: string): Promise<string> {
  return makeIngest(url, adminKey, { alias, fields: plantFields })
}

/** Waits until all rows pushed to an ingest are queryable. */
export async function drain(url: string, alias: string): Promise<void> {
  for (;;) {
    const { counters } = await callOk<{ counters: { pending: number } }>(url, 'GET', `/admin/ingests/${alias}`, {
      key: adminKey,
    })
    if (counters.pending === 0) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
