import { nullCode } from '../../../model/column.ts'
import type { SealedFile, StoredFile } from '../reading/sealed-source.ts'
import type { EntityRegistry } from '../registry/entity-registry.ts'
import { DamagedFileError } from '../sealed/damaged-file.ts'
import type { DeletionVector } from './deletion-vector.ts'
import { within } from './row-ranges.ts'
import { VisibleFile } from './visible-file.ts'

/** Whether a deletion selected rows of these tags and date. True, too, if a file cannot be read: it may have such rows. */
export function mayHaveSelected(
  files: readonly SealedFile[],
  { series }: EntityRegistry,
  deletionId: number,
  tags: ReadonlyMap<string, string | null>,
  ms: number,
): boolean {
  const number = seriesWith(series, tags)
  if (number === null) return false
  return files.some((file) => {
    if (!(file instanceof VisibleFile) || file.base.info.firstMs > ms || file.base.info.lastMs < ms) return false
    const vector = file.vectors.find((one) => one.deletionId === deletionId)
    if (vector === undefined) return false
    try {
      return hasRows(file.base, vector, number, ms)
    } catch (error) {
      if (error instanceof DamagedFileError) return true
      throw error
    }
  })
}

/** Whether rows that a deletion selected still exist, not counting rows before `sinceMs`. True, too, if a file cannot be read: it may have some. */
export function mayStillExist(files: readonly SealedFile[], deletionId: number, sinceMs: number | null): boolean {
  return files.some((file) => {
    const vector = file instanceof VisibleFile ? file.vectors.find((one) => one.deletionId === deletionId) : undefined
    if (!(file instanceof VisibleFile) || vector === undefined) return false
    const { base } = file
    if (sinceMs === null || base.info.firstMs >= sinceMs) return true
    try {
      return base.info.lastMs >= sinceMs && hasRowsSince(base, vector, sinceMs)
    } catch (error) {
      if (error instanceof DamagedFileError) return true
      throw error
    }
  })
}

function hasRowsSince(file: StoredFile, vector: DeletionVector, sinceMs: number): boolean {
  const pages = file.open([], 'cached')
  for (const [place, rows] of vector.rows) {
    if (pages.lastMs(place) < sinceMs) continue
    const [start, end] = pages.rowsWithin(place, sinceMs, Number.POSITIVE_INFINITY)
    if (within(rows, start, end).next().done !== true) return true
  }
  return false
}

function hasRows(file: StoredFile, { rows }: DeletionVector, series: number, ms: number): boolean {
  const pages = file.open([], 'cached')
  const place = pages.find(series)
  const ranges = place === -1 ? undefined : rows.get(place)
  if (ranges === undefined) return false
  const [start, end] = pages.rowsWithin(place, ms, ms)
  return within(ranges, start, end).next().done !== true
}

/** The series with these tags; null if there is none. Its tags that are not listed must be null. */
function seriesWith(series: EntityRegistry['series'], tags: ReadonlyMap<string, string | null>): number | null {
  const [first] = series.tags
  if (first === undefined) return null
  const value = tags.get(first.name) ?? null
  const code = value === null ? nullCode : first.dictionary.codeOf(value)
  if (value !== null && code === nullCode) return null
  const isIt = (number: number): boolean =>
    series.valuesOf(number).every((own, index) => own === (tags.get(series.tags[index]!.name) ?? null))
  for (let number = first.newestSeries(code); number !== -1; number = first.seriesBefore(number)) {
    if (isIt(number)) return number
  }
  return null
}
