import type { GroupValue } from '../../algebra/aggregation.ts'
import { evaluator } from '../../algebra/evaluate.ts'
import { BeyondPlan } from '../../algebra/functions.ts'
import { cellNode, type Scalar } from '../../algebra/scalar.ts'
import type { ScalarType } from '../../algebra/scalar-type.ts'
import type { AnswerData } from '../../answer/answer-data.ts'
import type { SpoolRoom } from '../../answer/spool.ts'
import { type AnswerSettings, storeRows } from '../../answer/store-rows.ts'
import { timeBuckets } from '../../druid-time/plain-granularity.ts'
import type { CancelSignal } from '../../lib/cancellation.ts'
import { Pacer } from '../../lib/pacer.ts'
import type { AnswerFormat } from '../../model/answer-format.ts'
import type { ColumnVector } from '../../model/column.ts'
import type { DruidShape } from '../../model/druid-layout.ts'
import type { PlanLimits } from '../../model/plan.ts'
import type { GroupsQuerier, ResultBatch } from '../../store/series-store.ts'
import { finishPlan } from './finish-plan.ts'
import type { PlannedSql, SqlPlan, SqlScanPlan } from './sql-plan.ts'

export interface SqlPlanRequest {
  readonly plan: PlannedSql
  readonly format: AnswerFormat | DruidShape
  readonly limits: Pick<PlanLimits, 'resultRows' | 'resultBytes'>
  readonly room: SpoolRoom
}

/** Rows whose columns are made at once. */
const batchRows = 1024

/** Null where the SQL engine has to answer. Throws what the store throws, and Problem `result_too_large` or `overloaded`. */
export async function runSqlPlan(
  reader: GroupsQuerier,
  { plan, format, limits, room }: SqlPlanRequest,
  settings: AnswerSettings,
  signal: CancelSignal,
): Promise<AnswerData | null> {
  const pacer = new Pacer({ sliceMs: settings.sliceMs, signal })
  const rows = await ('scan' in plan ? scannedRows(reader, plan, signal) : groupedRows(reader, plan, pacer, signal))
  // The SQL engine says why not.
  if (rows === null || rows.length > limits.resultRows) return null
  const stream = { fields: plan.fields, batches: plannedBatches(plan, rows, pacer) }
  try {
    return await storeRows(stream, { format, resultBytes: limits.resultBytes, room }, settings, signal)
  } catch (error) {
    if (error instanceof BeyondPlan) return null
    throw error
  }
}

type Row = readonly GroupValue[]

async function groupedRows(
  reader: GroupsQuerier,
  plan: SqlPlan,
  pacer: Pacer,
  signal: CancelSignal,
): Promise<readonly Row[] | null> {
  const groups = await reader.aggregate(plan.aggregation, signal, timeBuckets(plan.aggregation.granularity))
  return groups === null ? null : finishPlan(plan, groups, pacer)
}

async function scannedRows(
  reader: GroupsQuerier,
  { scan, offset }: SqlScanPlan,
  signal: CancelSignal,
): Promise<readonly Row[] | null> {
  const rows = await reader.scan(scan, signal)
  return rows === null ? null : rows.slice(offset)
}

/** What groups come to is worked out already: they had to be put in order by it. */
function shownColumns(plan: PlannedSql): readonly Scalar[] {
  return 'scan' in plan ? plan.outputs : plan.outputs.map(({ type }, at) => cellNode(type, at))
}

/** Rows as columns. Throws BeyondPlan. */
async function* plannedBatches(plan: PlannedSql, rows: readonly Row[], pacer: Pacer): AsyncGenerator<ResultBatch> {
  const shown = shownColumns(plan).map((value) => ({ type: value.type, evaluate: evaluator(value) }))
  const steps = 'scan' in plan ? plan.steps : 0
  // More that is worked out of a row makes for fewer rows at once.
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
