import { firstMisread, misreadText } from '../file-push/misread-times.ts'
import { JsonRows } from '../lib/json-rows.ts'
import { LineSplitter } from '../lib/line-splitter.ts'
import type { Ingest } from '../model/ingest.ts'

/** A value that is valid but was probably meant differently. */
export interface CheckHint {
  readonly index: number
  readonly field: string
  readonly message: string
}

/** Only the beginning of a body is checked: a client that misformats one time misformats all. */
const bytesMax = 64 * 1024
const rowsMax = 100

/** The first time that was probably meant differently: as seconds, or as a compact date. `body` is JSON rows, or one row per line. */
export function checkHints(
  body: Uint8Array,
  format: 'json' | 'ndjson',
  { fields }: Pick<Ingest, 'fields'>,
): readonly CheckHint[] {
  const texts = firstRows(body.subarray(0, bytesMax), format).slice(0, rowsMax)
  const types = new Map(fields.map(({ source, type }) => [source, type]))
  const found = firstMisread(
    texts.map((text) => Buffer.from(text).toString()),
    types,
  )
  if (found === null) return []
  return [{ index: found.row - 1, field: found.property, message: misreadText(found, found.property) }]
}

/** The last row may be cut short; it is then not valid JSON, and yields no hint. */
function firstRows(start: Uint8Array, format: 'json' | 'ndjson'): readonly Uint8Array[] {
  if (format === 'json') return new JsonRows({ rowBytesMax: bytesMax }).push(start)
  const lines = new LineSplitter({ lineBytesMax: bytesMax })
  return [...lines.push(start), ...lines.end()]
}
