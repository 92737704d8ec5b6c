import type { Pacer } from '../../lib/pacer.ts'
import type { PlanLimits, Selection } from '../../model/plan.ts'
import { type FieldReader, fieldReader } from './field-reader.ts'
import { ItemTest } from './item-test.ts'
import { type SelectedSeries, selectSeries } from './selected-series.ts'
import type { SeriesSource } from './source.ts'
import type { Table } from './table.ts'

/** What the runs of all plan kinds share. */
export interface PlanRun {
  readonly source: SeriesSource
  readonly selected: SelectedSeries
  readonly tag: FieldReader & { readonly kind: 'tag' }
  readonly fields: readonly FieldReader[]
  readonly metrics: readonly FieldReader[]
  readonly items: ItemTest
  readonly limits: PlanLimits
  readonly pacer: Pacer
}

export async function preparePlan(
  table: Table,
  source: SeriesSource,
  selection: Selection,
  limits: PlanLimits,
  pacer: Pacer,
): Promise<PlanRun> {
  const index = table.learnTag(selection.tag.name)
  const metrics = selection.metrics.map((field) => fieldReader(table, field))
  return {
    source,
    selected: await selectSeries(index, selection, pacer),
    tag: { kind: 'tag', type: 'string', tag: index, dictionary: index.dictionary },
    fields: selection.fields.map((field) => fieldReader(table, field)),
    metrics,
    items: new ItemTest(metrics),
    limits,
    pacer,
  }
}
