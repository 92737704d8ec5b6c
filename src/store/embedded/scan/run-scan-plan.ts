import { fieldsOf } from '../../../algebra/scalar.ts'
import type { ScannedRow, ScanPlan } from '../../../algebra/scan-plan.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import type { EntityField } from '../../../model/entity.ts'
import { requireRows } from '../../hours/needed-rows.ts'
import { AnotherWay } from '../aggregate/another-way.ts'
import { noLimits, selectionOf } from '../aggregate/run-aggregation.ts'
import { type EntitySnapshot, preparePlan } from '../run/plan-run.ts'
import type { RunMemory } from '../run/run-memory.ts'
import { collectRows } from './collect-rows.ts'

/** The rows of a scan in their order; null where newer rows replace older ones, or there is more to do than the plan allows. */
export async function runScanPlan(
  plan: ScanPlan,
  snapshot: EntitySnapshot,
  pacer: Pacer,
  memory: RunMemory,
): Promise<readonly ScannedRow[] | null> {
  const used = usedFields(plan)
  const run = await preparePlan(snapshot, selectionOf(plan, used), noLimits, pacer, memory)
  for (const range of plan.ranges) requireRows(run.hours, range)
  if (run.replaces) return null
  const accessors = new Map(used.map(({ name }, place) => [name, run.fields[place]]))
  try {
    return await collectRows(plan, run, {
      accessorOf: (name) => accessors.get(name)!,
      seriesCount: snapshot.registry.series.count,
    })
  } catch (error) {
    if (error instanceof AnotherWay) return null
    throw error
  }
}

/** Each field once. */
function usedFields({ columns, filter }: ScanPlan): EntityField[] {
  const used = [...columns, ...fieldsOf(filter)]
  return [...new Map(used.map((field) => [field.name, field])).values()]
}
