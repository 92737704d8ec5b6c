import { compareCodePoints } from '../../../lib/compare-code-points.ts'
import { nullCode } from '../../../model/column.ts'
import type { TagPage, TagRequest } from '../../series-store.ts'
import type { PlanRun } from './plan-run.ts'
import { newestItem } from './run-latest.ts'

/**
 * The tags that have an item, sorted by code point. Sealed files store the newest row of each series separately, so a page is read only if
 * that row is not an item.
 */
export async function runTags({ after, limit, bytesMax }: TagRequest, run: PlanRun): Promise<TagPage> {
  const { bounds } = run.selected
  const tags: string[] = []
  let bytes = 0
  for (let group = firstGroup(run, after); group + 1 < bounds.length; group++) {
    const tag = tagOf(run, group)
    if (tag === null || !(await hasItem(run, group))) continue
    bytes += Buffer.byteLength(tag)
    if (tags.length === limit || (bytes > bytesMax && tags.length > 0)) return { tags, more: true }
    tags.push(tag)
  }
  return { tags, more: false }
}

/** The first group of series whose tag sorts after a value. */
function firstGroup(run: PlanRun, after: string | null): number {
  if (after === null) return 0
  let [low, high] = [0, run.selected.bounds.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    const tag = tagOf(run, middle)
    if (tag === null || compareCodePoints(tag, after) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

/** The tag that all series of a group share. */
function tagOf({ selected, tag }: PlanRun, group: number): string | null {
  const code = tag.tag.codes.values[selected.series[selected.bounds[group]]]
  return code === nullCode ? null : tag.dictionary.strings[code]
}

async function hasItem(run: PlanRun, group: number): Promise<boolean> {
  const { series, bounds } = run.selected
  for (let index = bounds[group]; index < bounds[group + 1]; index++) {
    const item = await newestItem(series[index], Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, run)
    if (run.pacer.spend(4)) await run.pacer.rest()
    if (item !== null) return true
  }
  return false
}
