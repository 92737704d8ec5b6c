// Divides the rows of an entity into pushes with deterministic keys, so that a copy that is restarted stores nothing twice. The rows of a piece depend
// only on the day, and not on how they were read.
import { createHash } from 'node:crypto'
import { halvesOf, type PushBatch } from '../../client/push-batch.ts'
import { jsonMembers } from '../../lib/json-members.ts'

/** One push of copied rows. */
export interface Piece extends PushBatch {
  readonly idempotencyKey: string
}

export interface PieceRules {
  /** Identifies what is copied: the source, the entity, and the dates where they cut through a day. */
  readonly identity: (day: string) => readonly string[]
  readonly timeField: string
  /** The name of each field in pushed rows, by field name. */
  readonly sources: ReadonlyMap<string, string>
  readonly rowsMax: number
  readonly bytesMax: number
}

const lineFeed = Buffer.from('\n')
const dayChars = '2026-01-01'.length

/** A row with the member names of its ingest, and each value as written. */
export function renamed(line: Uint8Array, sources: ReadonlyMap<string, string>): Uint8Array {
  const members = jsonMembers(Buffer.from(line).toString())
  return Buffer.from(
    `{${members.map(({ name, value }) => `${JSON.stringify(sources.get(name) ?? name)}:${value}`).join(',')}}`,
  )
}

/** The date and tag at the start of a row. */
function placeOf(line: Uint8Array): string {
  const [time, tag] = jsonMembers(Buffer.from(line).toString())
  return `${time?.value} ${tag?.value}`
}

/** Splits a piece in two, for a target that accepts fewer rows at once. Their keys are derived from the piece's key. */
export function halvesOfPiece(piece: Piece): readonly Piece[] {
  return halvesOf(piece, 'ndjson').map((half, index) => ({
    ...half,
    idempotencyKey: `${piece.idempotencyKey}.${index}`,
  }))
}

class Cutter {
  readonly #rules: PieceRules
  readonly #opening: string
  readonly #renames: boolean
  #lines: Uint8Array[] = []
  #bytes = 0
  #last: Uint8Array | null = null
  #day = ''
  #number = 0
  #seen = 0

  constructor(rules: PieceRules) {
    this.#rules = rules
    this.#opening = `{${JSON.stringify(rules.timeField)}:"`
    this.#renames = [...rules.sources].some(([name, source]) => name !== source)
  }

  /** Adds a row; returns the piece that ends before it, if one does. */
  add(line: Uint8Array): Piece | null {
    const day = this.#dayOf(line)
    const piece = this.#lines.length > 0 && (day !== this.#day || this.#isFull(line)) ? this.take() : null
    if (day !== this.#day) {
      this.#day = day
      this.#number = 0
    }
    const row = this.#renames ? renamed(line, this.#rules.sources) : line
    this.#lines.push(row)
    this.#bytes += row.length + 1
    this.#last = line
    this.#seen++
    return piece
  }

  /** The buffered rows as a piece; null if there are none. */
  take(): Piece | null {
    if (this.#lines.length === 0) return null
    const rows = this.#lines.length
    const texts = this.#lines
    const body = Buffer.concat(texts.flatMap((line) => [line, lineFeed]))
    const name = JSON.stringify([...this.#rules.identity(this.#day), this.#day, this.#number++])
    const idempotencyKey = `copy-${createHash('sha256').update(name).digest('base64url')}`
    this.#lines = []
    this.#bytes = 0
    return { firstRow: this.#seen - rows + 1, rows, body, texts, idempotencyKey }
  }

  /** Rows of the same date and tag stay in one piece, because pieces may arrive in any order, unless there are far too many. */
  #isFull(line: Uint8Array): boolean {
    const { rowsMax, bytesMax } = this.#rules
    const bytes = this.#bytes + line.length
    if (this.#lines.length < rowsMax && bytes <= bytesMax) return false
    if (this.#last === null || bytes > 2 * bytesMax) return true
    return placeOf(this.#last) !== placeOf(line)
  }

  #dayOf(line: Uint8Array): string {
    const text = Buffer.from(line.buffer, line.byteOffset, line.length)
    const at = Buffer.byteLength(this.#opening)
    if (text.toString('utf8', 0, at) !== this.#opening)
      throw new Error('a row of the source does not begin with its date')
    return text.toString('latin1', at, at + dayChars)
  }
}

/** Gathers the rows of all windows into pieces; no piece crosses the end of a UTC day. */
export async function* copyPiecesOf(
  windows: AsyncIterable<readonly Uint8Array[]>,
  rules: PieceRules,
): AsyncGenerator<Piece> {
  const cutter = new Cutter(rules)
  for await (const lines of windows) {
    for (const line of lines) {
      const piece = cutter.add(line)
      if (piece !== null) yield piece
    }
  }
  const last = cutter.take()
  if (last !== null) yield last
}
