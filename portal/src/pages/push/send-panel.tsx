import { useEffect } from 'preact/hooks'
import { bytesText, countText } from '../../parts/formats.ts'
import { Panel } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useKeyMissing } from '../../session/push-key.ts'
import type { ShownIngest } from '../ingests/side.ts'
import type { Columns } from './columns.ts'
import type { RowsFile } from './file-rows.ts'
import { SentRows } from './sent-rows.tsx'
import type { FilePush } from './use-file-push.ts'

interface Props {
  readonly ingest: ShownIngest
  readonly rowsFile: RowsFile
  readonly columns: Columns
  readonly push: FilePush
  /** Whether the push is refused because most times would likely be stored wrongly. */
  readonly refused: boolean
}

/** Starts, stops and resumes the push; shows its progress and the outcome of the rows. */
export function SendFile({ ingest, rowsFile, columns, push, refused }: Props) {
  const keyMissing = useKeyMissing()
  const { state, ended } = push
  const busy = state === 'sending' || state === 'stopping'
  const whole = ended !== null && push.readBytes >= rowsFile.file.size && ended.failures.length === 0
  const start = (): void => push.start({ ingest, rowsFile, columns })
  useEffect(() => {
    if (!busy) return
    const ask = (event: Event): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [busy])
  return (
    <Panel title="Push it">
      <div class="inside">
        <div class="actions">
          {!busy && !whole && (
            <button type="button" class="button first" disabled={keyMissing || refused} onClick={start}>
              {ended === null ? `Push ${rowsFile.file.name}` : `Continue after ${ended.noun} ${countText(ended.upTo)}`}
            </button>
          )}
          {state === 'sending' && (
            <button type="button" class="button" onClick={push.stop}>
              Stop
            </button>
          )}
          {keyMissing && <span class="soft small">Enter a key to push with, at the top.</span>}
          {state === 'ready' && !keyMissing && (
            <span class="soft small">Rejected rows are kept with the reason. The others are stored.</span>
          )}
        </div>
        {busy && <Progress push={push} bytes={rowsFile.file.size} />}
        <ProblemNote error={push.error} />
        {!busy && ended !== null && (
          <SentRows alias={ingest.alias} sent={ended} accepted={push.accepted} seconds={push.seconds} whole={whole} />
        )}
      </div>
    </Panel>
  )
}

function Progress({ push, bytes }: { readonly push: FilePush; readonly bytes: number }) {
  const { readBytes, accepted, waiting, state } = push
  const read = readBytes >= bytes
  return (
    <>
      <progress max={Math.max(1, bytes)} value={readBytes} aria-label="How much of the file was read" />
      <p class="number" role="status">
        {countText(accepted)} rows on disk; {bytesText(Math.min(readBytes, bytes))} of {bytesText(bytes)} read
        {state === 'stopping' ? '; stopping…' : read ? '; waiting until all are validated…' : ''}
      </p>
      {waiting !== null && (
        <div class="note warn" role="status">
          <p>{waiting}</p>
        </div>
      )}
    </>
  )
}
