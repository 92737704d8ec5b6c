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
  /** The start of the hours. */
  readonly madeMs: number
  readonly making: HoursMaking
  /** In order, and the same each time. */
  readonly hours: AsyncIterable<HourOfSeries>
}

export interface WriteHoursParts {
  readonly tasks: Pick<BatchTasks, 'clear' | 'once' | 'served'>
  readonly clusterName: string
  /** The most bytes of lines in one task. Druid stores them in its catalog. */
  readonly chunkBytes: number
  /** Rejects if these hours are no longer to be made; called before each task. */
  readonly stillDue: () => Promise<void>
  readonly signal: AbortSignal
}

/** The number of hours written, and the number of rows they were made of. */
export interface WrittenHours {
  readonly hours: number
  readonly rows: number
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/**
 * Resolves when Druid has all hours, each once, and its servers have loaded them. May be called again, and by several processes at once: the first task
 * replaces the hours that an earlier attempt wrote for these dates, and each task runs once. The id of a task contains a digest of its lines, so if two
 * processes read different rows, queries see more hours than were written.
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

/** `replaced`: the dates whose contents these lines replace; null to append the lines. */
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
      // A line that cannot be parsed fails the task, so no line is skipped.
      tuningConfig: { type: 'index_parallel', maxParseExceptions: 0 },
    },
    // Most parts of most metrics are empty.
    context: { ...concurrentLocks, storeEmptyColumns: false },
  }
}
