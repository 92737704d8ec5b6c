import { useEffect, useState } from 'preact/hooks'
import type { FileFormat } from '../../../../src/file-push/file-name.ts'
import type { CsvCell } from '../../../../src/lib/csv-parser.ts'
import { type Columns, ownNames, usualWritten, type Written } from './columns.ts'
import { headOf } from './file-rows.ts'

export interface Chosen {
  readonly file: File
  readonly format: FileFormat | null
  /** Null until the user chooses a format. */
  readonly written: Written | null
  /** The number of files chosen so far: choosing the same file again is a new push. */
  readonly count: number
}

export const noColumns = ownNames([])

export interface Head {
  readonly columns: Columns
  readonly first: readonly CsvCell[]
  readonly error: unknown
}

/** The columns of a CSV file, with their own names until the user maps them. */
export function useColumns(chosen: Chosen | null): readonly [Head | null, (columns: Columns) => void] {
  const [head, setHead] = useState<Head | null>(null)
  useEffect(() => {
    setHead(null)
    if (chosen === null || chosen.format === null) return
    if (chosen.format !== 'csv') return setHead({ columns: noColumns, first: [], error: null })
    let current = true
    const show = (found: Head): void => {
      if (current) setHead(found)
    }
    const written = chosen.written ?? usualWritten
    void headOf(chosen.file, chosen.written).then(
      ({ header, rows, likely }) => {
        const found = { ...written, ...likely }
        show({ columns: ownNames(header, found), first: rows[0] ?? [], error: null })
      },
      (error: unknown) => show({ columns: ownNames([], written), first: [], error }),
    )
    return () => {
      current = false
    }
  }, [chosen])
  return [head, (columns) => setHead((before) => before && { ...before, columns })]
}
