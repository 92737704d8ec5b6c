import type { Selection, SelectPlan } from '../../model/plan.ts'
import { AnswerRows } from '../answer-rows.ts'
import type { ResultBatch } from '../series-store.ts'
import { type DruidRun, itemColumns, startMs } from './druid-run.ts'
import { items } from './selected-items.ts'

/** Each item in the range. Druid can only sort by time, so the items are sorted here. */
export async function* runSelect({ selection, range }: SelectPlan, run: DruidRun): AsyncGenerator<ResultBatch> {
  const { fields } = itemColumns(selection)
  const ranges = [{ fromMs: startMs(selection, range.fromMs), toMs: range.toMs }]
  const limit = run.limits.resultRows + 1
  const rows = new AnswerRows(
    fields.map(({ type }) => type),
    run.limits,
  )
  for await (const part of items({ selection, ranges, filter: null, limit }, run)) rows.add(part)
  yield* itemBatches(rows, selection, run)
}

/** Items in order of time, tags, fields and position; the position itself is not returned. */
export async function* itemBatches(
  rows: AnswerRows,
  selection: Selection,
  { pacer }: DruidRun,
): AsyncGenerator<ResultBatch> {
  const columns = itemColumns(selection).fields.length
  const keys = Array.from({ length: 1 + selection.tags.length + selection.fields.length }, (_, index) => index)
  const places = await rows.inOrderOf([...keys, columns - 1], pacer)
  yield* rows.batches(places, columns - 1, pacer)
}
