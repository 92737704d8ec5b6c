import type { QuarantineCatalog } from '../../catalog/quarantine.ts'
import type { RejectedCatalog, RejectedFates, RejectedPage } from '../../catalog/rejected.ts'
import { type JournalEntry, type JournalWriter, positionAfter } from '../../journal/journal.ts'
import { Serial } from '../../lib/serial.ts'
import type { Ingest } from '../../model/ingest.ts'
import { Problem } from '../../model/problem.ts'
import type { Repair, UnusedName } from '../../model/row-mapping.ts'
import type { Reach } from '../../observe/crash-point.ts'
import type { IngestProgress } from '../progress.ts'
import { mendRow } from './mend-row.ts'
import { QuarantinedTexts } from './quarantined-texts.ts'
import { encodeReplayedRows, type ReplayedRow, type RowText } from './replayed-rows.ts'
import { textAgain } from './replayed-text.ts'
import { UnusedNames } from './unused-names.ts'

/** Counts of the rows that were validated again and still exist: `replayed = stored + rejected`. */
export interface Replayed {
  readonly replayed: number
  readonly stored: number
  readonly rejected: number
  /** Names of the mapping that no row has; omitted if there are none. */
  readonly unused?: UnusedName[]
}

/** Rows that were validated again, and how many of them are now stored. */
export interface ValidatedAgain {
  readonly ingest: Pick<Ingest, 'id' | 'kind' | 'entityId'>
  readonly positions: readonly number[]
  readonly stored: number
}

export interface ReplayParts {
  readonly rejected: Pick<RejectedCatalog, 'list' | 'fates'>
  readonly quarantine: Pick<QuarantineCatalog, 'list' | 'bodyPart'>
  readonly journal: Pick<JournalWriter, 'append'>
  readonly progress: Pick<IngestProgress, 'waitFor'>
  /** Resolves when queries see the stored rows, or after a timeout; rejects with the signal's reason when it is aborted. */
  readonly isQueryable: (rows: ValidatedAgain, signal: AbortSignal) => Promise<void>
  /** Whether expired rows of an entity, which its hours now represent, are being removed: a row replayed to its old position would be removed too. */
  readonly isRemovingExpired?: (entityId: number) => boolean
  /** Called when rows were written to the journal: whatever happens next, they are validated again. */
  readonly journaled: () => Promise<void>
  readonly nowMs: () => number
  readonly reach: Reach
}

/** Rows to validate again, and the number of rows that stay rejected because they are not valid lines. */
interface PageOfRows {
  readonly rows: readonly ReplayedRow[]
  readonly stillRejected: number
}

/** Limits of one journal entry, which is validated in one step while queries wait. */
const rowsAtOnce = 500
const bytesAtOnce = 1024 * 1024
/** The subscriber id of replays, which an operator requests. */
const operator = 0

/** Validates rejected rows again, through the journal: a replay that has begun is completed even if the service is killed. */
export class Replays {
  readonly #parts: ReplayParts
  readonly #replays = new Serial()

  constructor(parts: ReplayParts) {
    this.#parts = parts
  }

