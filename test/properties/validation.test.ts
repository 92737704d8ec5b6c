// Validation is a function of the entry and its ingest's fields only, independent of what was validated before or is validated with it. Otherwise a journal
// that is validated again after a crash could give other outcomes than those reported.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RejectedRow } from '../../src/catalog/rejected.ts'
import { ItemValidator } from '../../src/ingest/item-validator.ts'
import { RowValidator } from '../../src/ingest/row-validator.ts'
import { checkBody } from '../../src/ingest/scan/check-body.ts'
import type { PlacedEntry } from '../../src/journal/journal.ts'
import { BorrowedArrays } from '../../src/lib/spare-buffers.ts'
import { valueAt } from '../../src/model/column.ts'
import type { Ingest } from '../../src/model/ingest.ts'
import type { RowBatch } from '../../src/model/row-batch.ts'
import { RowJson } from '../../src/partitions/row-json.ts'
import { rounds } from '../support/rounds.ts'
import { UsedMemory } from '../support/used-memory.ts'
import { brokenDateRow, hostileIngests, hostileRow } from './hostile-rows.ts'
import { absent, type NaiveOutcome, validateNaively } from './naive-validation.ts'

const rowBytes = 2600

/** The outcome of a row, with everything that is kept of it. */
interface Outcome {
  readonly short: NaiveOutcome
  /** For a rejected row everything that is kept, for an item its key and attributes, for a row its line for Druid. */
  readonly kept: RejectedRow | string
}

/** A long-lived validator: it keeps its caches from call to call. */
class WarmValidator {
  readonly #arrays = new BorrowedArrays(new UsedMemory())
  // The caches are small, so that strings are also evicted.
  readonly #validator = new RowValidator({
    rowBytes,
    arrays: this.#arrays,
    rememberedStringsMax: 20,
    rememberedBytesMax: 20_000,
  })
  readonly #items = new ItemValidator({ rowBytes })
  readonly #lines = new Map<number, RowJson>()

  validate(entries: readonly PlacedEntry[], ingest: Ingest): ReadonlyMap<number, Outcome> {
    const outcomes = ingest.kind === 'series' ? this.#series(entries, ingest) : this.#metadata(entries, ingest)
    this.#arrays.giveBack()
    return outcomes
  }

  #series(entries: readonly PlacedEntry[], ingest: Ingest): ReadonlyMap<number, Outcome> {
    const { batch, rejected } = this.#validator.validate(entries, ingest)
    const outcomes = rejectedOutcomes(rejected)
    if (batch === null) return outcomes
    const lines = this.#linesOf(batch, ingest)
    batch.positions.forEach((position, row) => {
      const stored = batch.columns.map((column, place) => {
        const value = valueAt(column, row)
        const isPushed = value !== null || batch.pushedNulls === undefined || batch.pushedNulls[place]?.[row] === 1
        return isPushed ? value : absent
      })
      outcomes.set(position, { short: { stored }, kept: lines[row]! })
    })
    return outcomes
  }

  #linesOf(batch: RowBatch, ingest: Ingest): readonly string[] {
    const json = this.#lines.get(ingest.id) ?? new RowJson(ingest.fields)
    this.#lines.set(ingest.id, json)
    return Buffer.concat(json.records(batch)).toString().split('\n')
  }

  #metadata(entries: readonly PlacedEntry[], ingest: Ingest): ReadonlyMap<number, Outcome> {
    const { items, rejected } = this.#items.validate(entries, ingest)
    const outcomes = rejectedOutcomes(rejected)
    for (const { position, key, attributes } of items) {
      outcomes.set(position, { short: { stored: [] }, kept: `${Buffer.from(key).toString('hex')} ${attributes}` })
    }
    return outcomes
  }
}

function rejectedOutcomes(rejected: readonly RejectedRow[]): Map<number, Outcome> {
  return new Map(rejected.map((row) => [row.position, { short: { code: row.code, field: row.field }, kept: row }]))
}

interface Push {
  readonly format: 'json' | 'ndjson'
  readonly rows: readonly string[]
}

function entryOf({ format, rows }: Push, position: number, ingestId: number): PlacedEntry {
  const body = Buffer.from(format === 'ndjson' ? rows.join('\n') : ` [ ${rows.join(' , ')} ]\n`)
  if (rows.length > 0) expect(checkBody(body, format)).toBe(rows.length)
  const header = { ingestId, fieldsVersion: 1, subscriberId: 1, receivedMs: 0, idempotencyKey: null }
  return { ...header, format, position, rows: rows.length, body }
}

