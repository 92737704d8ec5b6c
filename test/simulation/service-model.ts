// The guarantees of a service: the rows of each acknowledged batch exist once, those of any other batch all or none, and invalid rows as rejected ones.
import type { RejectedRow } from '../../src/catalog/rejected.ts'
import { compareCodePoints } from '../../src/lib/compare-code-points.ts'
import type { IngestCounters } from '../../src/model/ingest.ts'

/** The number of a row is its metric: unique, and increasing with each push. */
export interface PushedRow {
  readonly number: number
  readonly ms: number
  readonly tag: string
  readonly count: number | null
}

export interface PushedBatch {
  readonly ingestId: number
  readonly fieldsVersion: number
  readonly entityId: number
  readonly rows: readonly PushedRow[]
  /** Numbers of the rows that must be rejected. */
  readonly bad: readonly number[]
}

interface Attempt {
  readonly batch: PushedBatch
  /** For a stored batch, a position that is not before its end. */
  outcome: 'unknown' | 'refused' | { readonly endPosition: number }
}

export class ServiceModel {
  readonly #attempts: Attempt[] = []
  readonly #attemptOf = new Map<number, Attempt>()
  readonly #rowOf = new Map<number, PushedRow>()

  attempt(batch: PushedBatch): number {
    const attempt: Attempt = { batch, outcome: 'unknown' }
    for (const row of batch.rows) this.#rowOf.set(row.number, row)
    for (const number of [...batch.rows.map((row) => row.number), ...batch.bad]) this.#attemptOf.set(number, attempt)
    return this.#attempts.push(attempt) - 1
  }

  acknowledge(attempt: number, endPosition: number): void {
    this.#attempts[attempt]!.outcome = { endPosition }
  }

  refuse(attempt: number): void {
    this.#attempts[attempt]!.outcome = 'refused'
  }

  /** Checks an entity's rows as queried when everything before `processedPosition` had been validated. Throws at the first fault. */
  checkRows(entityId: number, rows: readonly PushedRow[], processedPosition: number): void {
    for (const [index, row] of rows.entries()) {
      const before = rows[index - 1]
      if (before !== undefined && compareRows(before, row) >= 0)
        throw new Error(`row ${row.number} is answered twice, or out of order`)
      const pushed = this.#rowOf.get(row.number)
      if (pushed === undefined || JSON.stringify(pushed) !== JSON.stringify(row))
        throw new Error(`row ${row.number} is answered as ${JSON.stringify(row)}, pushed as ${JSON.stringify(pushed)}`)
    }
    const found = new Set(rows.map(({ number }) => number))
    for (const attempt of this.#attempts) {
      if (attempt.batch.entityId === entityId) checkBatch(attempt, found, processedPosition)
    }
  }

  /**
   * Everything before `endPosition` has been validated and nothing follows it: batches that are missing now were never stored, and existing ones must stay.
   * `found` are all rows that queries return.
   */
  settle(found: ReadonlySet<number>, rejected: readonly RejectedRow[], endPosition: number): void {
    const numbers = rejected.map(({ row }) => Number(/"V":"(\d+)"/.exec(row)?.[1]))
    const bad = new Set(numbers)
    if (bad.size < numbers.length) throw new Error('a row is rejected twice')
    for (const number of bad) if (!this.#attemptOf.has(number)) throw new Error(`nobody pushed rejected row ${number}`)
    for (const attempt of this.#attempts) {
      const { batch } = attempt
      const seen = batch.rows.filter(({ number }) => found.has(number)).length
      const seenBad = batch.bad.filter((number) => bad.has(number)).length
      const all = batch.rows.length + batch.bad.length
      if (seen + seenBad !== 0 && seen + seenBad !== all) throw new Error(`half a batch is there: ${textOf(attempt)}`)
      if (all === 0) continue
      if (seen + seenBad === 0) {
        if (isPromised(attempt)) throw new Error(`a batch is lost: ${textOf(attempt)}`)
        attempt.outcome = 'refused'
      } else {
        if (attempt.outcome === 'refused') throw new Error(`a refused batch is there: ${textOf(attempt)}`)
        if (attempt.outcome === 'unknown') attempt.outcome = { endPosition }
      }
    }
  }

  /** Skipped while the fate of a batch is unknown. */
  checkCounters(ingestId: number, { stored, rejected }: IngestCounters): void {
    const attempts = this.#attempts.filter(({ batch }) => batch.ingestId === ingestId)
    if (attempts.some(({ outcome }) => outcome === 'unknown')) return
    const batches = attempts.filter(isPromised)
    const rows = batches.reduce((sum, { batch }) => sum + batch.rows.length, 0)
    const bad = batches.reduce((sum, { batch }) => sum + batch.bad.length, 0)
    if (stored !== rows || rejected !== bad)
      throw new Error(`ingest ${ingestId} counts ${stored} stored and ${rejected} rejected, of ${rows} and ${bad}`)
  }
}

/** Orders rows by date, tag and order of push, which is that of their numbers. */
function compareRows(one: PushedRow, other: PushedRow): number {
  return one.ms - other.ms || compareCodePoints(one.tag, other.tag) || one.number - other.number
}

function checkBatch(attempt: Attempt, found: ReadonlySet<number>, processedPosition: number): void {
  const { batch, outcome } = attempt
  const seen = batch.rows.filter(({ number }) => found.has(number)).length
  // A push larger than a step becomes visible from its start.
  const first = batch.rows.findIndex(({ number }) => !found.has(number))
  if (first !== -1 && seen > first) throw new Error(`rows in the midst of a batch are missing: ${textOf(attempt)}`)
  if (seen !== 0 && outcome === 'refused') throw new Error(`a refused batch is answered: ${textOf(attempt)}`)
  const isDue = typeof outcome === 'object' && outcome.endPosition <= processedPosition
  if (isDue && seen < batch.rows.length) throw new Error(`an acknowledged batch is not answered: ${textOf(attempt)}`)
}

function isPromised({ outcome }: Attempt): boolean {
  return typeof outcome === 'object'
}

function textOf(attempt: Attempt): string {
  return JSON.stringify(attempt)
}
