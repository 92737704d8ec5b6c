import type { RejectedRow } from '../../catalog/rejected.ts'
import type { Ingest } from '../../model/ingest.ts'
import { isByField, lineFormatOf, precisionOf } from '../../model/line-format.ts'
import { lineToSplit, noLine, type RowFault } from '../../model/row-fault.ts'
import { lineAt } from '../scan/lines/body-lines.ts'
import { lineRows } from '../scan/lines/line-rows.ts'
import type { RowText } from './replayed-rows.ts'

const replacement = '\uFFFD'

/** The text by which a row is validated again, or why it cannot be. */
export type TextAgain = RowText | { readonly fault: RowFault }

/**
 * The text by which a rejected row is validated again for an ingest. A line becomes the JSON of its row there; if it has no time, that is the time
 * at which it was received.
 */
export function textAgain({ code, lineFormat, receivedMs }: RejectedRow, text: Uint8Array, target: Ingest): TextAgain {
  if (lineFormat === undefined) return { text }
  const format = lineFormatOf(precisionOf(lineFormat), target.lines !== undefined)
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
  // Bytes that were not UTF-8 are stored as the replacement character, which nobody pushed.
  if (code === 'invalid_line' && bytes.includes(replacement)) return { fault: noLine('it was not UTF-8') }
  const { parsed, why } = lineAt(bytes, 0, format)
  if (parsed === null) return { fault: noLine(why ?? 'it is too long') }
  if (isByField(format) && parsed.fields.length > 1) return { fault: lineToSplit(target.alias) }
  const row = lineRows(parsed, { ingest: target, format, receivedMs })(0)
  if ('fault' in row) return row
  // Rows add fields only to open ingests.
  const longs = target.unknown === 'add' ? row.longs : []
  return { text: Buffer.from(row.json), ...(longs.length === 0 ? {} : { longs }) }
}
