import type { QuarantineCatalog } from '../../catalog/quarantine.ts'
import type { RejectedCatalog } from '../../catalog/rejected.ts'
import type { Ingest } from '../../model/ingest.ts'
import type { RejectCode, RowFault } from '../../model/row-fault.ts'
import type { Repair, UnusedName } from '../../model/row-mapping.ts'
import type { PushCheck } from '../push-check.ts'
import type { EntryToValidate } from '../row-validator.ts'
import { mendRow } from './mend-row.ts'
import { type Overwritten, OverwrittenValues } from './overwritten-values.ts'
import { QuarantinedTexts } from './quarantined-texts.ts'
import type { RowText } from './replayed-rows.ts'
import { textAgain } from './replayed-text.ts'
import { UnusedNames } from './unused-names.ts'

/** A row before and after mending. `code` is null if it would be stored. */
interface PreviewedRow {
  readonly id: string
  readonly before: string
  readonly after: string
  readonly code: RejectCode | null
  readonly field: string | null
  readonly message: string | null
}

export interface Preview {
  readonly rows: number
  readonly stored: number
  readonly rejected: number
  readonly more: boolean
  readonly overwritten: Overwritten[]
  readonly unused: UnusedName[]
  readonly Items: PreviewedRow[]
}

export interface ReplayPreviewParts {
  readonly rejected: Pick<RejectedCatalog, 'list'>
  readonly quarantine: Pick<QuarantineCatalog, 'list' | 'bodyPart'>
  readonly check: Pick<PushCheck, 'faults'>
  /** The most rows that are validated, and the most that are listed. */
  readonly rowsMax: number
  readonly shownMax: number
}

/** About the most bytes of the rows of a preview. */
const bytesMax = 1024 * 1024

/** Placeholder for a row that cannot be validated; it is rejected too. */
const noRow = Buffer.from('0')

interface RowAgain {
  readonly position: number
  readonly before: Uint8Array
  readonly after: RowText
  /** Why it cannot be validated. */
  readonly fault?: RowFault
}

export class ReplayPreview {
  readonly #parts: ReplayPreviewParts

  constructor(parts: ReplayPreviewParts) {
    this.#parts = parts
  }

  /** The effect of a replay on the first page of rows. Nothing is changed. */
  async preview(ingest: Ingest, positions: readonly number[] | null, repair: Repair): Promise<Preview> {
    const { rejected, quarantine, check, rowsMax, shownMax } = this.#parts
    const sorted = [...new Set(positions)].sort((one, other) => one - other)
    const chosen = positions === null ? undefined : sorted.slice(0, rowsMax)
    const limits = { limit: rowsMax, bytesMax }
    const page = await rejected.list(ingest.id, { positions: chosen, afterPosition: -1, ...limits })
    const { mapping } = repair
    const texts = new QuarantinedTexts(quarantine)
    const target = repair.into ?? ingest
    const rows: RowAgain[] = []
    const unused = mapping === undefined ? undefined : new UnusedNames(mapping)
    const overwritten = mapping === undefined ? undefined : new OverwrittenValues(mapping, target)
    const mended = (id: number, row: RowText): RowText => {
      if (mapping === undefined) return row
      const after = mendRow(row, mapping, unused)
      overwritten?.add(String(id), row, after)
      return after
    }
    for (const one of page.rows) {
      const row = await texts.rowOf(one)
      if (row === null) continue
      const again = textAgain(one, row.text, target)
      const common = { position: row.position, before: row.text }
      if ('fault' in again) rows.push({ ...common, after: row, fault: again.fault })
      else rows.push({ ...common, after: mended(row.position, again) })
    }
    const pushed = { ingestId: target.id, fieldsVersion: target.fieldsVersion, subscriberId: 0, receivedMs: 0 }
    const entries = rows.map(({ after, fault }, position): EntryToValidate => {
      const { text, longs = [] } = fault === undefined ? after : { text: noRow }
      return { ...pushed, format: 'ndjson', idempotencyKey: null, rows: 1, position, body: text, longs }
    })
    const faults = new Map((await check.faults(entries, target)).map((fault) => [fault.index, fault]))
    const Items = rows.slice(0, shownMax).map(({ position, before, after, fault }, index): PreviewedRow => {
      const { code = null, field = null, message = null } = fault ?? faults.get(index) ?? {}
      return { id: String(position), before: textOf(before), after: textOf(after.text), code, field, message }
    })
    const more = page.after !== null || (chosen !== undefined && sorted.length > chosen.length)
    const counts = { rows: rows.length, stored: rows.length - faults.size, rejected: faults.size, more }
    return { ...counts, overwritten: [...(overwritten?.list() ?? [])], unused: [...(unused?.list() ?? [])], Items }
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
}
