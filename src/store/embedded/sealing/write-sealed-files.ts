// Sealing and merging both split the rows of a source by UTC day and write them to new files, series by series.
import type { Pacer } from '../../../lib/pacer.ts'
import { msPerDay } from '../../../model/instant.ts'
import { firstAtOrAfter, type RowSlice } from '../head/chunk.ts'
import {
  OtherDigitsError,
  type SealedFile,
  type SealedFileWriter,
  type SealedFolder,
  type SealedTarget,
} from '../reading/sealed-source.ts'
import type { SeriesSource } from '../reading/series-source.ts'
import { dayOf, seriesUnits } from './count-days.ts'

/** Rows of one entity, with its series in the order of files. */
export interface RowsToWrite {
  readonly entityId: number
  readonly source: SeriesSource
  readonly series: Int32Array
  /** The number of rows of each UTC day; null for hours, which share a file. */
  readonly dayRows: ReadonlyMap<number, number> | null
  /** Digits that are already known, as in `SealedTarget`. */
  readonly digits: ReadonlyMap<string, number | null>
}

export interface LayDownOptions {
  readonly folder: SealedFolder
  /** Days of an entity with fewer rows share one mixed file. */
  readonly dayRowsMin: number
  readonly pacer: Pacer
  readonly reach: {
    readonly written: () => void
    readonly renamed: () => void
    readonly synced: () => void
  }
}

/** Writes all rows to new files, which are complete and durable when it returns. When it throws, it has removed the files that it could. */
export async function writeSealedFiles(
  parts: readonly RowsToWrite[],
  options: LayDownOptions,
): Promise<readonly SealedFile[]> {
  const { folder, reach } = options
  const writers: SealedFileWriter[] = []
  try {
    for (const rows of parts) await writeFiles(rows, options, writers)
    const files: SealedFile[] = []
    for (const writer of writers) {
      files.push(await writer.publish())
      reach.renamed()
    }
    for (const entityId of new Set(files.map(({ info }) => info.entityId))) {
      await folder.sync(entityId)
      reach.synced()
    }
    return files
  } catch (error) {
    // Files that cannot be removed are orphans, which the next start removes. The original error matters more.
    await Promise.allSettled(writers.map((writer) => writer.abandon()))
    throw error
  }
}

async function writeFiles(rows: RowsToWrite, options: LayDownOptions, writers: SealedFileWriter[]): Promise<void> {
  const { folder, dayRowsMin, pacer, reach } = options
  const { entityId, dayRows, digits } = rows
  const days = [...(dayRows ?? [])].filter(([, count]) => count >= dayRowsMin).map(([day]) => day)
  const write = async (target: SealedTarget, choice: RowChoice): Promise<void> => {
    writers.push(await writeFile(folder, target, pacer, (writer) => writeRows(rows, choice, writer, pacer)))
    reach.written()
  }
  for (const day of days.sort((left, right) => left - right))
    await write({ entityId, kind: 'day', day, digits }, { day })
  if (dayRows === null) await write({ entityId, kind: 'hours', day: null, digits }, { exceptDays: new Set() })
  else if (dayRows.size > days.length)
    await write({ entityId, kind: 'mixed', day: null, digits }, { exceptDays: new Set(days) })
}

/** Writes and finishes a file; restarts when later rows need other digits than the first. When it throws, it has removed the files that it could. */
export async function writeFile(
  folder: SealedFolder,
  target: SealedTarget,
  pacer: Pacer,
  write: (writer: SealedFileWriter) => Promise<void>,
): Promise<SealedFileWriter> {
  const writer = await folder.create(target, pacer)
  try {
    await write(writer)
    await writer.finish()
    return writer
  } catch (error) {
    await Promise.allSettled([writer.abandon()])
    if (!(error instanceof OtherDigitsError)) throw error
    const digits = new Map([...(target.digits ?? []), ...error.digits])
    return writeFile(folder, { ...target, digits }, pacer, write)
  }
}

/** The rows of one file: those of one day, or those of all days except some. */
type RowChoice = { readonly day: number } | { readonly exceptDays: ReadonlySet<number> }

async function writeRows(
  { source, series }: RowsToWrite,
  choice: RowChoice,
  writer: SealedFileWriter,
  pacer: Pacer,
): Promise<void> {
  for (const one of series) {
    const prepared = source.prepare(one, pacer)
    if (prepared !== null) await prepared
    const slices = chosenRows(source, one, choice)[Symbol.iterator]()
    const first = slices.next()
    if (first.done !== true) await writer.addSeries(one, withFirst(first.value, slices))
    if (pacer.spend(seriesUnits)) await pacer.rest()
  }
}

function chosenRows(source: SeriesSource, series: number, choice: RowChoice): Iterable<RowSlice> {
  if ('day' in choice) return source.run(series, choice.day * msPerDay, (choice.day + 1) * msPerDay - 1)
  const all = source.run(series, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  return choice.exceptDays.size === 0 ? all : withoutDays(all, choice.exceptDays)
}

function* withoutDays(slices: Iterable<RowSlice>, days: ReadonlySet<number>): Generator<RowSlice> {
  for (const { chunk, start, end } of slices) {
    for (let row = start; row < end; ) {
      const day = dayOf(chunk.times[row])
      const next = firstAtOrAfter(chunk.times, row, end, (day + 1) * msPerDay)
      if (!days.has(day)) yield { chunk, start: row, end: next }
      row = next
    }
  }
}

function* withFirst(first: RowSlice, rest: Iterator<RowSlice>): Generator<RowSlice> {
  yield first
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value
}
