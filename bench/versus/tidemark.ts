import { callOk, makeIngest } from '../../test/support/api.ts'
import { adminKey, ServerProcess } from '../../test/support/server-process.ts'
import { request } from '../load.ts'
import { makePlant, plantFields } from '../plant.ts'
import type { Candidate, QuerySpec, System } from './system.ts'

/**
 * The process is paused during the turns of others, so more rows wait for validation than in the other systems. The bytes that they would
 * take if all were rejected must not end a turn.
 */
export const tidemark = candidate('Tidemark', { TIDEMARK_LIMITS_REJECTED_BYTES: String(64 * 2 ** 30) })

function candidate(name: string, environment: Readonly<Record<string, string>>): Candidate {
  return {
    name,
    answersWhen: 'its rows are in the journal, fsynced',
    missing: () => null,
    async start(dataDirectory, ends) {
      const server = await ServerProcess.start({ dataDirectory, environment })
      const { url, id: processId } = server
      ends.push(() => {
        process.kill(processId, 'SIGCONT')
        return server.stop()
      })
      const json = { 'content-type': 'application/json' }
      const key = await makePlant(url, 'plant')
      const mayPush = { ...json, authorization: `Bearer ${key}` }
      return {
        name,
        url,
        processId,
        format: 'json',
        push: (body) => request(url, 'POST', '/ingests/plant/data', mayPush, body),
        ask(asked) {
          const { path, body } = questionOf(asked)
          return request(url, 'POST', `/consumer/data/${path}`, json, JSON.stringify({ entity: 'plant', ...body }))
        },
        countRows: () => rowsOf(url, 'plant'),
        firstMean: (answer) => (JSON.parse(answer) as { value: number }[])[0]!.value,
      }
    },
  }
}

async function rowsOf(url: string, entity: string): Promise<number> {
  const entities = await callOk<{ entity: string; rows: number }[]>(url, 'GET', '/consumer/data/entities')
  return entities.find((one) => one.entity === entity)!.rows
}

/** A service that receives the same bytes as the others: lines, into a separate entity. */
export async function byLines(system: System): Promise<System> {
  const { url } = system
  const fields = [...plantFields, { name: 'measurement', type: 'string', role: 'dimension' }]
  const key = await makeIngest(url, adminKey, { alias: 'lines', fields })
  const headers = { authorization: `Token ${key}` }
  return {
    ...system,
    name: `${system.name}, by lines`,
    format: 'lines',
    push: (body) => request(url, 'POST', '/api/v2/write?bucket=lines&precision=ms', headers, body),
    countRows: () => rowsOf(url, 'lines'),
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()

function questionOf(asked: QuerySpec): { readonly path: string; readonly body: object } {
  if (asked.kind === 'latest') return { path: 'latest', body: { ids: [asked.tag] } }
  if (asked.kind === 'before') return { path: 'last', body: { ids: [asked.tag], date: iso(asked.atMs) } }
  const range = { start_date: iso(asked.fromMs), end_date: iso(asked.toMs - 1) }
  const hourly = { ...range, granularity: 'hour', metric_name_field: ['V'] }
  if (asked.kind === 'pooled') return { path: 'average-granularity', body: hourly }
  return { path: 'average', body: { ...hourly, ids: asked.tags } }
}
