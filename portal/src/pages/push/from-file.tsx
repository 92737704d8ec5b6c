import { useEffect, useState } from 'preact/hooks'
import { describeName, type RowFormat, rowFormats } from '../../../../src/file-push/file-name.ts'
import type { CsvCell } from '../../../../src/lib/csv-reader.ts'
import { bytesText } from '../../parts/formats.ts'
import { Panel } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import type { ShownIngest } from '../ingests/side.ts'
import { CheckRows } from './check-rows.tsx'
import { ColumnTable } from './column-table.tsx'
import { type Columns, ownNames, usualWritten, type Written } from './columns.ts'
import { DropZone } from './drop-zone.tsx'
import { headOf } from './file-rows.ts'
import { Preview } from './preview.tsx'
import { Programs } from './programs-panel.tsx'
import { SendFile } from './send-panel.tsx'
import { useFilePush } from './use-file-push.ts'
import { usePreview } from './use-preview.ts'
import { WrittenForm } from './written-form.tsx'

interface Chosen {
  readonly file: File
  readonly format: RowFormat | null
  /** Null until the reader says how it is written. */
  readonly written: Written | null
  /** Counts the files that were chosen: the same one again is another push. */
  readonly count: number
}

const noColumns = ownNames([])

interface Head {
  readonly columns: Columns
  readonly first: readonly CsvCell[]
  readonly error: unknown
}

/** The columns of a CSV file, each under its own name until something else is chosen. */
function useHead(chosen: Chosen | null): readonly [Head | null, (columns: Columns) => void] {
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
    void headOf(chosen.file, chosen.written?.delimiter ?? null).then(
      ({ header, first, likely }) => {
        const found = { ...written, ...likely }
        show({ columns: ownNames(header, found), first, error: null })
      },
      (error: unknown) => show({ columns: ownNames([], written), first: [], error }),
    )
    return () => {
      current = false
    }
  }, [chosen])
  return [head, (columns) => setHead((before) => before && { ...before, columns })]
}

/** A file is chosen, its columns are matched, its first rows are judged here, and it is pushed. */
export function FromFile({ ingest }: { readonly ingest: ShownIngest }) {
  const [chosen, choose] = useState<Chosen | null>(null)
  const [head, setColumns] = useHead(chosen)
  const push = useFilePush(`${ingest.alias} ${chosen?.count ?? 0} ${chosen?.format}`)
  const take = (file: File): void =>
    choose({ file, format: formatOf(file), written: null, count: (chosen?.count ?? 0) + 1 })
  const setWritten = (written: Written): void => {
    // Another delimiter makes other columns.
    if (chosen !== null && written.delimiter !== columns.written.delimiter) choose({ ...chosen, written })
    else setColumns({ ...columns, written })
  }
  const format = chosen?.format ?? null
  const rowsFile = chosen === null || format === null ? null : { file: chosen.file, format }
  const columns = head?.columns ?? noColumns
  const preview = usePreview(head === null || head.error !== null ? null : rowsFile, columns, ingest.fields)
  const busy = push.state === 'sending' || push.state === 'stopping'
  return (
    <>
      <Panel title="The file">
        <div class="inside">
          {chosen === null ? (
            <DropZone onFile={take} again={false} />
          ) : (
            <div class="chosen-file">
              <div class="file-name">
                <strong dir="auto">{chosen.file.name}</strong> <span class="soft">{bytesText(chosen.file.size)}</span>
              </div>
              {push.state === 'ready' && (
                <FormatChoice value={format} onValue={(value) => choose({ ...chosen, format: value })} />
              )}
              {!busy && <DropZone onFile={take} again />}
            </div>
          )}
          <ProblemNote error={head?.error} />
        </div>
      </Panel>
      {head !== null && format === 'csv' && (
        <WrittenForm written={columns.written} fixed={push.state !== 'ready'} onChange={setWritten} />
      )}
      {head !== null && columns.header.length > 0 && (
        <ColumnTable
          columns={columns}
          first={head.first}
          fields={ingest.fields}
          fixed={push.state !== 'ready'}
          onChange={setColumns}
        />
      )}
      {rowsFile !== null && head !== null && head.error === null && (
        <>
          <Preview preview={preview} />
          {push.state === 'ready' && (
            <CheckRows alias={ingest.alias} rowsFile={rowsFile} columns={columns} fields={ingest.fields} />
          )}
          <SendFile ingest={ingest} rowsFile={rowsFile} columns={columns} push={push} />
          {preview.rows !== null && preview.rows.length > 0 && (
            <Programs
              push={{
                alias: ingest.alias,
                rows: preview.rows.slice(0, 3).map(({ text }) => text),
                fileName: rowsFile.file.name,
                columns: rowsFile.format === 'csv' ? columns : null,
                fields: ingest.fields,
              }}
            />
          )}
        </>
      )}
    </>
  )
}

function formatOf({ name }: File): RowFormat | null {
  const { format } = describeName(name)
  return rowFormats.find((known) => known === format) ?? null
}

const formatTexts = { csv: 'CSV', ndjson: 'NDJSON, a row on each line', json: 'JSON, an array of rows' } as const

function FormatChoice({ value, onValue }: { readonly value: RowFormat | null; onValue(value: RowFormat): void }) {
  return (
    <select
      class="input slim"
      aria-label="What it holds"
      value={value ?? ''}
      onChange={(event) => {
        const format = rowFormats.find((known) => known === event.currentTarget.value)
        if (format !== undefined) onValue(format)
      }}
    >
      {value === null && <option value="">its name does not say: choose</option>}
      {rowFormats.map((format) => (
        <option key={format} value={format}>
          {formatTexts[format]}
        </option>
      ))}
    </select>
  )
}
