// The expected state of each row, as far as it can be known, when rows are validated again, discarded, replaced, or expire.
import { compareCodePoints } from '../../src/lib/compare-code-points.ts'
import type { IngestCounters } from '../../src/model/ingest.ts'

/** The number of a row is its metric V, which no other row has. */
export interface PushedRow {
  readonly number: number
  readonly ms: number
  readonly tag: string
  /** The metric N, which fields of version 1 lack; undefined where it is not pushed. */
  readonly n: number | null | undefined
  /** Whether the row has a permanently wrong type. */
  readonly isBad: boolean
}

export interface PushedBatch {
  readonly ingestId: number
  readonly entityId: number
  readonly fieldsVersion: number
  readonly key: string | null
  readonly rows: readonly PushedRow[]
}

/** `replaying` is kept or stored, `discarding` kept or discarded: the requested change may have been made or not. */
type RowState = 'stored' | 'kept' | 'discarded' | 'replaying' | 'discarding'

interface Row extends PushedRow {
  readonly index: number
  state: RowState
  /** Whether the row has expired with its day; `maybe` while that is only partly done. */
  hasLeft: 'no' | 'maybe' | 'yes'
}

export interface Batch extends PushedBatch {
  readonly rows: readonly Row[]
  /** Unknown: the push got no response. */
  place: 'unknown' | 'refused' | { readonly position: number }
}

/** A row as in an answer. */
export type AnsweredRow = readonly [ms: number, tag: string, number: number, n: number | null]

interface PlacedRow {
  readonly row: Row
  readonly batch: Batch
  readonly position: number
}

export class LifecycleModel {
  readonly batches: Batch[] = []
  readonly #batchOf = new Map<number, Batch>()

  add(pushed: PushedBatch): Batch {
    const rows = pushed.rows.map((row, index): Row => {
      const fits = !row.isBad && (row.n === undefined || pushed.fieldsVersion > 1)
      return { ...row, index, state: fits ? 'stored' : 'kept', hasLeft: 'no' }
    })
    const batch: Batch = { ...pushed, rows, place: 'unknown' }
    this.batches.push(batch)
    for (const { number } of rows) this.#batchOf.set(number, batch)
    return batch
  }

  /** Records that a batch was acknowledged, or found in the journal. */
  stored(batch: Batch, position: number): void {
    if (typeof batch.place === 'object' && batch.place.position !== position)
      throw new Error(`the batch of row ${batch.rows[0]?.number} is at ${batch.place.position}, and at ${position}`)
    batch.place = { position }
  }

  batchOf(number: number): Batch {
    const batch = this.#batchOf.get(number)
    if (batch === undefined) throw new Error(`nobody pushed row ${number}`)
    return batch
  }

  /** Batches that are not in the journal after the process ended were never stored. */
  refuseUnknown(): void {
    for (const batch of this.batches) if (batch.place === 'unknown') batch.place = 'refused'
  }

  /** Rows that may be in the rejected list of an ingest, with their positions where these are known. */
  rejectedOf(ingestId: number): readonly { readonly row: Row; readonly position: number | null }[] {
    return this.batches
      .filter((batch) => batch.ingestId === ingestId && batch.place !== 'refused')
      .flatMap((batch) => batch.rows.map((row) => ({ row, position: positionOf(batch, row) })))
      .filter(({ row }) => row.state !== 'stored' && row.state !== 'discarded')
  }

  /** Marks rows before a date as possibly expired, or as certainly expired where `isSure` is true of their position. */
  leave(entityId: number, beforeMs: number, isSure: (position: number) => boolean): void {
    for (const batch of this.batches) {
      if (batch.entityId !== entityId) continue
      for (const row of batch.rows) {
        if (row.ms >= beforeMs || row.hasLeft === 'yes' || (row.state !== 'stored' && row.state !== 'replaying'))
          continue
        const position = positionOf(batch, row)
        row.hasLeft = row.state === 'stored' && position !== null && isSure(position) ? 'yes' : 'maybe'
      }
    }
  }

  /** Nothing is in progress any more, so the list of rejected rows is final. */
  settleRejected(keptPositions: ReadonlySet<number>): void {
    for (const { row, position } of this.#placed()) {
      const isKept = keptPositions.has(position)
      if (row.state === 'replaying') row.state = isKept ? 'kept' : 'stored'
      if (row.state === 'discarding') row.state = isKept ? 'kept' : 'discarded'
    }
  }

