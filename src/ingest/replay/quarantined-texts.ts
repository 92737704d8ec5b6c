import type { QuarantineCatalog, QuarantinedEntry } from '../../catalog/quarantine.ts'
import type { RejectedRow } from '../../catalog/rejected.ts'
import type { PlacedEntry } from '../../journal/journal.ts'
import { rowCursor, skipRows } from '../scan/row-cursor.ts'
import { firstRow, type RowOfEntry } from '../step-budget.ts'
import type { ReplayedRow } from './replayed-rows.ts'

/** About how many bytes of a body are read before other work gets its turn. */
const sliceBytes = 1024 * 1024

interface OpenBody {
  readonly entry: Pick<QuarantinedEntry, 'position' | 'rows'>
  readonly placed: Pick<PlacedEntry, 'body' | 'format'>
  place: RowOfEntry
}

/** Texts of rejected rows. Rows of a quarantined entry may be kept without text; theirs is read from the entry's body while that is kept. */
export class QuarantinedTexts {
  readonly #quarantine: Pick<QuarantineCatalog, 'list' | 'bodyPart'>
  /** The last body read: rows come in order. */
  #open: OpenBody | null = null

  constructor(quarantine: Pick<QuarantineCatalog, 'list' | 'bodyPart'>) {
    this.#quarantine = quarantine
  }

  /** Null if the text is no longer kept. */
  async rowOf({ position, row, code }: RejectedRow): Promise<ReplayedRow | null> {
    if (row !== '') return { position, text: Buffer.from(row) }
    const body = code === 'not_validated' ? await this.#bodyOf(position) : null
    return body === null ? null : { position, text: await textAt(body, position - body.entry.position) }
  }

  async #bodyOf(position: number): Promise<OpenBody | null> {
    if (this.#open !== null && isWithin(this.#open.entry, position)) return this.#open
    this.#open = null
    const entry = (await this.#quarantine.list()).find((one) => isWithin(one, position))
    if (entry === undefined || entry.isReleased || entry.format === 'replay') return null
    const body = await this.#body(entry)
    if (body === null) return null
    this.#open = { entry, placed: { format: entry.format, body }, place: firstRow }
    return this.#open
  }

  /** Null if the entry is released meanwhile. */
  async #body({ position, bodyBytes }: QuarantinedEntry): Promise<Buffer | null> {
    const parts: Uint8Array[] = []
    let bytes = 0
    while (bytes < bodyBytes) {
      const part = await this.#quarantine.bodyPart(position, parts.length)
      if (part === null) return null
      parts.push(part)
      bytes += part.length
    }
    return Buffer.concat(parts)
  }
}

function isWithin({ position: first, rows }: Pick<QuarantinedEntry, 'position' | 'rows'>, position: number): boolean {
  return first <= position && position < first + rows
}

async function textAt(open: OpenBody, index: number): Promise<Buffer> {
  if (open.place.index > index) open.place = firstRow
  while (open.place.index < index) {
    open.place = skipRows(open.placed, open.place, index, sliceBytes)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return Buffer.from(rowCursor(open.placed, open.place).text())
}
