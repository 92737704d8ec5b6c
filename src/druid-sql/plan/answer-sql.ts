// Turns rows or groups that the store found into the columns of the answer.
import type { Groups, GroupValue } from '../../algebra/aggregation.ts'
import { evaluator } from '../../algebra/evaluate.ts'
import { finishGroups } from '../../algebra/finish-groups.ts'
import type { ScalarType } from '../../algebra/functions.ts'
import { cellNode, type Scalar } from '../../algebra/scalar.ts'
import type { RowStream } from '../../answer/store-rows.ts'
import type { Pacer } from '../../lib/pacer.ts'
import type { ColumnVector } from '../../model/column.ts'
import type { PlanLimits } from '../../model/plan.ts'
import type { ResultBatch } from '../../store/series-store.ts'
import type { PlannedSql } from './sql-plan.ts'

/** Rows whose columns are made at once. */
const batchRows = 1024

/** Null where the SQL engine must answer, which reports the reason itself. Throws BeyondPlan, immediately or when the rows are read. */
export async function answerSql(
  plan: PlannedSql,
  found: Groups,
  { resultRows }: Pick<PlanLimits, 'resultRows'>,
  pacer: Pacer,
): Promise<RowStream | null> {
  const rows =
    'scan' in plan
      ? found.rows.slice(plan.offset)
      : (await finishGroups({ ...plan, isByBucket: false }, found, pacer)).map(({ values }) => values)
  return rows.length > resultRows ? null : { fields: plan.fields, batches: plannedBatches(plan, rows, pacer) }
}

type Row = readonly GroupValue[]

/** The values of groups are already computed: the groups had to be sorted by them. */
function shownColumns(plan: PlannedSql): readonly Scalar[] {
  return 'scan' in plan ? plan.outputs : plan.outputs.map(({ type }, at) => cellNode(type, at))
}

async function* plannedBatches(plan: PlannedSql, rows: readonly Row[], pacer: Pacer): AsyncGenerator<ResultBatch> {
  const shown = shownColumns(plan).map((value) => ({ type: value.type, evaluate: evaluator(value) }))
  const steps = 'scan' in plan ? plan.steps : 0
  // The more is computed per row, the fewer rows are processed at once.
  const rowsAtOnce = Math.ceil(batchRows / (1 + steps / 16))
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const part = rows.slice(from, from + rowsAtOnce)
    const columns = shown.map(({ type, evaluate }) =>
      columnOf(
        type,
        part.map((row) => evaluate(row) as GroupValue),
      ),
    )
    yield { rows: part.length, columns }
    if (pacer.spend(part.length * steps)) await pacer.rest()
  }
}

function columnOf(type: ScalarType, values: readonly GroupValue[]): ColumnVector {
  if (type === 'string') return textColumn(values)
  const numbers = Float64Array.from(values, (value) => (value === null ? Number.NaN : Number(value)))
  if (type === 'boolean') throw new Error('the store shows no truth values of its own')
  if (type !== 'long') return { type, values: numbers }
  const isExact = numbers.every((value) => Number.isNaN(value) || Number.isSafeInteger(value))
  const exact = isExact ? null : BigInt64Array.from(values, (value) => (typeof value === 'bigint' ? value : 0n))
  return { type, values: numbers, exact }
}

function textColumn(values: readonly GroupValue[]): ColumnVector {
  const dictionary: string[] = []
  const codes = new Map<GroupValue, number>()
  const codeOf = (value: GroupValue): number => {
    if (value === null) return -1
    const known = codes.get(value)
    if (known !== undefined) return known
    const code = dictionary.push(String(value)) - 1
    codes.set(value, code)
    return code
  }
  return { type: 'string', codes: Int32Array.from(values, codeOf), dictionary }
}
