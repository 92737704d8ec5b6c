import type { AnswerFormat } from '../../../src/model/answer-format.ts'
import { useDeed } from '../shell/asking.ts'
import { ProblemNote } from './problem-note.tsx'
import { saveFile } from './save-file.ts'

interface Props {
  /** The file's name without its ending. */
  readonly name: string
  /** Asks for the whole answer in a format. */
  readonly chunks: (format: AnswerFormat, signal: AbortSignal) => AsyncIterable<Uint8Array>
}

/** Buttons that ask for an answer once more and save it as a file, and what went wrong with that. */
export function SaveAnswer({ name, chunks }: Props) {
  const saving = useDeed()
  const save = (format: AnswerFormat): Promise<boolean> =>
    saving.run(async (signal) => {
      const parts: Uint8Array[] = []
      for await (const part of chunks(format, signal)) parts.push(part)
      saveFile(`${name}.${format}`, new Blob(parts as BlobPart[]))
    })
  return (
    <>
      <button type="button" class="button slim" disabled={saving.busy} onClick={() => void save('csv')}>
        Save as CSV
      </button>
      <button type="button" class="button slim" disabled={saving.busy} onClick={() => void save('arrow')}>
        Arrow
      </button>
      <ProblemNote error={saving.error} />
    </>
  )
}
