import { useAction } from '../shell/asking.ts'
import { csvLines } from './csv-lines.ts'
import { ProblemNote } from './problem-note.tsx'
import type { RowTable } from './rows-stream.ts'
import { saveFile } from './save-file.ts'

interface Props {
  /** The file's name without its extension. */
  readonly name: string
  /** The displayed table, which the CSV file contains. */
  readonly table: RowTable
  /** Requests the same data as an Arrow stream. */
  readonly arrow: (signal: AbortSignal) => AsyncIterable<Uint8Array>
}

/** Buttons that save a response as a file, and the error of a failed save. */
export function SaveAnswer({ name, table, arrow }: Props) {
  const saving = useAction()
  const saveArrow = (): Promise<boolean> =>
    saving.run(async (signal) => {
      const parts: Uint8Array[] = []
      for await (const part of arrow(signal)) parts.push(part)
      saveFile(`${name}.arrow`, new Blob(parts as BlobPart[]))
    })
  return (
    <>
      <button
        type="button"
        class="button slim"
        disabled={table.rows.length === 0}
        onClick={() => saveFile(`${name}.csv`, new Blob(csvLines(table)))}
      >
        Save as CSV
      </button>
      <button type="button" class="button slim" disabled={saving.busy} onClick={() => void saveArrow()}>
        Arrow
      </button>
      <ProblemNote error={saving.error} />
    </>
  )
}
