import type { UnplacedRecord } from '../record.ts'
import type { SeparateRecord } from './record-apart.ts'

export interface PendingAppend {
  readonly record: UnplacedRecord
  readonly rows: number
  readonly resolve: (position: number) => void
  readonly reject: (error: Error) => void
  /** Set for a large record: it is on disk, and has no position yet. */
  apart: SeparateRecord | null
}

/** Appends that wait for their turn, in order. */
export class AppendQueue {
  readonly #appends: PendingAppend[] = []

  get first(): PendingAppend | undefined {
    return this.#appends[0]
  }

  add(append: PendingAppend): void {
    this.#appends.push(append)
  }

  /** Takes the appends of the next write: at least one, and as many more as fit. A record that was written apart is taken alone. */
  take(bytesMax: number): PendingAppend[] {
    let bytes = 0
    let count = 0
    for (const { record, apart } of this.#appends) {
      bytes += record.bytes
      if (count > 0 && (bytes > bytesMax || apart !== null)) break
      count++
      if (apart !== null) break
    }
    return this.#appends.splice(0, count)
  }

  takeAll(): PendingAppend[] {
    return this.#appends.splice(0)
  }
}
