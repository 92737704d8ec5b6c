import type { Pacer } from '../../../lib/pacer.ts'
import type { RowSlice } from '../head/chunk.ts'
import type { SealedFile, SealedFileInfo, SealedPages } from './sealed-source.ts'

/** A file as one run reads it: opened when the run first needs it. */
export class OpenFile {
  readonly info: SealedFileInfo
  readonly #file: SealedFile
  readonly #columns: readonly number[]
  readonly #pass: 'cached' | 'once'
  #reader: SealedPages | null = null

  constructor(file: SealedFile, columns: readonly number[], pass: 'cached' | 'once') {
    this.info = file.info
    this.#file = file
    this.#columns = columns
    this.#pass = pass
  }

  get reader(): SealedPages {
    this.#reader ??= this.#file.open(this.#columns, this.#pass)
    return this.#reader
  }

  /** Reads ahead only for a file that is read once; with the cache there is little to wait for. */
  prepare(series: number, pacer: Pacer): Promise<void> | null {
    if (this.#pass === 'cached') return null
    const place = this.reader.find(series)
    return place === -1 ? null : this.reader.prepare(place, pacer)
  }

  /** The rows of a series, newest first. When the file stores the newest row separately, no page is read until more rows are taken. */
  *backward(place: number, fromMs: number, toMs: number): Generator<RowSlice> {
    const { reader } = this
    const lastMs = reader.lastMs(place)
    const tail = lastMs <= toMs && lastMs >= fromMs ? reader.tail(place) : null
    if (tail === null) {
      yield* reader.backward(place, fromMs, toMs)
      return
    }
    yield tail
    let isNewest = true
    for (const slice of reader.backward(place, fromMs, toMs)) {
      if (!isNewest) yield slice
      else if (slice.end - slice.start > 1) yield { ...slice, end: slice.end - 1 }
      isNewest = false
    }
  }
}
