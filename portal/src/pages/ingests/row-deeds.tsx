import { useState } from 'preact/hooks'
import type { RejectedRowAnswer } from '../../../../src/client/answers.ts'
import { precisionNote, timedText } from '../../../../src/file-push/rejected-lines.ts'
import { lineMediaType } from '../../../../src/model/line-format.ts'
import { AskFirst } from '../../parts/dialog.tsx'
import { countText, plural } from '../../parts/formats.ts'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { oneLine } from '../../parts/row-members.ts'
import { saveFile } from '../../parts/save-file.ts'
import { clientOf, mayDo } from '../../session/session.ts'
import { useAction } from '../../shell/asking.ts'
import { notify } from '../../shell/toasts.tsx'
import { pagesOfRows } from './all-rows.ts'
import { isFiltered, type RejectedFilter } from './filter.ts'
import { replayRows } from './replay.ts'
import { sideOf } from './side.ts'

interface Props {
  readonly alias: string
  readonly filter: RejectedFilter
  readonly all: number | null
  /** Whether the shown rows include lines of line protocol. */
  readonly areLines: boolean
  readonly chosen: readonly RejectedRowAnswer[]
  onChanged(): void
}

/** Actions for the chosen rows, or, if none is chosen, for all rows that match the filter. */
export function RowDeeds({ alias, filter, all, areLines, chosen, onChanged }: Props) {
  const [asking, ask] = useState(false)
  const [done, setDone] = useState(0)
  const deed = useAction()
  const ids = chosen.map(({ id }) => id)
  const some = ids.length > 0
  const total = some ? ids.length : all
  const which = some ? plural(ids.length, 'row') : `all ${all === null ? '' : countText(all)}`.trim()
  const replay = (): Promise<boolean> =>
    deed.run(async (signal) => {
      setDone(0)
      try {
        const { stored, rejected } = await replayRows(alias, some ? ids : filter, signal, setDone)
        notify(`${plural(stored, 'row')} stored, ${countText(rejected)} still rejected.`)
      } finally {
        onChanged()
      }
    })
  const save = (): Promise<boolean> =>
    deed.run(async (signal) => {
      setDone(0)
      const rows = some ? chosen : await allRows(alias, filter, signal, setDone)
      saveRows(alias, rows)
    })
  return (
    <div class="inside">
      <div class="actions">
        {mayDo('admin') && (
          <button type="button" class="button" disabled={deed.busy} onClick={() => void replay()}>
            Replay {which}
          </button>
        )}
        <button type="button" class="button" disabled={deed.busy} onClick={() => void save()}>
          Save {which} as {areLines ? 'lines' : 'NDJSON'}
        </button>
        <button type="button" class="button danger" disabled={deed.busy} onClick={() => ask(true)}>
          Discard {which}…
        </button>
        {deed.busy && (
          <>
            <progress max={total ?? undefined} value={total === null ? undefined : done} aria-label="Rows worked on" />
            <button type="button" class="button" onClick={deed.stop}>
              Stop
            </button>
          </>
        )}
      </div>
      <ProblemNote error={deed.error} />
      {asking && (
        <DiscardRows
          alias={alias}
          which={which}
          selection={some ? ids : filter}
          onClose={() => ask(false)}
          onChanged={onChanged}
        />
      )}
    </div>
  )
}

interface DiscardProps {
  readonly alias: string
  /** A description of the selection. */
  readonly which: string
  readonly selection: RejectedFilter | readonly string[]
  onClose(): void
  onChanged(): void
}

function DiscardRows({ alias, which, selection, onClose, onChanged }: DiscardProps) {
  return (
    <AskFirst
      title={`Discard ${which}`}
      deed="Discard for good"
      danger
      onClose={onClose}
      onDeed={async (signal) => {
        const count = await discardRows(alias, selection, signal)
        notify(`${plural(count, 'row')} discarded.`)
        onChanged()
      }}
    >
      <p>They leave all lists and cannot be restored. Counters and receipts stay as they are.</p>
    </AskFirst>
  )
}

function saveRows(alias: string, rows: readonly RejectedRowAnswer[]): void {
  const [name, type] = rows.some(({ precision }) => precision !== undefined)
    ? [`${alias}-rejected.lp`, lineMediaType]
    : [`${alias}-rejected.ndjson`, 'application/x-ndjson']
  saveFile(
    name,
    new Blob(
      rows.map((row) => `${oneLine(timedText(row))}\n`),
      { type },
    ),
  )
  const note = precisionNote(new Set(rows.map(({ precision }) => precision)))
  notify([`${plural(rows.length, 'row')} saved.`, ...(note === null ? [] : [note])].join(' '))
}

async function allRows(
  alias: string,
  filter: RejectedFilter,
  signal: AbortSignal,
  onDone: (rows: number) => void,
): Promise<readonly RejectedRowAnswer[]> {
  const all: RejectedRowAnswer[] = []
  for await (const rows of pagesOfRows(clientOf(signal), alias, filter)) {
    all.push(...rows)
    onDone(all.length)
  }
  return all
}

async function discardRows(
  alias: string,
  which: RejectedFilter | readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const client = clientOf(signal)
  if (Array.isArray(which)) return client.discardRejected(alias, which, sideOf())
  const filter = which as RejectedFilter
  if (!isFiltered(filter)) return client.discardRejected(alias, null, sideOf())
  let count = 0
  for await (const rows of pagesOfRows(client, alias, filter)) {
    if (rows.length > 0)
      count += await client.discardRejected(
        alias,
        rows.map(({ id }) => id),
        sideOf(),
      )
  }
  return count
}