  /** Throws where the list of rejected rows is impossible. Rows at `processed` and later have not been validated. */
  checkRejected(isLive: (ingestId: number) => boolean, kept: ReadonlySet<number>, processed: number): void {
    for (const { batch, row, position } of this.#placed()) {
      if (!isLive(batch.ingestId) || position >= processed) continue
      const isKept = kept.has(position)
      if (isKept ? row.state === 'stored' || row.state === 'discarded' : row.state === 'kept')
        throw new Error(
          `row ${row.number}, which is ${row.state}, is ${isKept ? '' : 'not '}in the list of rejected rows`,
        )
    }
  }

  /** Throws unless the rows of an entity are the expected ones; rows in an unknown state may exist or not. */
  checkRows(entityId: number, answered: readonly AnsweredRow[], sinceMs: number, processed: number): void {
    const rows = this.#storedOf(entityId, sinceMs, processed).sort(compareRows)
    const numbers = new Set(answered.map(([, , number]) => number))
    const expected = rows.filter(({ row }) => isSure(row) || numbers.has(row.number)).map(answerOf)
    expectSame(`entity ${entityId}`, answered, expected)
    for (const { row } of rows) if (row.hasLeft === 'maybe') row.hasLeft = numbers.has(row.number) ? 'no' : 'yes'
  }

  /** Like `checkRows` for an entity whose newer rows replace older ones. Skipped while any row may be stored or not. */
  checkReplaced(entityId: number, answered: readonly AnsweredRow[], processed: number): void {
    const rows = this.#storedOf(entityId, Number.NEGATIVE_INFINITY, processed)
    if (!rows.every(({ row }) => isSure(row))) return
    const items = new Map<string, AnsweredRow>()
    for (const { row } of rows.sort((one, other) => one.position - other.position)) {
      const key = `${row.ms} ${row.tag}`
      const before = items.get(key)?.[3] ?? null
      items.set(key, [row.ms, row.tag, row.number, row.n === undefined ? before : row.n])
    }
    const expected = [...items.values()].sort((one, other) => one[0] - other[0] || compareCodePoints(one[1], other[1]))
    expectSame(`entity ${entityId}`, answered, expected)
  }

  /** Skipped while anything about the ingest's rows is unknown. */
  checkCounters(ingestId: number, { stored, rejected, pending }: IngestCounters): void {
    const batches = this.batches.filter((batch) => batch.ingestId === ingestId && batch.place !== 'refused')
    const rows = batches.flatMap((batch) => batch.rows)
    if (batches.some(({ place }) => place === 'unknown') || rows.some(({ state }) => state.endsWith('ing'))) return
    const expected = rows.filter(({ state }) => state === 'stored').length
    if (stored !== expected || rejected !== rows.length - expected || pending !== 0)
      throw new Error(
        `ingest ${ingestId} counts ${stored} stored, ${rejected} rejected and ${pending} pending; of ${rows.length} rows ${expected} are stored`,
      )
  }

  #storedOf(entityId: number, sinceMs: number, processed: number): PlacedRow[] {
    return [...this.#placed()].filter(
      ({ batch, row, position }) =>
        batch.entityId === entityId &&
        position < processed &&
        row.ms >= sinceMs &&
        row.hasLeft !== 'yes' &&
        (row.state === 'stored' || row.state === 'replaying'),
    )
  }

  *#placed(): Generator<PlacedRow> {
    for (const batch of this.batches) {
      for (const row of batch.rows) {
        const position = positionOf(batch, row)
        if (position !== null) yield { row, batch, position }
      }
    }
  }
}

function positionOf({ place }: Batch, { index }: Row): number | null {
  return typeof place === 'object' ? place.position + index : null
}

function isSure({ state, hasLeft }: Row): boolean {
  return state === 'stored' && hasLeft === 'no'
}

function compareRows(one: PlacedRow, other: PlacedRow): number {
  return one.row.ms - other.row.ms || compareCodePoints(one.row.tag, other.row.tag) || one.position - other.position
}

function answerOf({ row: { ms, tag, number, n } }: PlacedRow): AnsweredRow {
  return [ms, tag, number, n ?? null]
}

function expectSame(what: string, answered: readonly AnsweredRow[], expected: readonly AnsweredRow[]): void {
  const [given, wanted] = [answered, expected].map((rows) => rows.map((row) => JSON.stringify(row)))
  const at = wanted!.findIndex((row, index) => row !== given![index])
  if (at < 0 && given!.length === wanted!.length) return
  const place = at < 0 ? wanted!.length : at
  throw new Error(
    `${what} answers ${given!.length} rows, of which ${given![place]} is at ${place}; it should be ${wanted![place]}, of ${wanted!.length}`,
  )
}
