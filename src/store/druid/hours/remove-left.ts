// Rows that hours were made of leave Druid: their days are written anew without them. Rows that were pushed later stay, also those that come meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import { visibleFilter } from '../../../algebra/hidden-in-druid.ts'
import type { HiddenRows } from '../../../model/deletion.ts'
import { dataSourceName } from '../../../model/druid-row.ts'
import type { HoursMade } from '../../../model/entity.ts'
import type { DruidStore } from '../druid-store.ts'
import { intervalsOf } from '../native-query.ts'
import {
  concurrentLocks,
  rowsAsTheyAre,
  rowsDimensions,
  type SupervisedEntity,
} from '../supervision/supervisor-spec.ts'
import type { BatchTask, BatchTasks } from './batch-tasks.ts'
import type { LeavingRows } from './left-items.ts'
import { leftRows } from './left-rows.ts'

export interface RemoveLeftParts {
  readonly tasks: Pick<BatchTasks, 'once' | 'served'>
  readonly store: Pick<DruidStore, 'countPositions'>
  readonly clusterName: string
  readonly askEveryMs: number
  /** So often Druid is asked whether it shows them still. */
  readonly asksMax: number
  readonly signal: AbortSignal
}

/**
 * Whether Druid shows none of them any more. They are removed once: what is seen long after that came since. It may be asked again, and by several
 * processes at once.
 */
export async function removeLeft(entity: SupervisedEntity, made: HoursMade, parts: RemoveLeftParts): Promise<boolean> {
  const left = leftRows(entity, made)
  const making = made.making
  if (left === null || making === null) return true
  const { tasks, store, clusterName, askEveryMs, asksMax, signal } = parts
  const leaving = { dates: { fromMs: made.goneMs, toMs: made.madeMs - 1 }, pushed: making.pushed }
  // That none is seen is no proof that there is none: a server of Druid may be away.
  if (making.rows === 0) return true
  const source = dataSourceName(clusterName, entity.id)
  const from = new Date(made.goneMs).toISOString().slice(0, 10)
  const name = `${source}_left_${from}_${making.startedMs}`
  await tasks.once(name, () => replaceTask(source, entity, left), signal)
  await tasks.served(source, made.goneMs, made.madeMs, signal)
  // Until then servers answer with what they had.
  for (let asks = 0; asks < asksMax; asks++) {
    if ((await countLeaving(store, entity.id, leaving)) === 0) return true
    await sleep(askEveryMs, undefined, { signal })
  }
  return false
}

/** Hidden ones too. */
export async function countLeaving(
  store: Pick<DruidStore, 'countPositions'>,
  entityId: number,
  { dates, pushed }: LeavingRows,
): Promise<number> {
  let rows = 0
  for (const { from, before } of pushed) rows += await store.countPositions(entityId, from, before, dates)
  return rows
}

function replaceTask(dataSource: string, entity: SupervisedEntity, left: HiddenRows): BatchTask {
  const [interval] = intervalsOf(left.selection.fromMs!, left.selection.toMs!)
  const { timestampSpec, granularitySpec } = rowsAsTheyAre
  return {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource,
        timestampSpec,
        granularitySpec: { ...granularitySpec, intervals: [interval] },
        dimensionsSpec: rowsDimensions(entity),
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'druid', dataSource, interval, filter: visibleFilter([left]) },
        appendToExisting: false,
        // Also where nothing stays.
        dropExisting: true,
      },
      tuningConfig: { type: 'index_parallel', partitionsSpec: { type: 'dynamic' }, maxParseExceptions: 0 },
    },
    context: concurrentLocks,
  }
}
