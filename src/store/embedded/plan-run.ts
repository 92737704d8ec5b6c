import type { Pacer } from '../../lib/pacer.ts'
import type { EntityField } from '../../model/entity.ts'
import type { PlanLimits, Selection } from '../../model/plan.ts'
import type { Dictionary } from './dictionary.ts'
import type { EntityRegistry } from './entity-registry.ts'
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
  registry: EntityRegistry,
  table: Table,
  source: SeriesSource,
  selection: Selection,
  limits: PlanLimits,
  pacer: Pacer,
): Promise<PlanRun> {
  const index = registry.series.tagOrNulls(selection.tag.name)
  const dictionaryOf = (column: number): Dictionary => table.dictionary(column)
  const readerOf = (field: EntityField): FieldReader => fieldReader(registry, field, dictionaryOf)
  const metrics = selection.metrics.map(readerOf)
  return {
    source,
    selected: await selectSeries(index, selection, pacer),
    tag: { kind: 'tag', type: 'string', tag: index, dictionary: index.dictionary },
    fields: selection.fields.map(readerOf),
    metrics,
    items: new ItemTest(metrics),
    limits,
    pacer,
  }
}
