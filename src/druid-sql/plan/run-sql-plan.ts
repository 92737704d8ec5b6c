import type { AnswerData } from '../../answer/answer-data.ts'
import type { SpoolRoom } from '../../answer/spool.ts'
import { type AnswerSettings, storeRows } from '../../answer/store-rows.ts'
import { timeBuckets } from '../../druid-time/plain-granularity.ts'
import type { PlannedType } from '../../druid-values/planned-value.ts'
import { Pacer } from '../../lib/pacer.ts'
import type { GroupValue } from '../../model/aggregation.ts'
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
  signal: AbortSignal,
): Promise<AnswerData | null> {
  const pacer = new Pacer({ sliceMs: settings.sliceMs, signal })
  const rows = await ('scan' in plan ? scannedRows(reader, plan, signal) : groupedRows(reader, plan, pacer, signal))
  // The SQL engine says why not.
  if (rows === null || rows.length > limits.resultRows) return null
  const stream = { fields: plan.fields, batches: plannedBatches(shownColumns(plan), rows) }
  return storeRows(stream, { format, resultBytes: limits.resultBytes, room }, settings, signal)
}

type Row = readonly GroupValue[]

async function groupedRows(
  reader: GroupsQuerier,
  plan: SqlPlan,
  pacer: Pacer,
  signal: AbortSignal,
): Promise<readonly Row[] | null> {
  const groups = await reader.aggregate(plan.aggregation, signal, timeBuckets(plan.aggregation.granularity))
  return groups === null ? null : finishPlan(plan, groups, pacer)
}

async function scannedRows(
  reader: GroupsQuerier,
  { scan, offset }: SqlScanPlan,
  signal: AbortSignal,
): Promise<readonly Row[] | null> {
  const rows = await reader.scan(scan, signal)
  return rows === null ? null : rows.slice(offset)
}

/** A column of the answer and its place in a row. */
interface ShownColumn {
  readonly type: PlannedType
  readonly at: number
}

function shownColumns(plan: PlannedSql): readonly ShownColumn[] {
  return 'scan' in plan ? plan.outputs : plan.outputs.map(({ type }, at) => ({ type, at }))
}

/** Rows as columns. */
async function* plannedBatches(shown: readonly ShownColumn[], rows: readonly Row[]): AsyncGenerator<ResultBatch> {
  for (let from = 0; from < rows.length; from += batchRows) {
    const part = rows.slice(from, from + batchRows)
    const columns = shown.map(({ type, at }) =>
      columnOf(
        type,
        part.map((row) => row[at]!),
      ),
    )
    yield { rows: part.length, columns }
  }
}

function columnOf(type: PlannedType, values: readonly GroupValue[]): ColumnVector {
  if (type === 'string') return textColumn(values)
  const numbers = Float64Array.from(values, (value) => (value === null ? Number.NaN : Number(value)))
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
