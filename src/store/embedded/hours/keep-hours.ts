// Expires rows: writes their hours to a file of hours, and the remaining rows of their files to new files.
import type { Pacer } from '../../../lib/pacer.ts'
import type { Entity } from '../../../model/entity.ts'
import { fieldsOfRole } from '../../../model/entity.ts'
import { isNumericField } from '../../../model/field.ts'
import { noLimits } from '../aggregate/run-aggregation.ts'
import { type RewriteOptions, type RewrittenFiles, rewriteFiles } from '../deletions/rewrite-files.ts'
import { baseOf } from '../deletions/visible-file.ts'
import type { RowSlice } from '../head/chunk.ts'
import { OpenFile } from '../reading/open-file.ts'
import type { SealedFile } from '../reading/sealed-source.ts'
import type { EntityRegistry } from '../registry/entity-registry.ts'
import { type PlanRun, preparePlan } from '../run/plan-run.ts'
import { RunMemory } from '../run/run-memory.ts'
import { seriesInOrder } from '../sealing/merge-files.ts'
import { writeFile } from '../sealing/write-sealed-files.ts'
import { HourColumns } from './hour-columns.ts'
import { hoursOfRows, type RequestedHours } from './hours-of-rows.ts'

/** The parts of an entity that determine which hours are kept when its rows expire. */
export type KeptRules = Pick<Entity, 'id' | 'fields'> & Required<Pick<Entity, 'hours'>>

export interface KeepHoursOptions extends Omit<RewriteOptions, 'sinceMs'> {
  readonly kept: KeptRules
  /** The start of a UTC day: rows before it expire. */
  readonly untilMs: number
}

/** Replaces the rows before `untilMs` by their hours, and keeps the other rows in new files. `files` are all files with rows before `untilMs`. */
export async function keepHours(
  files: readonly SealedFile[],
  { kept, untilMs, ...options }: KeepHoursOptions,
): Promise<RewrittenFiles> {
  const { folder, remove, reach } = options
  const hours = await writeHours(files, kept, untilMs, options)
  const made = hours === null ? [] : [hours]
  try {
    reach('leave-hours-written')
    const cut = files.filter((file) => baseOf(file).info.lastMs >= untilMs)
    if (cut.length === 0) return { files: made, vectors: [] }
    const rest = await rewriteFiles(cut, { ...options, folder, sinceMs: untilMs })
    return { ...rest, files: [...made, ...rest.files] }
  } catch (error) {
    for (const file of made) remove(file)
    throw error
  }
}

/** Null if all rows are deleted, or older than hours are kept. */
async function writeHours(
  files: readonly SealedFile[],
  kept: KeptRules,
  untilMs: number,
  { registry, folder, pacer }: Pick<KeepHoursOptions, 'registry' | 'folder' | 'pacer'>,
): Promise<SealedFile | null> {
  const seen = files.filter(({ info }) => info.rows > 0 && info.firstMs < untilMs)
  const run = await runOver(seen, kept, registry, pacer)
  const rowsOf = (series: number): Iterable<RowSlice> => run.source.run(series, Number.NEGATIVE_INFINITY, untilMs - 1)
  const open = seen.map((file) => new OpenFile(file, [], 'cached'))
  const left: number[] = []
  for (const series of await seriesInOrder(open, registry, pacer)) {
    for (const _ of rowsOf(series)) {
      left.push(series)
      break
    }
    if (pacer.spend(64)) await pacer.rest()
  }
  if (left.length === 0) return null
  const asked: RequestedHours = { metrics: metricsOf(kept, run), isGood: run.quality?.isGood ?? null }
  const columns = new HourColumns(registry.hours.columns, asked.metrics)
  const { entityId } = registry
  const writer = await writeFile(folder, { entityId, kind: 'hours', day: null }, pacer, async (to) => {
    for (const series of left) await to.addSeries(series, columns.write(hoursOfRows(rowsOf(series), series, asked)))
  })
  try {
    const file = await writer.publish()
    await folder.sync(entityId)
    return file
  } catch (error) {
    await Promise.allSettled([writer.abandon()])
    throw error
  }
}

function runOver(
  files: readonly SealedFile[],
  { id, fields, hours }: KeptRules,
  registry: EntityRegistry,
  pacer: Pacer,
): Promise<PlanRun> {
  const [tag] = fieldsOfRole({ fields }, 'tag')
  const [time] = fieldsOfRole({ fields }, 'time')
  const [quality] = fieldsOfRole({ fields }, 'quality')
  if (tag === undefined || time === undefined) throw new Error('a series entity has a time and a tag by its definition')
  const metrics = fieldsOfRole({ fields }, 'metric').filter(isNumericField)
  const selection = {
    ...{ entityId: id, sinceMs: hours.sinceMs, time, tags: [tag] as const, ids: null, prefixes: null, metrics },
    fields: [],
    ...(quality === undefined ? {} : { quality: { field: quality, words: ['good'] as const } }),
  }
  const snapshot = { registry, tables: [], files, hours: [] }
  return preparePlan(snapshot, selection, noLimits, pacer, new RunMemory())
}

function metricsOf({ fields }: KeptRules, run: PlanRun): RequestedHours['metrics'] {
  return fieldsOfRole({ fields }, 'metric')
    .filter(isNumericField)
    .flatMap(({ name, type }, place) => {
      const accessor = run.metrics[place]
      const index = accessor?.kind === 'column' ? accessor.index : -1
      return index !== -1 && (type === 'double' || type === 'long') ? [{ name, type, index }] : []
    })
}
