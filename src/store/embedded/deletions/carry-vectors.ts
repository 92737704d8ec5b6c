// Carries deletions over to files that replace others. A row is found again by its position, which is unique. The condition that selected it
// is not evaluated again, since the new file may lack the data that it depended on.
import { addTo } from '../../../lib/add-to.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import type { StoredFile, StoredPages } from '../reading/sealed-source.ts'
import type { DeletionVector } from './deletion-vector.ts'
import { pairs, RangesBuilder, type RowRanges } from './row-ranges.ts'
import type { VisibleFile } from './visible-file.ts'

/** The vectors of the new files, by file; files without vectors are left out. */
export async function carryVectors(
  from: readonly VisibleFile[],
  to: readonly StoredFile[],
  isKept: (vector: DeletionVector) => boolean,
  pacer: Pacer,
): Promise<ReadonlyMap<StoredFile, readonly DeletionVector[]>> {
  const old = from.flatMap(({ base, vectors }) =>
    vectors.filter(isKept).map((vector) => ({ vector, pages: base.open([], 'cached') })),
  )
  const selected = new Map<number, Selected[]>()
  for (const { vector, pages } of old) {
    for (const [place, rows] of vector.rows) {
      const series = pages.seriesAt(place)
      addTo(selected, series, { vector, pages, place, rows })
    }
    await pacer.rest()
  }
  const carried = new Map<StoredFile, Map<number, DeletionVector & { readonly rows: Map<number, RowRanges> }>>()
  for (const [series, ofSeries] of selected) {
    const positions = await positionsOf(ofSeries, pacer)
    for (const file of to) {
      const pages = file.open([], 'cached')
      const place = pages.find(series)
      if (place === -1) continue
      for (const [deletionId, ranges] of await rangesAt(pages, place, positions, pacer)) {
        const ofFile =
          carried.get(file) ?? new Map<number, DeletionVector & { readonly rows: Map<number, RowRanges> }>()
        const { metrics } = ofSeries.find(({ vector }) => vector.deletionId === deletionId)!.vector
        const vector = ofFile.get(deletionId) ?? { deletionId, metrics, rows: new Map<number, RowRanges>() }
        vector.rows.set(place, ranges)
        carried.set(file, ofFile.set(deletionId, vector))
      }
    }
  }
  return new Map([...carried].map(([file, vectors]) => [file, [...vectors.values()]]))
}

interface Selected {
  readonly vector: DeletionVector
  readonly pages: StoredPages
  readonly place: number
  readonly rows: RowRanges
}

/** The positions of the selected rows, by deletion. */
async function positionsOf(selected: readonly Selected[], pacer: Pacer): Promise<ReadonlyMap<number, Set<number>>> {
  const positions = new Map<number, Set<number>>()
  for (const { vector, pages, place, rows } of selected) {
    const known = positions.get(vector.deletionId) ?? new Set<number>()
    positions.set(vector.deletionId, known)
    for (const [from, until] of pairs(rows)) {
      for (const { chunk, start, end } of pages.rowsAt(place, from, until)) {
        for (let row = start; row < end; row++) known.add(chunk.positions[row]!)
        if (pacer.spend(end - start)) await pacer.rest()
      }
    }
  }
  return positions
}

async function rangesAt(
  pages: StoredPages,
  place: number,
  positions: ReadonlyMap<number, ReadonlySet<number>>,
  pacer: Pacer,
): Promise<ReadonlyMap<number, RowRanges>> {
  const builders = [...positions].map(([deletionId, rows]) => ({ deletionId, rows, builder: new RangesBuilder() }))
  let next = 0
  for (const { chunk, start, end } of pages.rowsAt(place, 0, pages.rows(place))) {
    for (let row = start; row < end; row++, next++) {
      const position = chunk.positions[row]!
      for (const { rows, builder } of builders) if (rows.has(position)) builder.add(next, next + 1)
    }
    if (pacer.spend((end - start) * builders.length)) await pacer.rest()
  }
  const found = builders.filter(({ builder }) => builder.length > 0)
  return new Map(found.map(({ deletionId, builder }) => [deletionId, builder.ranges]))
}
