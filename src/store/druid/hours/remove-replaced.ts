// Removes the rows that hours were made of: Druid rewrites their days without them. Rows that were pushed later are kept, also if they arrive meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import { visibleFilter } from '../../../algebra/hidden-in-druid.ts'
import type { HiddenRows } from '../../../model/deletion.ts'
import { dataSourceName } from '../../../model/druid-row.ts'
import type { HoursMade } from '../../../model/entity.ts'
import { intervalsOf } from '../native-query.ts'
import {
  concurrentLocks,
  rowsAsTheyAre,
  rowsDimensions,
  type SupervisedEntity,
} from '../supervision/supervisor-spec.ts'
import type { BatchTask, BatchTasks } from './batch-tasks.ts'
import { replacedRows } from './replaced-rows.ts'

export interface RemoveReplacedParts {
  readonly tasks: Pick<BatchTasks, 'once' | 'served'>
  /** The number of these rows that Druid returns. */
  readonly count: () => Promise<number>
  readonly clusterName: string
  readonly pollEveryMs: number
  /** The most times that Druid is polled for remaining rows. */
  readonly pollsMax: number
  readonly signal: AbortSignal
}

/**
 * Whether Druid no longer returns any of the rows. They are removed once: rows that appear long afterwards have arrived since. May be called again, and by
 * several processes at once.
 */
export async function removeReplaced(
  entity: SupervisedEntity,
  made: HoursMade,
  parts: RemoveReplacedParts,
): Promise<boolean> {
  const left = replacedRows(entity, made)
  const making = made.making
  if (left === null || making === null) return true
  const { tasks, count, clusterName, pollEveryMs, pollsMax, signal } = parts
  // The recorded number of rows is used. Counting none now would not prove that there are none, because a server of Druid may be down.
  if (making.rows === 0) return true
  const source = dataSourceName(clusterName, entity.id)
  const from = new Date(made.goneMs).toISOString().slice(0, 10)
  const name = `${source}_left_${from}_${making.startedMs}`
  await tasks.once(name, () => replaceTask(source, entity, left), signal)
  await tasks.served(source, made.goneMs, made.madeMs, signal)
  // Until the new segments are in use, servers may still return the old rows.
  for (let polls = 0; polls < pollsMax; polls++) {
    if ((await count()) === 0) return true
    await sleep(pollEveryMs, undefined, { signal })
  }
  return false
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
        // Also if no rows remain.
        dropExisting: true,
      },
      tuningConfig: { type: 'index_parallel', partitionsSpec: { type: 'dynamic' }, maxParseExceptions: 0 },
    },
    context: concurrentLocks,
  }
}
