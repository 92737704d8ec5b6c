import type { RejectedCatalog } from '../../catalog/rejected.ts'
import type { SetAsideCatalog } from '../../catalog/set-aside.ts'
import type { Ingest } from '../../model/ingest.ts'
import type { RejectCode } from '../../model/row-fault.ts'
import type { Repair } from '../../model/row-mapping.ts'
import type { PushCheck } from '../push-check.ts'
import { AsideTexts } from './aside-texts.ts'
import { mendRow } from './mend-row.ts'

/** A row as it is and as it would be judged; without a code it would be stored. */
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
  readonly Items: PreviewedRow[]
}

export interface ReplayPreviewParts {
  readonly rejected: Pick<RejectedCatalog, 'list'>
  readonly setAside: Pick<SetAsideCatalog, 'list' | 'bodyPart'>
  readonly check: Pick<PushCheck, 'faults'>
  /** The most rows that are judged, and shown one by one. */
  readonly rowsMax: number
  readonly shownMax: number
}

/** The rows of a preview have so many bytes, about. */
const bytesMax = 1024 * 1024

const openArray = Buffer.from('[')
const between = Buffer.from(',')
const closeArray = Buffer.from(']')

export class ReplayPreview {
  readonly #parts: ReplayPreviewParts

  constructor(parts: ReplayPreviewParts) {
    this.#parts = parts
  }

  /** What a replay would do to the first rows, as far as a page of them goes. Nothing is changed. */
  async preview(ingest: Ingest, positions: readonly number[] | null, repair: Repair): Promise<Preview> {
    const { rejected, setAside, check, rowsMax, shownMax } = this.#parts
    const sorted = [...new Set(positions)].sort((one, other) => one - other)
    const chosen = positions === null ? undefined : sorted.slice(0, rowsMax)
    const limits = { limit: rowsMax, bytesMax }
    const page = await rejected.list(ingest.id, { positions: chosen, afterPosition: -1, ...limits })
    const { mapping } = repair
    const mended = (text: Uint8Array): Uint8Array => (mapping === undefined ? text : mendRow(text, mapping))
    const texts = new AsideTexts(setAside)
    const rows: { readonly position: number; readonly before: Uint8Array; readonly after: Uint8Array }[] = []
    for (const one of page.rows) {
      const row = await texts.rowOf(one)
      if (row !== null) rows.push({ position: row.position, before: row.text, after: mended(row.text) })
    }
    const target = repair.into ?? ingest
    const parts = rows.flatMap(({ after }, index) => [index === 0 ? openArray : between, after])
    const body = Buffer.concat(rows.length === 0 ? [openArray, closeArray] : [...parts, closeArray])
    const entry = { ingestId: target.id, fieldsVersion: target.fieldsVersion, subscriberId: 0, receivedMs: 0 }
    const whole = { ...entry, format: 'json', idempotencyKey: null, rows: rows.length, position: 0, body } as const
    const faults = new Map((await check.faults(whole, target)).map((fault) => [fault.index, fault]))
    const Items = rows.slice(0, shownMax).map(({ position, before, after }, index): PreviewedRow => {
      const { code = null, field = null, message = null } = faults.get(index) ?? {}
      return { id: String(position), before: textOf(before), after: textOf(after), code, field, message }
    })
    const more = page.after !== null || (chosen !== undefined && sorted.length > chosen.length)
    return { rows: rows.length, stored: rows.length - faults.size, rejected: faults.size, more, Items }
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
}
