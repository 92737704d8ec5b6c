import type { Range } from '../../../model/plan.ts'
import type { OpenFile } from '../reading/open-file.ts'

/** The approximate number of rows of files within a range, for a share of their series. */
export function rowsWithin(
  { fromMs, toMs }: Range,
  files: readonly OpenFile[],
  shareOf: (file: OpenFile) => number,
): number {
  let rows = 0
  for (const file of files) {
    const { info } = file
    const spanMs = info.lastMs - info.firstMs + 1
    const withinMs = Math.min(toMs, info.lastMs) - Math.max(fromMs, info.firstMs) + 1
    rows += info.rows * (withinMs / spanMs) * shareOf(file)
  }
  return rows
}
