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

/** How many rows were validated again and are there: `replayed = stored + rejected`. */
export interface Replayed {
  readonly replayed: number
  readonly stored: number
  readonly rejected: number
  /** Names of the mapping that none of these rows has; left out where there are none. */
  readonly unused?: UnusedName[]
}

/** Rows that were validated again, and how many of them are stored now. */
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
  /** Resolves once queries see the rows that were stored, or it took too long; rejects with the signal's reason when it is aborted. */
  readonly isQueryable: (rows: ValidatedAgain, signal: AbortSignal) => Promise<void>
  /** Whether rows of an entity are being removed that hours stand for: one that came to its old position now would go with them. */
  readonly isLettingGo?: (entityId: number) => boolean
  /** Called when rows were put into the journal: whatever follows, they are validated again. */
  readonly journaled: () => Promise<void>
  readonly nowMs: () => number
  readonly reach: Reach
}

/** Rows to be validated again, and how many stay rejected as they are: lines that are none. */
interface PageOfRows {
  readonly rows: readonly ReplayedRow[]
  readonly stillRejected: number
}

/** So much goes into one entry of the journal: it is validated in one step, which holds up queries. */
const rowsAtOnce = 500
const bytesAtOnce = 1024 * 1024
/** Replays are asked for by an operator. */
const operator = 0

/** Has rejected rows validated again, by the journal: a replay that was begun is done also when the service is killed meanwhile. */
export class Replays {
  readonly #parts: ReplayParts
  readonly #replays = new Serial()

  constructor(parts: ReplayParts) {
    this.#parts = parts
  }

  /**
   * Validates rejected rows by the fields that their ingest, or the one they go into, has now: those at these positions, or with null all, mended by the
   * mapping. Resolves when they are queryable, or rejected still. What an earlier replay stored meanwhile counts as stored; what was discarded does not
   * count. Throws the Problems of `JournalWriter.append`, `unavailable` while rows of the entity are being removed, and the signal's reason: a part may be validated by then, and it may be asked again.
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
      // Where there were no rows, nothing is known of names.
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
    const { rejected, journal, journaled, progress, isQueryable, isLettingGo, nowMs, reach } = this.#parts
    if (isLettingGo?.(target.entityId) === true) throw rowsLeave()
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
    // By what has become of them, not by what this entry did: another one may have stored them since they were listed.
    const fates = await rejected.fates(ingest.id, positions)
    const places = target.id === ingest.id ? positions : positions.map((_, index) => position + index)
    await isQueryable({ ingest: target, positions: places, stored: fates.stored }, signal)
    return fates
  }

  /** Each row once, in the order of their positions, as they are in the list when their turn comes. */
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
          // A row whose text is not kept any more cannot be validated again.
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
    'Rows of the entity that have expired are being removed, now that their hours are made. Replay again in some minutes.',
    { retryAfterS: 60 },
  )
}
