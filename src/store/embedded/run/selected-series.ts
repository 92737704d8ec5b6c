import type { Pacer } from '../../../lib/pacer.ts'
import { sortInSlices } from '../../../lib/sort-in-slices.ts'
import { nullCode } from '../../../model/column.ts'
import type { Selection } from '../../../model/plan.ts'
import { GrowableInt32 } from '../head/growable.ts'
import type { TagIndex } from '../registry/series-index.ts'

/** The series that a query looks at, by the order of their values of the selected tag: those of one value are neighbours. */
export interface SelectedSeries {
  readonly series: Int32Array
  /** Where the series of each value begin in `series`, and its length at the end. */
  readonly bounds: Int32Array
}

export async function selectSeries(tag: TagIndex, selection: Selection, pacer: Pacer): Promise<SelectedSeries> {
  const codes = await selectedCodes(tag, selection, pacer)
  const series = new GrowableInt32()
  const bounds = new GrowableInt32()
  const take = (code: number): void => {
    const newest = tag.newestSeries(code)
    if (newest === -1) return
    bounds.push(series.length)
    for (let one = newest; one !== -1; one = tag.seriesBefore(one)) series.push(one)
  }
  if (selection.ids === null && selection.prefixes === null) take(nullCode)
  for (const code of codes) {
    take(code)
    if (pacer.spend(1)) await pacer.rest()
  }
  bounds.push(series.length)
  return { series: series.values.subarray(0, series.length), bounds: bounds.values.subarray(0, bounds.length) }
}

/** The codes that pass the filter, in the order of their strings. */
async function selectedCodes(tag: TagIndex, { ids, prefixes }: Selection, pacer: Pacer): Promise<Int32Array> {
  const { dictionary } = tag
  const { strings } = dictionary
  const begins = (code: number): boolean =>
    prefixes === null || prefixes.some((prefix) => strings[code].startsWith(prefix))
  if (ids !== null) {
    const known = new Set<number>()
    for (const id of ids) {
      const code = dictionary.codeOf(id)
      if (code !== nullCode && begins(code)) known.add(code)
    }
    return sortInSlices(Int32Array.from(known), 0, dictionary.compare, pacer)
  }
  const sorted = await dictionary.sorted(pacer)
  if (prefixes === null) return sorted
  const codes = new GrowableInt32()
  for (const code of sorted) {
    if (begins(code)) codes.push(code)
    if (pacer.spend(prefixes.length)) await pacer.rest()
  }
  return codes.values.subarray(0, codes.length)
}
