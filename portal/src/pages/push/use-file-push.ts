import { useEffect, useRef, useState } from 'preact/hooks'
import type { PushOutcome } from '../../../../src/file-push/receipt-follower.ts'
import type { RejectionTally } from '../../../../src/file-push/rejections.ts'
import { pusherOf } from '../../session/push-key.ts'
import { notify } from '../../shell/toasts.tsx'
import type { ShownIngest } from '../ingests/side.ts'
import type { Columns } from './columns.ts'
import { mappingOf } from './columns.ts'
import { type RowsFile, rowsOf, targetFor } from './file-rows.ts'
import { errorsMax, type SentFile, sendFile } from './send-file.ts'

export interface FileJob {
  readonly ingest: ShownIngest
  readonly rowsFile: RowsFile
  readonly columns: Columns
}

export interface FilePush {
  readonly state: 'ready' | 'sending' | 'stopping' | 'ended'
  readonly readBytes: number
  /** Rows on disk, over all attempts. */
  readonly accepted: number
  /** The reason for waiting now; null if it is not waiting. */
  readonly waiting: string | null
  readonly ended: SentFile | null
  readonly error: unknown
  readonly seconds: number
  start(job: FileJob): void
  stop(): void
}

type Shown = Omit<FilePush, 'start' | 'stop'>

const ready: Shown = {
  state: 'ready',
  readBytes: 0,
  accepted: 0,
  waiting: null,
  ended: null,
  error: null,
  seconds: 0,
}

function kindsTogether(one: readonly RejectionTally[], other: readonly RejectionTally[]): readonly RejectionTally[] {
  const sums = new Map<string, RejectionTally>()
  for (const kind of [...one, ...other]) {
    const key = JSON.stringify([kind.code, kind.field])
    sums.set(key, { ...kind, rows: kind.rows + (sums.get(key)?.rows ?? 0) })
  }
  return [...sums.values()].toSorted((a, b) => b.rows - a.rows)
}

/** Combines the outcomes of two attempts, the second of which resumed where the first one ended. */
function together(before: PushOutcome | null, now: SentFile): SentFile {
  if (before === null) return now
  return {
    ...now,
    stored: before.stored + now.stored,
    rejected: before.rejected + now.rejected,
    pending: before.pending + now.pending,
    replaced: before.replaced + now.replaced,
    errors: [...before.errors, ...now.errors].slice(0, errorsMax),
    kinds: kindsTogether(before.kinds, now.kinds),
    batches: [...before.batches, ...now.batches].slice(0, errorsMax),
  }
}

function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `portal-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** The push of one file, which can be stopped and resumed. `of` identifies the file and its target: another value starts a new push. */
export function useFilePush(of: string): FilePush {
  const [shown, show] = useState<Shown>(ready)
  const control = useRef<{ stop: AbortController; leave: AbortController } | null>(null)
  const id = useRef('')
  useEffect(() => {
    id.current = newId()
    show(ready)
    return () => {
      if (control.current === null) return
      control.current.stop.abort()
      control.current.leave.abort()
      control.current = null
      notify('The push was stopped because you left its page. Acknowledged rows are stored.')
    }
  }, [of])
  const start = (job: FileJob): void => {
    if (control.current !== null) return
    const mine = { stop: new AbortController(), leave: new AbortController() }
    control.current = mine
    const change = (part: (before: Shown) => Partial<Shown>): void => {
      if (!mine.leave.signal.aborted) show((before) => ({ ...before, ...part(before) }))
    }
    const before = shown.ended
    const began = performance.now()
    change(() => ({ state: 'sending', readBytes: 0, waiting: null, error: null }))
    void send(job, { id: id.current, skipRows: before?.upTo ?? 0, mine, change })
      .then(
        (sent) => change(() => ({ ended: together(before, sent) })),
        (error: unknown) => change(() => ({ error })),
      )
      .finally(() => {
        change(({ seconds }) => ({
          state: 'ended',
          waiting: null,
          seconds: seconds + (performance.now() - began) / 1000,
        }))
        if (control.current === mine) control.current = null
      })
  }
  const stop = (): void => {
    control.current?.stop.abort()
    show((before) => ({ ...before, state: 'stopping' }))
  }
  return { ...shown, start, stop }
}

interface Try {
  readonly id: string
  readonly skipRows: number
  readonly mine: { readonly stop: AbortController; readonly leave: AbortController }
  change(part: (before: Shown) => Partial<Shown>): void
}

async function send({ ingest, rowsFile, columns }: FileJob, { id, skipRows, mine, change }: Try): Promise<SentFile> {
  const onRead = (bytes: number): void => change(({ readBytes }) => ({ readBytes: readBytes + bytes }))
  const client = pusherOf(mine.leave.signal)
  return sendFile({
    alias: ingest.alias,
    rows: rowsOf(rowsFile, mappingOf(columns, ingest.fields), onRead),
    target: targetFor(ingest, rowsFile, client),
    id,
    skipRows,
    client,
    stop: mine.stop.signal,
    leave: mine.leave.signal,
    onAccepted: (rows) => change(({ accepted }) => ({ accepted: accepted + rows })),
    onWait: (waiting) => change(() => ({ waiting })),
  })
}