function entriesOf(pushes: readonly Push[], ingestId: number): readonly PlacedEntry[] {
  let position = 100
  return pushes.map((push) => {
    const entry = entryOf(push, position, ingestId)
    position += Math.max(1, push.rows.length)
    return entry
  })
}

/** The outcomes of the naive validation; for items only whether they are stored. */
function reported(pushes: readonly Push[], entries: readonly PlacedEntry[], ingest: Ingest) {
  const all = new Map<number, NaiveOutcome>()
  pushes.forEach(({ rows }, place) => {
    rows.forEach((row, index) => {
      const outcome = validateNaively(row, ingest, rowBytes)
      const isItem = 'stored' in outcome && ingest.kind === 'metadata'
      all.set(entries[place]!.position + index, isItem ? { stored: [] } : outcome)
    })
  })
  return all
}

const byPosition = <Value>(map: ReadonlyMap<number, Value>): readonly (readonly [number, Value])[] =>
  [...map].sort(([a], [b]) => a - b)

interface History {
  readonly ingest: Ingest
  readonly pushes: readonly Push[]
  /** Whether a slice of entries that are validated together ends after each entry; `reversed` validates the last slice first. */
  readonly cuts: readonly boolean[]
  readonly reversed: boolean
}

const history: fc.Arbitrary<History> = fc.constantFrom(...hostileIngests).chain((ingest) => {
  const row = ingest.id === 1 ? fc.oneof(brokenDateRow, hostileRow(ingest)) : hostileRow(ingest)
  const push = fc.record({
    format: fc.constantFrom('json' as const, 'ndjson' as const),
    rows: fc.array(row, { maxLength: 5 }),
  })
  return fc.record({
    ingest: fc.constant(ingest),
    pushes: fc.array(push, { minLength: 1, maxLength: 4 }),
    cuts: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    reversed: fc.boolean(),
  })
})

/** Slices of adjacent entries, in the order in which they are validated. */
function slicesOf(entries: readonly PlacedEntry[], { cuts, reversed }: History): readonly (readonly PlacedEntry[])[] {
  const slices: PlacedEntry[][] = [[]]
  entries.forEach((entry, place) => {
    slices.at(-1)!.push(entry)
    if (cuts[place]) slices.push([])
  })
  const filled = slices.filter(({ length }) => length > 0)
  return reversed ? filled.reverse() : filled
}

function validatedIn(slices: readonly (readonly PlacedEntry[])[], ingest: Ingest, validatorOf: () => WarmValidator) {
  return new Map(slices.flatMap((slice) => [...validatorOf().validate(slice, ingest)]))
}

/** Validates each rejected row as a replay does: alone, by its text. */
function validatedByReplay(outcomes: ReadonlyMap<number, Outcome>, ingest: Ingest, validator: WarmValidator) {
  const rows = [...outcomes.values()].flatMap(({ kept }) => (typeof kept === 'string' ? [] : [kept]))
  return new Map(
    rows.flatMap(({ position, row }) => {
      const entry = { ...entryOf({ format: 'ndjson', rows: [] }, position, ingest.id), rows: 1, body: Buffer.from(row) }
      return [...validator.validate([entry], ingest)].map(([at, { short }]) => [at, short] as const)
    }),
  )
}

test('entries have the same outcome warm and cold, in any slices and order, and in a naive validator', () => {
  const warm = new WarmValidator()
  fc.assert(
    fc.property(history, (one) => {
      const { ingest, pushes } = one
      const entries = entriesOf(pushes, ingest.id)
      const cold = validatedIn(
        entries.map((entry) => [entry]),
        ingest,
        () => new WarmValidator(),
      )
      const shorts = byPosition(cold).map(([position, { short }]) => [position, short])
      expect(shorts).toEqual(byPosition(reported(pushes, entries, ingest)))
      for (const slices of [[entries], slicesOf(entries, one)]) {
        expect(byPosition(validatedIn(slices, ingest, () => warm))).toEqual(byPosition(cold))
        expect(byPosition(validatedIn(slices, ingest, () => new WarmValidator()))).toEqual(byPosition(cold))
      }
      const again = validatedByReplay(cold, ingest, warm)
      for (const [position, short] of again) expect(short).toEqual(cold.get(position)!.short)
    }),
    { numRuns: rounds(400) },
  )
}, 60_000)
