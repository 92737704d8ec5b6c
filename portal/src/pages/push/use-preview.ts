import { useEffect, useState } from 'preact/hooks'
import { foreseenFault } from '../../../../src/file-push/foreseen-fault.ts'
import { messageOf } from '../../../../src/lib/message-of.ts'
import type { Field } from '../../../../src/model/field.ts'
import type { RowFault } from '../../../../src/model/row-fault.ts'
import { type Columns, mappingOf } from './columns.ts'
import { firstRows, type RowsFile, rowsOf } from './file-rows.ts'

export interface JudgedRow {
  readonly text: string
  /** Null where the row will be stored. */
  readonly fault: RowFault | (Omit<RowFault, 'code'> & { readonly code: 'invalid_json' }) | null
}

export interface PreviewRows {
  readonly rows: readonly JudgedRow[] | null
  readonly error: unknown
}

export const previewRowsMax = 20

/** A row as the service will judge it. */
export function judgedRow(text: string, fields: readonly Field[]): JudgedRow {
  try {
    JSON.parse(text)
  } catch (error) {
    const reason = messageOf(error)
    return { text, fault: { code: 'invalid_json', field: null, message: `This is no JSON: ${reason}` } }
  }
  return { text, fault: foreseenFault(text, fields) }
}

/** The first rows of a file; read anew when the columns become something else. */
export function usePreview(rowsFile: RowsFile | null, columns: Columns, fields: readonly Field[]): PreviewRows {
  const [shown, show] = useState<PreviewRows>({ rows: null, error: null })
  const file = rowsFile?.file
  useEffect(() => {
    if (rowsFile === null) return show({ rows: null, error: null })
    let current = true
    const showNow = (found: PreviewRows): void => {
      if (current) show(found)
    }
    void (async () => firstRows(rowsOf(rowsFile, mappingOf(columns, fields)), previewRowsMax))().then(
      (texts) => showNow({ rows: texts.map((text) => judgedRow(text, fields)), error: null }),
      (error: unknown) => showNow({ rows: null, error }),
    )
    return () => {
      current = false
    }
  }, [file, rowsFile?.format, columns, fields])
  return shown
}
