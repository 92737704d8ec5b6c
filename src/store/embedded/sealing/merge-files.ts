import type { Pacer } from '../../../lib/pacer.ts'
import { sortInSlices } from '../../../lib/sort-in-slices.ts'
import type { Reach } from '../../../observe/crash-point.ts'
import type { CopiedColumn } from '../head/copy-rows.ts'
import { Dictionary } from '../head/dictionary.ts'
import { MergedSource } from '../reading/merged-source.ts'
import { OpenFile } from '../reading/open-file.ts'
import type { SealedFile, SealedFolder } from '../reading/sealed-source.ts'
import { since } from '../reading/since-source.ts'
import type { EntityRegistry } from '../registry/entity-registry.ts'
import { countDays } from './count-days.ts'
import { writeSealedFiles } from './write-sealed-files.ts'

export interface MergeOptions {
  readonly registry: EntityRegistry
  readonly folder: SealedFolder
  /** For mixed files: days with at least this many rows get a file of their own. */
  readonly dayRowsMin: number
  /** Rows before this date have expired and are omitted; null while none have. No file is entirely before it. */
  readonly sinceMs: number | null
  readonly pacer: Pacer
  readonly reach: Reach
}

/**
 * Writes the rows of some files of one entity to new files, which are durable when it returns; the caller records the exchange and switches
 * readers. When it throws, nothing has changed.
 */
export async function mergeFiles(
  files: readonly SealedFile[],
  { registry, folder, dayRowsMin, sinceMs, pacer, reach }: MergeOptions,
): Promise<readonly SealedFile[]> {
  reach('merge-chosen')
  const { entityId } = registry
  const ofHours = files.some(({ info }) => info.kind === 'hours')
  const day = commonDay(files)
  const { all } = registry.columns
  const open = files.map((file) => new OpenFile(file, Array.from(all.keys()), 'once'))
  const source = since(new MergedSource([], open, () => copiedColumns(registry), registry.columns.replaced), sinceMs)
  const series = await seriesInOrder(open, registry, pacer)
  const dayRows = ofHours
    ? null
    : day === null
      ? await countDaysIn(files, registry, series, sinceMs, pacer)
      : new Map([[day, Number.POSITIVE_INFINITY]])
  return writeSealedFiles([{ entityId, source, series, dayRows, digits: commonDigits(files) }], {
    folder,
    dayRowsMin,
    pacer,
    reach: {
      written: () => reach('merge-file-written'),
      renamed: () => reach('merge-file-renamed'),
      synced: () => reach('merge-directory-synced'),
    },
  })
}

/** By column, digits that suffice for the rows of all files: the most, or null when a file has doubles that are not decimals. */
function commonDigits(files: readonly SealedFile[]): ReadonlyMap<string, number | null> {
  const common = new Map<string, number | null>()
  for (const [column, digits] of files.flatMap((file) => [...file.digits])) {
    const known = common.has(column) ? common.get(column)! : 0
    common.set(column, known === null || digits === null ? null : Math.max(known, digits))
  }
  return common
}

/** The day of all files, null when they are mixed. */
function commonDay(files: readonly SealedFile[]): number | null {
  const { day } = files[0].info
  return files.every(({ info }) => info.day === day) ? day : null
}

function countDaysIn(
  files: readonly SealedFile[],
  registry: EntityRegistry,
  series: Int32Array,
  sinceMs: number | null,
  pacer: Pacer,
): Promise<Map<number, number>> {
  const open = files.map((file) => new OpenFile(file, [], 'once'))
  const replaced = registry.columns.replaced === null ? null : []
  return countDays(since(new MergedSource([], open, () => [], replaced), sinceMs), series, pacer)
}

/** Strings of rows that are copied together get new dictionaries, so that none grows with the file. */
function copiedColumns({ columns }: EntityRegistry): readonly CopiedColumn[] {
  return columns.all.map(({ index, type }) => ({ index, type, dictionary: new Dictionary() }))
}

/** The series with rows in the files, in the order of files. */
export async function seriesInOrder(
  files: readonly OpenFile[],
  { series }: EntityRegistry,
  pacer: Pacer,
): Promise<Int32Array> {
  const known = new Set<number>()
  for (const { reader } of files) {
    for (let place = 0; place < reader.length; place++) {
      known.add(reader.seriesAt(place))
      if (pacer.spend(4)) await pacer.rest()
    }
  }
  return sortInSlices(Int32Array.from(known), 0, series.compare, pacer)
}
