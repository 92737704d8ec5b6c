import { useEffect, useState } from 'preact/hooks'
import { type FileFormat, fileFormats } from '../../../../src/file-push/file-name.ts'
import { bytesText } from '../../parts/formats.ts'
import { Panel } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import type { Chosen } from './use-columns.ts'
import type { FilePush } from './use-file-push.ts'

interface Props {
  readonly chosen: Chosen | null
  readonly state: FilePush['state']
  readonly error: unknown
  onFile(file: File): void
  onFormat(format: FileFormat): void
}

/** The file to push, and its format. */
export function ChosenFile({ chosen, state, error, onFile, onFormat }: Props) {
  const busy = state === 'sending' || state === 'stopping'
  return (
    <Panel title="The file">
      <div class="inside">
        {chosen === null ? (
          <DropZone onFile={onFile} again={false} />
        ) : (
          <div class="chosen-file">
            <div class="file-name">
              <strong dir="auto">{chosen.file.name}</strong> <span class="soft">{bytesText(chosen.file.size)}</span>
            </div>
            {state === 'ready' && <FormatChoice value={chosen.format} onValue={onFormat} />}
            {!busy && <DropZone onFile={onFile} again />}
          </div>
        )}
        <ProblemNote error={error} />
      </div>
    </Panel>
  )
}

const formatTexts: Readonly<Record<FileFormat, string>> = {
  csv: 'CSV',
  ndjson: 'NDJSON, a row on each line',
  json: 'JSON, an array of rows',
  lp: 'line protocol',
}

function FormatChoice({ value, onValue }: { readonly value: FileFormat | null; onValue(value: FileFormat): void }) {
  return (
    <select
      class="input slim"
      aria-label="What it holds"
      value={value ?? ''}
      onChange={(event) => {
        const format = fileFormats.find((known) => known === event.currentTarget.value)
        if (format !== undefined) onValue(format)
      }}
    >
      {value === null && <option value="">its name does not say: choose</option>}
      {fileFormats.map((format) => (
        <option key={format} value={format}>
          {formatTexts[format]}
        </option>
      ))}
    </select>
  )
}

interface DropZoneProps {
  readonly again: boolean
  onFile(file: File): void
}

/** Accepts a file that is dropped, or chosen by keyboard or pointer. */
function DropZone({ again, onFile }: DropZoneProps) {
  const [over, setOver] = useState(false)
  // A file dropped outside the zone must not replace the page.
  useEffect(() => {
    const keep = (event: Event): void => event.preventDefault()
    addEventListener('dragover', keep)
    addEventListener('drop', keep)
    return () => {
      removeEventListener('dragover', keep)
      removeEventListener('drop', keep)
    }
  }, [])
  const take = (files: FileList | null | undefined): void => {
    const file = files?.[0]
    if (file !== undefined) onFile(file)
  }
  return (
    <label
      class={`drop-zone${again ? ' again' : ''}${over ? ' over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer?.files)
      }}
    >
      <input
        type="file"
        class="unseen"
        accept=".csv,.tsv,.ndjson,.jsonl,.json,.lp,.gz,text/csv,application/json"
        onChange={(event) => {
          take(event.currentTarget.files)
          // Allows choosing the same file again.
          event.currentTarget.value = ''
        }}
      />
      <strong>{again ? 'Another file…' : 'Drop a file here, or choose one'}</strong>
      {!again && (
        <span class="soft small">
          CSV with a header, NDJSON, JSON or line protocol (.lp), also as gzip. It is read in pieces, so it may be
          large.
        </span>
      )}
    </label>
  )
}
