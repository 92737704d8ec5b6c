// Reads the rows of a stored answer, only as far as a client requests them.
import type { Answer } from '../answer/whole-answer.ts'
import { Zone } from '../druid-time/zone.ts'
import { parseWithLongs } from '../lib/json-with-longs.ts'
import { Pacer } from '../lib/pacer.ts'
import type { AvaticaColumn, Cell } from './avatica-protocol.ts'
import { isTime } from './column-types.ts'

export interface CursorRows {
  readonly rows: readonly (readonly Cell[])[]
  readonly done: boolean
}

export interface RowsWanted {
  readonly rowsMax: number | null
  readonly zone?: Zone | undefined
}

export interface BatchLimits {
  readonly rowsMax: number
  /** A batch ends with the row that exceeds it. */
  readonly bytesMax: number
}

const newline = 10
/** How long reading a batch may block the event loop, and a row's units of work for the pacer. */
const sliceMs = 5
const unitsOfRow = 32

/** Reads an NDJSON answer forward, once. */
export class AnswerCursor {
  readonly #answer: Answer
  readonly #columns: readonly AvaticaColumn[]
  readonly #zone: Zone
  readonly #chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array>
  /** Bytes read from the answer but not consumed. */
  #rest: Uint8Array = new Uint8Array(0)
  #left: number

  /** At most `rowsMax` rows. Times are local times in `zone`, encoded as UTC milliseconds, as JDBC expects. */
  constructor(answer: Answer, columns: readonly AvaticaColumn[], { rowsMax, zone = Zone.utc }: RowsWanted) {
    this.#answer = answer
    this.#columns = columns
    this.#zone = zone
    const { chunks } = answer
    this.#chunks = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
    this.#left = Math.min(answer.rows, rowsMax ?? answer.rows)
  }

  get bytes(): number {
    return this.#answer.bytes
  }

  async next({ rowsMax, bytesMax }: BatchLimits, signal: AbortSignal): Promise<CursorRows> {
    const pacer = new Pacer({ sliceMs, signal })
    const rows: (readonly Cell[])[] = []
    for (let bytes = 0; this.#left > 0 && rows.length < rowsMax && bytes < bytesMax; ) {
      const line = await this.#line()
      rows.push(this.#row(line.toString('utf8')))
      bytes += line.length
      this.#left -= 1
      if (pacer.spend(unitsOfRow)) await pacer.rest()
    }
    return { rows, done: this.#left === 0 }
  }

  release(): void {
    this.#answer.release()
  }

  /** The next line. Throws an Error if the answer ends before its last row. */
  async #line(): Promise<Buffer> {
    const parts: Uint8Array[] = []
    for (;;) {
      const end = this.#rest.indexOf(newline)
      if (end >= 0) {
        parts.push(this.#rest.subarray(0, end))
        this.#rest = this.#rest.subarray(end + 1)
        const [only] = parts
        return parts.length === 1 ? Buffer.from(only!.buffer, only!.byteOffset, only!.byteLength) : Buffer.concat(parts)
      }
      // The memory of a chunk is reused, so its unread bytes are copied.
      if (this.#rest.length > 0) parts.push(this.#rest.slice())
      const { done, value } = await this.#chunks.next()
      if (done) throw new Error('an answer ended before its last row')
      this.#rest = value
    }
  }

  #row(line: string): readonly Cell[] {
    const item: Record<string, unknown> = Object(parseWithLongs(line))
    return this.#columns.map((column) => cellOf(item[column.name] ?? null, column, this.#zone))
  }
}

function cellOf(value: unknown, column: AvaticaColumn, zone: Zone): Cell {
  if (value === null) return null
  if (isTime(column)) return zone.toLocal(Date.parse(String(value)))
  switch (column.rep) {
    case 'STRING':
      return typeof value === 'string' ? value : JSON.stringify(value)
    case 'BOOLEAN':
      return value === true
    case 'DOUBLE':
      return Number(value)
    default:
      return typeof value === 'bigint' ? value : Number(value)
  }
}
