import { setImmediate } from 'node:timers/promises'
import type { RejectedRow } from '../catalog/rejected.ts'
import type { BodyFormat, PlacedEntry } from '../journal/journal.ts'
import { Serial } from '../lib/serial.ts'
import type { EntityField } from '../model/entity.ts'
import type { Ingest } from '../model/ingest.ts'
import { KnownFields } from '../model/known-fields.ts'
import { isLineFormat } from '../model/line-format.ts'
import type { RowFault } from '../model/row-fault.ts'
import { type CheckHint, checkHints } from './check-hints.ts'
import { furtherFaults } from './further-faults.ts'
import { ItemValidator } from './item-validator.ts'
import type { Intake } from './limits/intake.ts'
import type { OpenRules } from './open-fields.ts'
import type { ReceiptError } from './receipts.ts'
import { type EntryToValidate, RowValidator, type ValidationResult } from './row-validator.ts'
import { checkBodyInSlices } from './scan/check-body.ts'
import { firstRow, type RowOfEntry, type StepBudget } from './step-budget.ts'

export interface CheckRequest {
  readonly keyId: string
  readonly ingest: Ingest
  /** Decompressed. */
  readonly body: Uint8Array
  readonly format: BodyFormat
}

/** Why a row would be rejected, and its further faults. */
interface CheckError extends ReceiptError {
  readonly further?: readonly RowFault[]
}

/** The expected outcome of rows: `rows = stored + rejected`. */
export interface CheckResult {
  readonly rows: number
  readonly stored: number
  readonly rejected: number
  /** All rejected rows, by index. */
  readonly errors: readonly CheckError[]
  /** Omitted if there are none. */
  readonly hints?: readonly CheckHint[]
}

export interface PushCheckParts {
  readonly intake: Pick<Intake, 'requireCheck'>
  /** The most bytes of a row's text. */
  readonly rowBytes: number
  /** The most rows of a check. */
  readonly rowsMax: number
  /** The most fields of an ingest whose rows bring fields. */
  readonly fieldsMax?: number
  /** The fields of an entity, which determine the types of fields that rows bring. */
  readonly entityFields?: (entity: string) => readonly EntityField[]
}

/** A slice is validated in about a millisecond; other requests run between slices. */
const sliceRows = 128
const sliceBytes = 128 * 1024
/** A name may be as long as a row, and each rejected row would repeat it. */
const namedMax = 1000
const shortened = (name: string): string => (name.length > namedMax ? `${name.slice(0, namedMax)}...` : name)

function errorOf(row: RejectedRow, ingest: Ingest): CheckError {
  const named = ({ code, field, message }: RowFault): RowFault => {
    return { field: field === null ? null : shortened(field), code, message }
  }
  const further = furtherFaults(row, ingest).map(named)
  return { index: row.position, ...named(row), ...(further.length === 0 ? {} : { further }) }
}

/** Small, because nothing of a check is kept. */
const rememberedStringsMax = 1024
const rememberedBytesMax = 1 << 20

/** Validates rows by the same rules as the pipeline, and keeps nothing of them. */
export class PushCheck {
  readonly #parts: PushCheckParts
  readonly #validator: RowValidator
  readonly #itemValidator: ItemValidator
  readonly #serial = new Serial()

  constructor(parts: PushCheckParts) {
    this.#parts = parts
    const { rowBytes } = parts
    this.#validator = new RowValidator({ rowBytes, rememberedStringsMax, rememberedBytesMax })
    this.#itemValidator = new ItemValidator({ rowBytes })
  }

  /**
   * Returns the expected receipt of these rows. Throws Problem `invalid_json`, `invalid_body` and `too_many_rows` as a push does, and
   * `too_many_requests` if the key has pushed or checked too much.
   */
  async check(request: CheckRequest): Promise<CheckResult> {
    const { intake, rowsMax } = this.#parts
    const { body, format, ingest } = request
    const rows = await checkBodyInSlices(body, format, { rowsMax, name: 'limits.checkRows' })
    intake.requireCheck(request, rows, body.length)
    const entry: PlacedEntry = {
      ...{ ingestId: ingest.id, fieldsVersion: ingest.fieldsVersion, subscriberId: 0, receivedMs: 0 },
      ...{ format, idempotencyKey: null, rows, body, position: 0 },
    }
    // One check at a time: concurrent checks would each run a slice before other requests get their turn.
    const errors = await this.#serial.run(() => this.faults([entry], ingest))
    const hints = isLineFormat(format) ? [] : checkHints(body, format, ingest)
    const result = { rows, stored: rows - errors.length, rejected: errors.length, errors }
    return hints.length === 0 ? result : { ...result, hints }
  }

  #step(
    entries: readonly EntryToValidate[],
    ingest: Ingest,
    from: RowOfEntry,
    budget: StepBudget,
  ): Pick<ValidationResult, 'rejected' | 'reached' | 'makes'> {
    if (ingest.kind === 'metadata') return this.#itemValidator.validate(entries, ingest, from, budget)
    return this.#validator.validate(entries, ingest, from, budget, this.#rules(ingest))
  }

  #rules(ingest: Ingest): OpenRules | null {
    const { fieldsMax = 0, entityFields } = this.#parts
    if (ingest.unknown !== 'add') return null
    return { fieldsMax, standing: new KnownFields(ingest.fields, entityFields?.(ingest.entity) ?? []) }
  }

  /** The rows of entries that would be rejected; each `index` is the row's position. */
  async faults(entries: readonly EntryToValidate[], given: Ingest): Promise<readonly CheckError[]> {
    let ingest = given
    const errors: CheckError[] = []
    let left = entries
    for (let from: RowOfEntry = firstRow; left.length > 0; ) {
      const budget = { rows: sliceRows, bytes: sliceBytes, rejected: sliceRows }
      const { rejected, reached, makes } = this.#step(left, ingest, from, budget)
      for (const row of rejected) errors.push(errorOf(row, ingest))
      left = left.slice(reached.entries)
      // As if the row had added them.
      if (makes !== undefined) ingest = { ...ingest, fields: [...ingest.fields, ...makes] }
      from = reached.place
      if (left.length > 0) await setImmediate()
    }
    return errors
  }
}
