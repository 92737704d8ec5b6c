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
import { leftRows } from './left-rows.ts'

export interface RemoveLeftParts {
  readonly tasks: Pick<BatchTasks, 'again'>
  readonly store: Pick<DruidStore, 'countPositions'>
  readonly clusterName: string
  readonly askEveryMs: number
  readonly signal: AbortSignal
}

/** Resolves when Druid shows none of them. It may be asked again, and by several processes at once. */
export async function removeLeft(entity: SupervisedEntity, made: HoursMade, parts: RemoveLeftParts): Promise<void> {
  const left = leftRows(entity, made)
  if (left === null || (await count(entity.id, left, parts)) === 0) return
  const { tasks, clusterName, askEveryMs, signal } = parts
  const source = dataSourceName(clusterName, entity.id)
  const from = new Date(made.goneMs).toISOString().slice(0, 10)
  await tasks.again(`${source}_left_${from}`, () => replaceTask(source, entity, left), signal)
  // Until then servers answer with what they had.
  while ((await count(entity.id, left, parts)) > 0) await sleep(askEveryMs, undefined, { signal })
}

async function count(entityId: number, { pushed, selection }: HiddenRows, { store }: RemoveLeftParts): Promise<number> {
  const range = { fromMs: selection.fromMs!, toMs: selection.toMs! }
  let rows = 0
  for (const { from, before } of pushed) rows += await store.countPositions(entityId, from, before, range)
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
