import type { Pacer } from '../../../lib/pacer.ts'
import { sortInSlices } from '../../../lib/sort-in-slices.ts'
import type { Reach } from '../../../observe/crash-point.ts'
import type { SealedFile, SealedFolder } from '../reading/sealed-source.ts'
import { since } from '../reading/since-source.ts'
import type { FrozenRows } from '../store-changes.ts'
import { countDays } from './count-days.ts'
import { type RowsToWrite, writeSealedFiles } from './write-sealed-files.ts'

export interface SealOptions {
  readonly folder: SealedFolder
  /** Days of an entity with fewer rows share one mixed file. */
  readonly dayRowsMin: number
  /** Rows of the entity before this date have expired and are not written; null while none have. */
  readonly sinceMs: (entityId: number) => number | null
  readonly pacer: Pacer
  readonly reach: Reach
}

/**
 * Writes frozen rows to files, which are durable when it returns; the caller records them and switches readers to them. When it throws, for
 * example on a full disk, nothing has changed, and the same rows can be sealed again later.
 */
export async function sealRows(frozen: FrozenRows, options: SealOptions): Promise<readonly SealedFile[]> {
  const { folder, dayRowsMin, sinceMs, pacer, reach } = options
  reach('seal-frozen')
  const views = frozen.tables.map((table) => ({ table, view: table.open() }))
  try {
    const parts: RowsToWrite[] = []
    for (const { table, view } of views) {
      const { registry, series } = table
      const known = series.values.slice(0, series.length)
      const inOrder = await sortInSlices(known, 0, registry.series.compare, pacer)
      const source = since(view, sinceMs(registry.entityId))
      const dayRows = await countDays(source, inOrder, pacer)
      parts.push({ entityId: registry.entityId, source, series: inOrder, dayRows, digits: new Map() })
    }
    return await writeSealedFiles(parts, {
      folder,
      dayRowsMin,
      pacer,
      reach: {
        written: () => reach('seal-file-written'),
        renamed: () => reach('seal-file-renamed'),
        synced: () => reach('seal-directory-synced'),
      },
    })
  } finally {
    for (const { table, view } of views) table.release(view)
  }
}
