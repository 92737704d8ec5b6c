import { createHash } from 'node:crypto'
import { hoursSourceName } from '../../../model/druid-row.ts'
import type { Entity, HoursMaking } from '../../../model/entity.ts'
import { intervalsOf } from '../native-query.ts'
import { concurrentLocks, rowsAsTheyAre } from '../supervision/supervisor-spec.ts'
import type { BatchTask, BatchTasks } from './batch-tasks.ts'
import { HourLines, type HourOfSeries, hourDimensions, lineChunks } from './hour-lines.ts'
import { itemFields } from './hours-of-items.ts'

export interface HoursToWrite {
  readonly entity: Pick<Entity, 'id' | 'fields'>
  /** Where the hours begin. */
  readonly madeMs: number
  readonly making: HoursMaking
  /** In their order, the same each time. */
  readonly hours: AsyncIterable<HourOfSeries>
}

export interface WriteHoursParts {
  readonly tasks: Pick<BatchTasks, 'clear' | 'once' | 'served'>
  readonly clusterName: string
  /** Of the lines of a task: Druid keeps them in its catalog. */
  readonly chunkBytes: number
  /** Rejects where these hours are not to be made any more; asked before each task. */
  readonly stillDue: () => Promise<void>
  readonly signal: AbortSignal
}

/** What was written, and of how many rows. */
export interface WrittenHours {
  readonly hours: number
  readonly rows: number
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/**
 * Resolves when Druid has all of them, each once, and its servers have loaded them. It may be asked again, and by several
 * processes at once: the first task takes the place of what an earlier making left of these dates, and each
 * task is run once. Its id has a digest of its lines: where two processes read different rows, what is seen is more than was written.
 */
export async function writeHours(write: HoursToWrite, parts: WriteHoursParts): Promise<WrittenHours> {
  const { entity, madeMs, making, hours } = write
  const { tasks, clusterName, chunkBytes, stillDue, signal } = parts
  const source = hoursSourceName(clusterName, entity.id)
  const [from, until] = [madeMs, making.untilMs].map((ms) => new Date(ms).toISOString().slice(0, 10))
  const name = `${source}_${from}_${until}_${making.startedMs}`
  let number = 0
  const written = { hours: 0, rows: 0 }
  async function* counted(): AsyncGenerator<HourOfSeries> {
    for await (const hour of hours) {
      written.hours++
      written.rows += hour.hour.rows
      yield hour
    }
  }
  for await (const text of lineChunks(linesOf(entity, making, counted()), chunkBytes)) {
    number++
    await stillDue()
    const replaced = number === 1 ? intervalsOf(madeMs, making.untilMs - 1) : null
    await tasks.once(`${name}_${number}_${digestOf(text)}`, () => hoursTask(source, entity, text, replaced), signal)
  }
  if (number === 0) await tasks.clear(source, madeMs, making.untilMs)
  else await tasks.served(source, madeMs, making.untilMs, signal)
  return written
}

async function* linesOf(
  entity: Pick<Entity, 'fields'>,
  { deletionId }: HoursMaking,
  hours: AsyncIterable<HourOfSeries>,
): AsyncGenerator<string> {
  const lines = new HourLines(itemFields(entity))
  for await (const one of hours) yield lines.line(one, deletionId)
}

/** `replaced`: the dates of which these lines become all that there is; null where they are added. */
function hoursTask(
  dataSource: string,
  entity: Pick<Entity, 'fields'>,
  data: string,
  replaced: readonly string[] | null,
): BatchTask {
  const { timestampSpec, granularitySpec } = rowsAsTheyAre
  const intervals = replaced === null ? {} : { intervals: replaced }
  return {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource,
        timestampSpec,
        granularitySpec: { ...granularitySpec, ...intervals },
        dimensionsSpec: { dimensions: hourDimensions(itemFields(entity)) },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data },
        inputFormat: { type: 'json' },
        ...(replaced === null ? { appendToExisting: true } : { appendToExisting: false, dropExisting: true }),
      },
      // A line that cannot be read fails the task: none is left out.
      tuningConfig: { type: 'index_parallel', maxParseExceptions: 0 },
    },
    // Most parts of most metrics say nothing.
    context: { ...concurrentLocks, storeEmptyColumns: false },
  }
}
