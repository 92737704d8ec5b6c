import { hoursSourceName } from '../../../model/druid-row.ts'
import type { Entity, HoursMaking } from '../../../model/entity.ts'
import { concurrentLocks, rowsAsTheyAre } from '../supervision/supervisor-spec.ts'
import type { BatchTask, BatchTasks } from './batch-tasks.ts'
import { HourLines, type HourOfSeries, hourDimensions } from './hour-lines.ts'
import { itemFields } from './hours-of-items.ts'
import { lineChunks } from './line-chunks.ts'

export interface HoursToWrite {
  readonly entity: Pick<Entity, 'id' | 'fields'>
  /** Where the hours begin. */
  readonly madeMs: number
  readonly making: HoursMaking
  /** In their order, the same each time. */
  readonly hours: AsyncIterable<HourOfSeries>
}

export interface WriteHoursParts {
  readonly tasks: Pick<BatchTasks, 'once' | 'served'>
  readonly clusterName: string
  /** Of the lines of a task: Druid keeps them in its catalog. */
  readonly chunkBytes: number
  readonly signal: AbortSignal
}

/** Resolves when Druid has all of the hours, each once, and serves them. It may be asked again, and by several processes at once. */
export async function writeHours(write: HoursToWrite, parts: WriteHoursParts): Promise<void> {
  const { entity, madeMs, making, hours } = write
  const { tasks, clusterName, chunkBytes, signal } = parts
  const source = hoursSourceName(clusterName, entity.id)
  const from = new Date(madeMs).toISOString().slice(0, 10)
  let number = 0
  for await (const text of lineChunks(linesOf(entity, making, hours), chunkBytes)) {
    number++
    await tasks.once(`${source}_${from}_${number}`, () => appendTask(source, entity, text), signal)
  }
  await tasks.served(source, madeMs, making.untilMs, signal)
}

async function* linesOf(
  entity: Pick<Entity, 'fields'>,
  { deletionId }: HoursMaking,
  hours: AsyncIterable<HourOfSeries>,
): AsyncGenerator<string> {
  const lines = new HourLines(itemFields(entity))
  for await (const one of hours) yield lines.line(one, deletionId)
}

function appendTask(dataSource: string, entity: Pick<Entity, 'fields'>, data: string): BatchTask {
  return {
    type: 'index_parallel',
    spec: {
      dataSchema: { dataSource, ...rowsAsTheyAre, dimensionsSpec: { dimensions: hourDimensions(itemFields(entity)) } },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data },
        inputFormat: { type: 'json' },
        appendToExisting: true,
      },
      // A line that cannot be read fails the task: none is left out.
      tuningConfig: { type: 'index_parallel', maxParseExceptions: 0 },
    },
    // Most parts of most metrics say nothing.
    context: { ...concurrentLocks, storeEmptyColumns: false },
  }
}
