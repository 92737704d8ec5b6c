// Rows that hours were made of leave Druid: their days are written anew without them. Rows that were pushed later stay, also those that come meanwhile.
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
import { leftRows } from './left-rows.ts'

export interface RemoveLeftParts {
  readonly tasks: Pick<BatchTasks, 'once' | 'served'>
  /** How many of these rows Druid shows. */
  readonly count: () => Promise<number>
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
  const { tasks, count, clusterName, askEveryMs, asksMax, signal } = parts
  // That none is seen is no proof that there is none: a server of Druid may be away.
  if (making.rows === 0) return true
  const source = dataSourceName(clusterName, entity.id)
  const from = new Date(made.goneMs).toISOString().slice(0, 10)
  const name = `${source}_left_${from}_${making.startedMs}`
  await tasks.once(name, () => replaceTask(source, entity, left), signal)
  await tasks.served(source, made.goneMs, made.madeMs, signal)
  // Until then servers answer with what they had.
  for (let asks = 0; asks < asksMax; asks++) {
    if ((await count()) === 0) return true
    await sleep(askEveryMs, undefined, { signal })
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
        // Also where nothing stays.
        dropExisting: true,
      },
      tuningConfig: { type: 'index_parallel', partitionsSpec: { type: 'dynamic' }, maxParseExceptions: 0 },
    },
    context: concurrentLocks,
  }
}
