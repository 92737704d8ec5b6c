import { forEachChunk } from '../../../lib/for-each-chunk.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import { sortInSlices } from '../../../lib/sort-in-slices.ts'
import { nullCode } from '../../../model/column.ts'
import type { Selection } from '../../../model/plan.ts'
import type { Dictionary } from '../head/dictionary.ts'
import { GrowableInt32 } from '../head/growable.ts'
import { compareByTags, type SeriesIndex, type TagIndex } from '../registry/series-index.ts'
import { PrefixRanges } from './prefix-ranges.ts'

/** The series that a query reads, sorted by their values of the selected tags: series of one combination are neighbours. */
export interface SelectedSeries {
  readonly series: Int32Array
  /** The start of each combination in `series`, and the length of `series` at the end. */
  readonly bounds: Int32Array
}

/** Values or series that are processed between two calls of the pacer. */
const takenAtOnce = 1024
/** A selection of fewer than one series in this many is sorted separately, without an order of all series. */
const orderedPart = 16

/** The series whose `tag` passes the filter, distinguished by `tags`. These are tags of the index; `tag` need not be among them. */
export async function selectSeries(
  index: SeriesIndex,
  tag: TagIndex,
  tags: readonly TagIndex[],
  selection: Pick<Selection, 'ids' | 'prefixes'>,
  pacer: Pacer,
): Promise<SelectedSeries> {
  const selected = await selectByTag(tag, selection, pacer)
  const isByOne = tags.every((one) => one === tag)
  return isByOne ? selected : distinguish(index, tags, selected.series, pacer)
}

/** Sorts the series by several tags. */
async function distinguish(
  index: SeriesIndex,
  tags: readonly TagIndex[],
  selected: Int32Array,
  pacer: Pacer,
): Promise<SelectedSeries> {
  const compare = compareByTags(tags)
  const series =
    selected.length * orderedPart < index.count
      ? await sortInSlices(selected, 0, compare, pacer)
      : await keepOnly(selected, await index.inOrderOf(tags, pacer), index.count, pacer)
  const bounds = new GrowableInt32(series.length + 1)
  const codes = tags.map((tag) => tag.codes.values)
  await forEachChunk(0, series.length, pacer, (start, end) => {
    for (let place = start; place < end; place++) {
      if (place === 0 || !codes.every((ofTag) => ofTag[series[place]] === ofTag[series[place - 1]])) bounds.push(place)
    }
  })
  bounds.push(series.length)
  return { series, bounds: bounds.values.subarray(0, bounds.length) }
}

/** The selected series in the order of `all`. */
async function keepOnly(selected: Int32Array, all: Int32Array, count: number, pacer: Pacer): Promise<Int32Array> {
  const isSelected = new Uint8Array(count)
  await forEachChunk(0, selected.length, pacer, (start, end) => {
    for (let place = start; place < end; place++) isSelected[selected[place]] = 1
  })
  const kept = new Int32Array(selected.length)
  let length = 0
  await forEachChunk(0, all.length, pacer, (start, end) => {
    for (let place = start; place < end; place++) if (isSelected[all[place]] === 1) kept[length++] = all[place]
  })
  return kept.subarray(0, length)
}

async function selectByTag(
  tag: TagIndex,
  selection: Pick<Selection, 'ids' | 'prefixes'>,
  pacer: Pacer,
): Promise<SelectedSeries> {
  const codes = await selectedCodes(tag, selection, pacer)
  const series = new GrowableInt32()
  const bounds = new GrowableInt32()
  const isOfAll = selection.ids === null && selection.prefixes === null
  let before = nullCode
  let taken = 0
  for (let place = isOfAll ? -1 : 0; place < codes.length; place++) {
    const code = place === -1 ? nullCode : codes[place]
    // Codes are sorted, so a value that is requested twice comes twice in a row.
    const newest = code === before && place >= 0 ? -1 : tag.newestSeries(code)
    before = code
    if (newest !== -1) bounds.push(series.length)
    for (let one = newest; one !== -1; one = tag.seriesBefore(one)) {
      series.push(one)
      if (++taken % takenAtOnce === 0 && pacer.spend(takenAtOnce)) await pacer.rest()
    }
    if (++taken % takenAtOnce === 0 && pacer.spend(takenAtOnce)) await pacer.rest()
  }
  bounds.push(series.length)
  return { series: series.values.subarray(0, series.length), bounds: bounds.values.subarray(0, bounds.length) }
}

/** The codes that pass the filter, in the order of their strings. */
async function selectedCodes(
  { dictionary }: TagIndex,
  { ids, prefixes }: Pick<Selection, 'ids' | 'prefixes'>,
  pacer: Pacer,
): Promise<Int32Array> {
  if (ids === null) {
    const sorted = await dictionary.sorted(pacer)
    return prefixes === null ? sorted : (await PrefixRanges.of(prefixes, dictionary, sorted, pacer)).codes(pacer)
  }
  const codes = await sortInSlices(await codesOf(ids, dictionary, pacer), 0, dictionary.compare, pacer)
  if (prefixes === null) return codes
  return (await PrefixRanges.of(prefixes, dictionary, codes, pacer)).codes(pacer)
}

/** The codes of the values that are known. */
async function codesOf(ids: readonly string[], dictionary: Dictionary, pacer: Pacer): Promise<Int32Array> {
  const codes = new GrowableInt32()
  for (let place = 0; place < ids.length; place++) {
    const code = dictionary.codeOf(ids[place])
    if (code !== nullCode) codes.push(code)
    if ((place + 1) % takenAtOnce === 0 && pacer.spend(takenAtOnce)) await pacer.rest()
  }
  return codes.values.subarray(0, codes.length)
}
