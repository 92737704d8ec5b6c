import { ServiceError } from '../../../../src/client/service-error.ts'
import { parseWithLongs, textWithLongs } from '../../../../src/lib/json-with-longs.ts'
import type { Fault } from '../../parts/query-editor.tsx'
import { type RowTable, readRows } from '../../parts/rows-stream.ts'
import { clientOf } from '../../session/session.ts'
import { nativeTable } from './native-table.ts'

export interface Result {
  /** The text of the query. */
  readonly query: string
  /** A short name for it. */
  readonly name: string
  readonly table: RowTable | null
  /** A native response as received; null for SQL. */
  readonly text: string | null
  readonly ms: number
}

export async function runSql(text: string, signal: AbortSignal, onRows: (rows: number) => void): Promise<Result> {
  const began = performance.now()
  const table = await readRows(clientOf(signal).sqlBytes(text, 'ndjson'), onRows)
  return { query: text, name: text, table, text: null, ms: performance.now() - began }
}

export async function runNative(text: string, signal: AbortSignal): Promise<Result> {
  const began = performance.now()
  const query: unknown = JSON.parse(text)
  const type = typeof query === 'object' && query !== null && 'queryType' in query ? String(query.queryType) : ''
  if (type === '') throw new Error('A native query is a JSON object that names its "queryType".')
  const parts: Uint8Array[] = []
  for await (const part of clientOf(signal).nativeBytes(type, text)) parts.push(part)
  const answer = await new Blob(parts as BlobPart[]).text()
  const name = `${type} ${textWithLongs(Reflect.get(Object(query), 'dataSource'))}`
  return { query: text, name, table: nativeTable(parseWithLongs(answer)), text: answer, ms: performance.now() - began }
}

/** The position of the fault in the text, if the service reports one. */
export function faultOf(error: unknown): Fault | null {
  if (!(error instanceof ServiceError)) return null
  const place = /\(line (\d+), column (\d+)\)/.exec(error.detail)
  return place === null ? null : { line: Number(place[1]), column: Number(place[2]), message: error.detail }
}
