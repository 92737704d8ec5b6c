import { earliestMs, latestMs } from '../../model/instant.ts'
import type { LatestPlan, NeighbourPlan, Range, Selection } from '../../model/plan.ts'
import { AnswerRows } from '../answer-rows.ts'
import type { ResultBatch } from '../series-store.ts'
import { type DruidRun, itemColumns, startMs } from './druid-run.ts'
import { itemsAt } from './items-at.ts'
import { type FoundItem, nearestItems } from './nearest-items.ts'
import { rankedItems } from './ranked-items.ts'
import { itemBatches } from './run-select.ts'
import type { TagKey } from './tag-keys.ts'
import type { Direction } from './time-windows.ts'

/** Each tag's newest item. */
export function runLatest({ selection, fromMs }: LatestPlan, run: DruidRun): AsyncGenerator<ResultBatch> {
  return runNearest(selection, { fromMs, toMs: Number.POSITIVE_INFINITY }, 'backwards', 0, run)
}

/** Each tag's item before or after a date, after skipping some. */
export function runNeighbour(plan: NeighbourPlan, run: DruidRun): AsyncGenerator<ResultBatch> {
  const { kind, selection, dateMs, offset } = plan
  const before = { fromMs: Number.NEGATIVE_INFINITY, toMs: dateMs - 1 }
  const after = { fromMs: dateMs + 1, toMs: Number.POSITIVE_INFINITY }
  return kind === 'last'
    ? runNearest(selection, before, 'backwards', offset, run)
    : runNearest(selection, after, 'forwards', offset, run)
}

async function* runNearest(
  selection: Selection,
  { fromMs, toMs }: Range,
  direction: Direction,
  offset: number,
  run: DruidRun,
): AsyncGenerator<ResultBatch> {
  const range = { fromMs: startMs(selection, fromMs), toMs }
  const found = await nearestItems(selection, range, direction, offset, run)
  if (found.size === 0) return
  const rows =
    offset === 0
      ? await readNearest(selection, found, direction, run)
      : await readRanked(selection, found, direction, run)
  yield* itemBatches(rows, selection, run)
}

async function readNearest(
  selection: Selection,
  found: ReadonlyMap<TagKey, FoundItem>,
  direction: Direction,
  run: DruidRun,
): Promise<AnswerRows> {
  const wanted = new Map([...found].map(([tag, { nearestMs }]) => [tag, new Set([nearestMs])] as const))
  const items = await itemsAt(selection, wanted, direction === 'backwards' ? 'newest' : 'oldest', run)
  return answerOf(
    selection,
    items.map(({ row }) => row),
    run,
  )
}

async function readRanked(
  selection: Selection,
  found: ReadonlyMap<TagKey, FoundItem>,
  direction: Direction,
  run: DruidRun,
): Promise<AnswerRows> {
  const windows = new Map<Range, Map<TagKey, FoundItem>>()
  for (const [tag, item] of found) {
    const ofWindow = windows.get(item.window) ?? new Map<TagKey, FoundItem>()
    windows.set(item.window, ofWindow.set(tag, item))
  }
  const rows: (readonly unknown[])[] = []
  for (const [{ fromMs, toMs }, ranks] of windows) {
    const range = { fromMs: Math.max(fromMs, earliestMs), toMs: Math.min(toMs, latestMs) }
    for (const row of await rankedItems(selection, range, direction, ranks, run)) rows.push(row)
  }
  return answerOf(selection, rows, run)
}

function answerOf(selection: Selection, items: readonly (readonly unknown[])[], { limits }: DruidRun): AnswerRows {
  const { fields } = itemColumns(selection)
  const rows = new AnswerRows(
    fields.map(({ type }) => type),
    limits,
  )
  rows.add(items)
  return rows
}
