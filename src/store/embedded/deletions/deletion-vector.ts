// The rows of a sealed file that one deletion hides. As in Delta Lake and Iceberg, the file stays unchanged, and a vector next to it lists its
// deleted rows. Format: docs/formats/deletion-vectors.md.
import { addTo } from '../../../lib/add-to.ts'
import { type RowRanges, union } from './row-ranges.ts'

export interface DeletionVector {
  readonly deletionId: number
  /** The metrics that read as null; null where whole rows are hidden. */
  readonly metrics: readonly string[] | null
  /** By the place of the series in the file. */
  readonly rows: ReadonlyMap<number, RowRanges>
}

/** The rows and values of a series of a file that all deletions together hide. */
export interface HiddenOfSeries {
  readonly rows: RowRanges
  /** By the name of a metric: the rows in which it reads as null. */
  readonly metrics: ReadonlyMap<string, RowRanges>
}

/** By the place of the series in the file. */
export type HiddenRows = ReadonlyMap<number, HiddenOfSeries>

export function hiddenBy(vectors: readonly DeletionVector[]): HiddenRows {
  const found = new Map<number, { rows: RowRanges[]; metrics: Map<string, RowRanges[]> }>()
  for (const { metrics, rows } of vectors) {
    for (const [place, ranges] of rows) {
      const known = found.get(place) ?? { rows: [], metrics: new Map<string, RowRanges[]>() }
      found.set(place, known)
      if (metrics === null) known.rows.push(ranges)
      for (const name of metrics ?? []) {
        addTo(known.metrics, name, ranges)
      }
    }
  }
  const hidden = new Map<number, HiddenOfSeries>()
  for (const [place, { rows, metrics }] of found) {
    const ofMetrics = new Map([...metrics].map(([name, ranges]) => [name, union(ranges)] as const))
    hidden.set(place, { rows: union(rows), metrics: ofMetrics })
  }
  return hidden
}

/** Little-endian 32-bit numbers: for each series its place, the number of its ranges, and the ranges. */
export function encodeRows(rows: DeletionVector['rows']): Uint8Array {
  const numbers: number[] = []
  for (const [place, ranges] of rows) {
    numbers.push(place, ranges.length / 2)
    for (const row of ranges) numbers.push(row)
  }
  return new Uint8Array(Uint32Array.from(numbers).buffer)
}

/** Null for bytes that are not in the format of `encodeRows`. */
export function decodeRows(bytes: Uint8Array): Map<number, RowRanges> | null {
  if (bytes.length % 4 !== 0) return null
  const numbers = new Uint32Array(bytes.slice().buffer)
  const rows = new Map<number, RowRanges>()
  for (let at = 0; at < numbers.length; ) {
    const [place, ranges] = [numbers[at]!, numbers[at + 1]]
    if (ranges === undefined || at + 2 + 2 * ranges > numbers.length) return null
    rows.set(place, numbers.slice(at + 2, at + 2 + 2 * ranges))
    at += 2 + 2 * ranges
  }
  return rows
}