  /**
   * Validates rejected rows with the current fields of their ingest, or of the ingest they are replayed into: the rows at these positions, or all if null,
   * mended by the mapping. Resolves when they are queryable or rejected again. Rows that another replay stored meanwhile count as stored; discarded rows
   * do not count. Throws the Problems of `JournalWriter.append`, `unavailable` while rows of the entity are being removed, and the signal's reason. Part of
   * the rows may be validated by then; the call can be repeated.
   */
  replay(
    ingest: Ingest,
    positions: readonly number[] | null,
    signal: AbortSignal,
    repair: Repair = {},
  ): Promise<Replayed> {
    return this.#replays.run(async () => {
      let [stored, rejected] = [0, 0]
      const target = repair.into ?? ingest
      const { mapping } = repair
      const unused = mapping === undefined ? undefined : new UnusedNames(mapping)
      const mended = (row: RowText): RowText => (mapping === undefined ? row : mendRow(row, mapping, unused))
      for await (const { rows, stillRejected } of this.#pages(ingest.id, target, positions, mended)) {
        signal.throwIfAborted()
        rejected += stillRejected
        if (rows.length === 0) continue
        const page = await this.#replayPage(ingest, target, rows, signal)
        stored += page.stored
        rejected += page.rejected
      }
      const replayed = stored + rejected
      // Without rows nothing is known about names.
      const names = replayed === 0 ? [] : [...(unused?.list() ?? [])]
      return { replayed, stored, rejected, ...(names.length === 0 ? {} : { unused: names }) }
    })
  }

  async #replayPage(
    ingest: Ingest,
    target: Ingest,
    rows: readonly ReplayedRow[],
    signal: AbortSignal,
  ): Promise<RejectedFates> {
    const { rejected, journal, journaled, progress, isQueryable, isRemovingExpired, nowMs, reach } = this.#parts
    if (isRemovingExpired?.(target.entityId) === true) throw rowsLeave()
    const body = encodeReplayedRows(rows)
    const entry: JournalEntry = {
      ingestId: target.id,
      fieldsVersion: target.fieldsVersion,
      subscriberId: operator,
      receivedMs: nowMs(),
      format: 'replay',
      idempotencyKey: null,
      ...(target.id === ingest.id ? { rows: 0 } : { rows: rows.length, sourceIngestId: ingest.id }),
      body,
    }
    const position = await journal.append(entry, target)
    reach('replay-journaled')
    await journaled()
    await progress.waitFor(positionAfter({ position, rows: entry.rows }), signal)
    const positions = rows.map((row) => row.position)
    // Counts the rows' current states rather than this entry's outcome: another replay may have stored them since they were listed.
    const fates = await rejected.fates(ingest.id, positions)
    const places = target.id === ingest.id ? positions : positions.map((_, index) => position + index)
    await isQueryable({ ingest: target, positions: places, stored: fates.stored }, signal)
    return fates
  }

  /** Each row once, ordered by position, in its state when its page is read. */
  async *#pages(
    ingestId: number,
    target: Ingest,
    positions: readonly number[] | null,
    mended: (row: RowText) => RowText,
  ): AsyncGenerator<PageOfRows> {
    const { rejected, quarantine } = this.#parts
    const texts = new QuarantinedTexts(quarantine)
    const limits = { limit: rowsAtOnce, bytesMax: bytesAtOnce }
    for (const chosen of positions === null ? [undefined] : chunksOf(positions)) {
      for (let afterPosition: number | null = -1; afterPosition !== null; ) {
        const page: RejectedPage = await rejected.list(ingestId, { positions: chosen, afterPosition, ...limits })
        let rows: ReplayedRow[] = []
        let stillRejected = 0
        for (const one of page.rows) {
          // A row whose text is no longer kept cannot be validated again.
          const row = await texts.rowOf(one)
          const again = row === null ? null : textAgain(one, row.text, target)
          if (again === null) continue
          if ('fault' in again) stillRejected++
          else {
            rows.push({ ...mended(again), position: one.position })
          }
          if (rows.reduce((bytes, { text }) => bytes + text.length, 0) < bytesAtOnce) continue
          yield { rows, stillRejected }
          rows = []
          stillRejected = 0
        }
        if (rows.length + stillRejected > 0) yield { rows, stillRejected }
        afterPosition = page.after
      }
    }
  }
}

function chunksOf(positions: readonly number[]): readonly (readonly number[])[] {
  const all = [...new Set(positions)].sort((left, right) => left - right)
  return Array.from({ length: Math.ceil(all.length / rowsAtOnce) }, (_, index) =>
    all.slice(index * rowsAtOnce, (index + 1) * rowsAtOnce),
  )
}

function rowsLeave(): Problem {
  return new Problem(
    'unavailable',
    'Expired rows of the entity are being removed, as their hours are complete. Replay again in a few minutes.',
    { retryAfterS: 60 },
  )
}
