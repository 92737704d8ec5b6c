import type { RejectedRow } from '../../catalog/rejected.ts'
import type { Ingest } from '../../model/ingest.ts'
import { isByField, lineFormatOf, precisionOf } from '../../model/line-format.ts'
import { lineToSplit, noLine, type RowFault } from '../../model/row-fault.ts'
import { lineAt } from '../scan/lines/body-lines.ts'
import { lineRows } from '../scan/lines/line-rows.ts'
import type { RowText } from './replayed-rows.ts'

const replacement = '\uFFFD'

/** A row as it is validated again, or what keeps it from being validated. */
export type TextAgain = RowText | { readonly fault: RowFault }

/**
 * The text by which a rejected row is validated again, for an ingest: that of a line is the JSON of the row that it is there, with the time at which
 * the line was received where it has none.
 */
export function textAgain({ code, lineFormat, receivedMs }: RejectedRow, text: Uint8Array, target: Ingest): TextAgain {
  if (lineFormat === undefined) return { text }
  const format = lineFormatOf(precisionOf(lineFormat), target.lines !== undefined)
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
  // In place of a byte that was no UTF-8 the text has another character, which nobody pushed.
  if (code === 'invalid_line' && bytes.includes(replacement)) return { fault: noLine('it was no UTF-8') }
  const { parsed, why } = lineAt(bytes, 0, format)
  if (parsed === null) return { fault: noLine(why ?? 'it is too long') }
  if (isByField(format) && parsed.fields.length > 1) return { fault: lineToSplit(target.alias) }
  const row = lineRows(parsed, { ingest: target, format, receivedMs })(0)
  if ('fault' in row) return row
  // Only there do rows make fields.
  const longs = target.unknown === 'add' ? row.longs : []
  return { text: Buffer.from(row.json), ...(longs.length === 0 ? {} : { longs }) }
}
