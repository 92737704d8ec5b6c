// Writes the rows of a scan as Druid's JSON.
import { formatTimestamp } from '../../druid-time/iso.ts'
import { msPerDay } from '../../model/instant.ts'
import type { EngineRow } from '../../sql-engine/sql-engine.ts'
import { type JsonValue, jsonText, type OutputColumn, RowWriter } from './json-text.ts'
import { msOf } from './session.ts'

/** Text is passed on in pieces of about this length. */
const pieceLength = 65_536

export interface ScanShape {
  readonly columns: readonly OutputColumn[]
  readonly compact: boolean
  readonly batchSize: number
  /** The segment of a time; null if rows are ordered by time. */
  readonly segmentOf: (ms: number) => string | null
}

/** The text of the result, streamed. Each row has its time (0 if there is none), then its values. */
export async function* scanText(
  { columns, compact, batchSize, segmentOf }: ScanShape,
  batches: Iterable<readonly EngineRow[]> | AsyncIterable<readonly EngineRow[]>,
): AsyncGenerator<string> {
  const writer = new RowWriter(columns, 1)
  const rowSignature = columns.map(({ name, type, isMulti }): JsonValue => {
    return type === null ? { name } : { name, type: isMulti ? 'STRING' : type }
  })
  const names = jsonText(columns.map(({ name }) => name))
  const end = `],"rowSignature":${jsonText(rowSignature)}}`
  let entry: { readonly segmentId: string | null; rows: number } | null = null
  for await (const rows of batches) {
    let piece = ''
    for (const row of rows) {
      const segment = segmentOf(msOf(row[0]))
      if (entry === null || entry.segmentId !== segment || entry.rows >= batchSize) {
        piece += `${entry === null ? '[' : `${end},`}{"segmentId":${jsonText(segment)},"columns":${names},"events":[`
        entry = { segmentId: segment, rows: 0 }
      } else piece += ','
      entry.rows += 1
      piece += compact ? `[${writer.values(row)}]` : writer.object(row)
      if (piece.length < pieceLength) continue
      yield piece
      piece = ''
    }
    if (piece !== '') yield piece
  }
  yield entry === null ? '[]' : `${end}]`
}

/** A day's segment id in Druid's format, without the version. */
export function segmentId(name: string, ms: number): string {
  const day = Math.floor(ms / msPerDay) * msPerDay
  return `${name}_${formatTimestamp(day)}_${formatTimestamp(day + msPerDay)}`
}
