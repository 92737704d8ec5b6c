import { useEffect, useState } from 'preact/hooks'

interface Props {
  readonly again: boolean
  onFile(file: File): void
}

/** Takes a file that is dropped, or chosen by keyboard or pointer. */
export function DropZone({ again, onFile }: Props) {
  const [over, setOver] = useState(false)
  // A file that misses the zone must not take the place of the page.
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
          // The same file may be chosen again.
          event.currentTarget.value = ''
        }}
      />
      <strong>{again ? 'Another file…' : 'Drop a file here, or choose one'}</strong>
      {!again && (
        <span class="soft small">
          CSV with a header, NDJSON, JSON or line protocol (.lp), also as gzip. It is read a piece at a time, so it may
          be large.
        </span>
      )}
    </label>
  )
}
