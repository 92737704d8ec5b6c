// Cuts the rows of an entity into pushes whose keys name their place, so that a copy that is begun again stores nothing twice. Which
// rows are in a piece depends on the day alone, and not on how they were read.
import { createHash } from 'node:crypto'
import { halvesOf, type PushBatch } from '../../client/push-batch.ts'
import { jsonMembers } from '../../lib/json-members.ts'

/** One push of copied rows. */
export interface Piece extends PushBatch {
  readonly idempotencyKey: string
}

export interface PieceRules {
  /** Names what is copied: the source, the entity, and the dates where they cut through a day. */
  readonly identity: (day: string) => readonly string[]
  readonly timeField: string
  /** What a field is called in pushed rows, by its name. */
  readonly sources: ReadonlyMap<string, string>
  readonly rowsMax: number
  readonly bytesMax: number
}

const lineFeed = Buffer.from('\n')
const dayChars = '2026-01-01'.length

/** A row under the names its ingest takes, with each value as it is written. */
export function renamed(line: Uint8Array, sources: ReadonlyMap<string, string>): Uint8Array {
  const members = jsonMembers(Buffer.from(line).toString())
  return Buffer.from(
    `{${members.map(({ name, value }) => `${JSON.stringify(sources.get(name) ?? name)}:${value}`).join(',')}}`,
  )
}

/** The date and tag that a row begins with. */
function placeOf(line: Uint8Array): string {
  const [time, tag] = jsonMembers(Buffer.from(line).toString())
  return `${time?.value} ${tag?.value}`
}

/** A piece in two, for a target that takes fewer rows at once: their keys name their places as its own does. */
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

  /** Takes a row, and gives the piece that ends before it, if one does. */
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

  /** The rows that wait, as a piece; null where there are none. */
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

  /** Rows of the same date and tag stay together, as pieces may arrive in any order; unless they are far too many. */
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

/** Gathers the rows of all windows into pieces, none over the end of a UTC day. */
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
