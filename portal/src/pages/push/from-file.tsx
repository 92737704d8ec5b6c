import { useState } from 'preact/hooks'
import { describeName } from '../../../../src/file-push/file-name.ts'
import type { LinePrecision } from '../../../../src/model/line-format.ts'
import type { ShownIngest } from '../ingests/side.ts'
import { CheckRows } from './check-rows.tsx'
import { ChosenFile } from './chosen-file.tsx'
import { ColumnTable } from './column-table.tsx'
import type { Columns, Written } from './columns.ts'
import type { RowsFile } from './file-rows.ts'
import { LineForm } from './line-form.tsx'
import { Preview } from './preview.tsx'
import { Programs } from './programs-panel.tsx'
import { SendFile } from './send-panel.tsx'
import { type Chosen, type Head, noColumns, useColumns } from './use-columns.ts'
import { type FilePush, useFilePush } from './use-file-push.ts'
import { type PreviewRows, usePreview } from './use-preview.ts'
import { WrittenForm } from './written-form.tsx'

/** Chooses a file, maps its columns, validates its first rows, and pushes it. */
export function FromFile({ ingest }: { readonly ingest: ShownIngest }) {
  const [chosen, choose] = useState<Chosen | null>(null)
  const [precision, setPrecision] = useState<LinePrecision>('ns')
  const [head, setColumns] = useColumns(chosen)
  const push = useFilePush(`${ingest.alias} ${chosen?.count ?? 0} ${chosen?.format}`)
  const take = (file: File): void => {
    setPrecision('ns')
    choose({ file, format: describeName(file.name).format, written: null, count: (chosen?.count ?? 0) + 1 })
  }
  const setWritten = (written: Written): void => {
    // Other lines or another delimiter result in other columns.
    const { delimiter, lines } = columns.written
    if (chosen !== null && (written.delimiter !== delimiter || written.lines !== lines)) choose({ ...chosen, written })
    else setColumns({ ...columns, written })
  }
  const format = chosen?.format ?? null
  const rowsFile = chosen === null || format === null ? null : { file: chosen.file, format, precision }
  const columns = head?.columns ?? noColumns
  const readable = head === null || head.error !== null ? null : rowsFile
  const preview = usePreview(readable, columns, ingest)
  const fixed = push.state !== 'ready'
  return (
    <>
      <ChosenFile
        chosen={chosen}
        state={push.state}
        error={head?.error}
        onFile={take}
        onFormat={(value) => chosen && choose({ ...chosen, format: value })}
      />
      {head !== null && format === 'csv' && (
        <CsvForms head={head} ingest={ingest} fixed={fixed} onWritten={setWritten} onColumns={setColumns} />
      )}
      {head !== null && format === 'lp' && (
        <LineForm precision={precision} likely={preview.likelyPrecision} fixed={fixed} onPrecision={setPrecision} />
      )}
      {readable !== null && (
        <ReadableFile ingest={ingest} rowsFile={readable} columns={columns} preview={preview} push={push} />
      )}
    </>
  )
}

interface CsvFormsProps {
  readonly head: Head
  readonly ingest: ShownIngest
  readonly fixed: boolean
  onWritten(written: Written): void
  onColumns(columns: Columns): void
}

function CsvForms({ head: { columns, first }, ingest, fixed, onWritten, onColumns }: CsvFormsProps) {
  return (
    <>
      <WrittenForm written={columns.written} fixed={fixed} onChange={onWritten} />
      {columns.header.length > 0 && (
        <ColumnTable
          columns={columns}
          first={first}
          fields={ingest.fields}
          isOpen={ingest.unknown === 'add'}
          fixed={fixed}
          onChange={onColumns}
        />
      )}
    </>
  )
}

interface ReadableFileProps {
  readonly ingest: ShownIngest
  readonly rowsFile: RowsFile
  readonly columns: Columns
  readonly preview: PreviewRows
  readonly push: FilePush
}

function ReadableFile({ ingest, rowsFile, columns, preview, push }: ReadableFileProps) {
  const { file, format, precision } = rowsFile
  return (
    <>
      <Preview preview={preview} format={format} />
      {push.state === 'ready' && <CheckRows ingest={ingest} rowsFile={rowsFile} columns={columns} />}
      <SendFile ingest={ingest} rowsFile={rowsFile} columns={columns} push={push} refused={preview.isMostlyMisread} />
      {preview.rows !== null && preview.rows.length > 0 && (
        <Programs
          push={{
            alias: ingest.alias,
            rows: preview.rows.slice(0, 3).map(({ text }) => text),
            fileName: file.name,
            columns: format === 'csv' ? columns : null,
            fields: ingest.fields,
            isOpen: ingest.unknown === 'add',
            precision: format === 'lp' ? precision : null,
          }}
        />
      )}
    </>
  )
}
