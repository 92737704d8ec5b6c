import { setImmediate as nextTurn } from 'node:timers/promises'
import { outputFields, type Plan, type PlanLimits } from '../model/plan.ts'
import type { SeriesReader } from '../store/series-store.ts'
import type { Answer, AnswerFormat, QueryRunner } from './query-runner.ts'
import { JsonShaper } from './shape-json.ts'

/** Rows written before the event loop gets its turn: a few milliseconds of work. */
const sliceRows = 16_384

/** Runs plans on a store of the same thread. */
export function inProcessRunner(reader: SeriesReader): QueryRunner {
  return {
    run: (plan, format, limits, signal) => runPlan(reader, plan, format, limits, signal),
    statistics: (entityId) => reader.statistics(entityId),
  }
}

async function runPlan(
  reader: SeriesReader,
  plan: Plan,
  format: AnswerFormat,
  limits: PlanLimits,
  signal: AbortSignal,
): Promise<Answer> {
  const shaper = newShaper(format, plan, limits)
  let sinceTurn = 0
  for await (const batch of reader.run(plan, limits, signal)) {
    for (let from = 0; from < batch.rows; ) {
      if (sinceTurn >= sliceRows) {
        await nextTurn()
        signal.throwIfAborted()
        sinceTurn = 0
      }
      const to = Math.min(batch.rows, from + sliceRows - sinceTurn)
      shaper.add(batch, from, to)
      sinceTurn += to - from
      from = to
    }
  }
  return shaper.finish()
}

function newShaper(format: AnswerFormat, plan: Plan, limits: PlanLimits): JsonShaper {
  switch (format) {
    case 'json':
      return new JsonShaper(outputFields(plan), limits.resultBytes)
  }
}
