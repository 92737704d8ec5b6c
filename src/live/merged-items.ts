// Where newer rows replace older ones, a row is sent as the merged item that it is part of.
import type { CancelSignal } from '../lib/cancellation.ts'
import { type ColumnVector, nullCode, valueAt } from '../model/column.ts'
import type { EntityField } from '../model/entity.ts'
import { outputFields, type SelectPlan } from '../model/plan.ts'
import { timesOf } from '../model/row-batch.ts'
import type { SeriesQuerier } from '../store/series-store.ts'
import type { StoredRows } from './journal-rows.ts'
import type { LiveQuery } from './live-rows.ts'
import { columnOf, type NamedColumns, rowTexts } from './row-texts.ts'

/** Items further apart than this are read separately, so the rows between them are skipped. */
const gapMs = 60_000
/** The limits of a read: none, because there is no caller to report a limit to. */
const unlimited = {
  resultRows: Number.MAX_SAFE_INTEGER,
  buckets: Number.MAX_SAFE_INTEGER,
  resultBytes: Number.MAX_SAFE_INTEGER,
}

/** The current items of rows as JSON, by row. A row is left out if its item has none of the requested metrics, or is no longer stored. */
export async function mergedItems(
  store: Pick<SeriesQuerier, 'run'>,
  { plan, itemTags }: LiveQuery,
  { batch }: StoredRows,
  rows: readonly number[],
  signal: CancelSignal,
): Promise<ReadonlyMap<number, string>> {
  if (itemTags === null || rows.length === 0) return new Map()
  const times = timesOf(batch)
  const shown = outputFields(plan)
  const whole = wholeItems(plan, itemTags)
  const texts = new Map<string, string>()
  for (const together of closeRows(rows, times)) {
    const [fromMs, toMs] = [times[together[0]!]!, times[together.at(-1)!]!]
    const ids = new Set(together.map((row) => tagAt(columnOf(batch, itemTags[0]), row)))
    // A row without the tag cannot be selected by it: all items of its time range are read.
    const named = ids.has(null) ? null : [...ids].filter((id) => id !== null)
    const selection = { ...whole.selection, ids: named }
    const wanted = new Set(together.map((row) => keyOf(batch, itemTags, times[row]!, row)))
    const fields = outputFields(whole)
    for await (const found of store.run({ ...whole, selection, range: { fromMs, toMs } }, unlimited, signal)) {
      const source = { fields, columns: found.columns }
      const [time] = found.columns
      const keys = Array.from({ length: found.rows }, (_, row) =>
        keyOf(source, itemTags, Number(valueAt(time!, row)), row),
      )
      const hits = keys.flatMap((key, row) => (wanted.has(key) ? [row] : []))
      for (const [index, text] of rowTexts(source, hits, shown).entries()) texts.set(keys[hits[index]!]!, text)
    }
  }
  return new Map(
    rows.flatMap((row) => {
      const text = texts.get(keyOf(batch, itemTags, times[row]!, row))
      return text === undefined ? [] : [[row, text] as const]
    }),
  )
}

/** The plan with all tags, which identify items. */
function wholeItems(plan: SelectPlan, itemTags: NonNullable<LiveQuery['itemTags']>): SelectPlan {
  const fields = plan.selection.fields.filter(({ name }) => itemTags.every((tag) => tag.name !== name))
  return { ...plan, selection: { ...plan.selection, tags: itemTags, prefixes: null, fields } }
}

/** Rows sorted by time, grouped so that neighbours in a group are at most `gapMs` apart. */
function closeRows(rows: readonly number[], times: Float64Array): number[][] {
  const together: number[][] = []
  let lastMs = Number.NEGATIVE_INFINITY
  for (const row of [...rows].sort((one, other) => times[one]! - times[other]!)) {
    const ms = times[row]!
    if (ms - lastMs > gapMs) together.push([row])
    else together.at(-1)!.push(row)
    lastMs = ms
  }
  return together
}

function keyOf(source: NamedColumns, tags: readonly EntityField[], ms: number, row: number): string {
  return JSON.stringify([ms, ...tags.map((tag) => tagAt(columnOf(source, tag), row))])
}

function tagAt(column: ColumnVector | null, row: number): string | null {
  if (column?.type !== 'string') return null
  const code = column.codes[row]!
  return code === nullCode ? null : column.dictionary[code]!
}
