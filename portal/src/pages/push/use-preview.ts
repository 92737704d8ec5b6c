import { useEffect, useState } from 'preact/hooks'
import { FirstLineTime, type LikelyPrecision } from '../../../../src/file-push/first-line-time.ts'
import { foreseenFault } from '../../../../src/file-push/foreseen-fault.ts'
import { firstMisread, type MisreadTime, mostlyCompactDates } from '../../../../src/file-push/misread-times.ts'
import { messageOf } from '../../../../src/lib/message-of.ts'
import { needsPushKey, pusherOf } from '../../session/push-key.ts'
import type { ShownIngest } from '../ingests/side.ts'
import { type Columns, mappingOf } from './columns.ts'
import { firstBatch, type RowsFile, rowsOf, targetFor } from './file-rows.ts'

/** `refused`: the row makes the service refuse the whole push. `no row`: a comment or a blank line. */
export type Verdict = 'stored' | 'rejected' | 'refused' | 'no row' | 'not validated'

export interface ValidatedRow {
  readonly text: string
  readonly verdict: Verdict
  /** Why it will not be stored. */
  readonly faults: readonly { readonly field: string | null; readonly message: string }[]
}

export interface PreviewRows {
  readonly rows: readonly ValidatedRow[] | null
  /** A coarser unit in which the times of lines would be plausible. */
  readonly likelyPrecision: LikelyPrecision | null
  /** A time that is likely misread. */
  readonly misread: MisreadTime | null
  /** Whether this applies to most times; then the file is not pushed. */
  readonly isMostlyMisread: boolean
  readonly error: unknown
}

const previewRowsMax = 20
const nothing: PreviewRows = { rows: null, likelyPrecision: null, misread: null, isMostlyMisread: false, error: null }

/** Validates a row by the rules of the service. */
export function validatedRow(text: string, { fields, unknown }: Pick<ShownIngest, 'fields' | 'unknown'>): ValidatedRow {
  try {
    JSON.parse(text)
  } catch (error) {
    const message = `This is not JSON: ${messageOf(error)}`
    return { text, verdict: 'refused', faults: [{ field: null, message }] }
  }
  const fault = foreseenFault(text, fields, unknown === 'add')
  return fault === null ? { text, verdict: 'stored', faults: [] } : { text, verdict: 'rejected', faults: [fault] }
}

async function previewOfRows(rowsFile: RowsFile, columns: Columns, ingest: ShownIngest): Promise<PreviewRows> {
  const rows = rowsOf(rowsFile, mappingOf(columns, ingest.fields))
  const batch = await firstBatch(rows, targetFor(ingest, rowsFile, pusherOf()), previewRowsMax)
  const decoder = new TextDecoder()
  const texts = (batch?.texts ?? []).map((text) => decoder.decode(text))
  const types = new Map(ingest.fields.map(({ source, type }) => [source, type]))
  return {
    ...nothing,
    rows: texts.map((text) => validatedRow(text, ingest)),
    misread: mostlyCompactDates(texts, types) ?? firstMisread(texts, types),
    isMostlyMisread: mostlyCompactDates(texts, types) !== null,
  }
}

/** Lines are validated by the service, if the user's own key may push. */
async function previewOfLines(rowsFile: RowsFile, columns: Columns, ingest: ShownIngest): Promise<PreviewRows> {
  const time = new FirstLineTime(rowsFile.precision)
  const target = targetFor(ingest, rowsFile, pusherOf())
  const lines = time.of(rowsOf(rowsFile, mappingOf(columns, ingest.fields)))
  const batch = await firstBatch(lines, target, previewRowsMax)
  if (batch === null) return { ...nothing, rows: [] }
  const errors = needsPushKey() ? null : (await target.check(batch)).errors
  const places = target.linesOf(batch)
  const decoder = new TextDecoder()
  const rows = batch.texts.map((bytes, line): ValidatedRow => {
    const text = decoder.decode(bytes)
    if (target.rowsOf?.(bytes) === 0) return { text, verdict: 'no row', faults: [] }
    if (errors === null) return { text, verdict: 'not validated', faults: [] }
    const faults = errors.filter(({ index }) => (places?.lineOf(index) ?? index) === line)
    return { text, verdict: faults.length === 0 ? 'stored' : 'rejected', faults }
  })
  return { ...nothing, rows, likelyPrecision: time.likelyPrecision() }
}

/** The first rows of a file; read again when the columns, or the unit of times, change. */
export function usePreview(rowsFile: RowsFile | null, columns: Columns, ingest: ShownIngest): PreviewRows {
  const [shown, show] = useState<PreviewRows>(nothing)
  useEffect(() => {
    if (rowsFile === null) return show(nothing)
    let current = true
    const showNow = (found: PreviewRows): void => {
      if (current) show(found)
    }
    const preview = rowsFile.format === 'lp' ? previewOfLines : previewOfRows
    preview(rowsFile, columns, ingest).then(showNow, (error: unknown) => showNow({ ...nothing, error }))
    return () => {
      current = false
    }
  }, [rowsFile?.file, rowsFile?.format, rowsFile?.precision, columns, ingest])
  return shown
}
