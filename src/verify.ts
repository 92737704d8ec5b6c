// Checks the data folder of a stopped service: that every part is as it was written, and that the parts agree. Changes nothing.
import { existsSync } from 'node:fs'
import type { Manifest } from './catalog/manifest.ts'
import { checkSqliteFile } from './catalog/sqlite/check-file.ts'
import { takeOwnership } from './catalog/sqlite/owner-lock.ts'
import { openSqliteCatalog } from './catalog/sqlite/sqlite-catalog.ts'
import type { Settings } from './config/settings.ts'
import { recoverJournal } from './journal/file/recovery.ts'
import { nodeDisk } from './lib/node-disk.ts'
import { readOnlyDisk } from './lib/read-only-disk.ts'
import { dataPaths } from './open-storage.ts'

export interface Finding {
  /** What was checked. */
  readonly part: string
  readonly damage: boolean
  /** What was found there, as a sentence without its end. */
  readonly found: string
}

/** Resolves part by part. Throws an Error when the folder is not there or a service uses it. */
export async function* verifyData({ data }: Pick<Settings, 'data'>): AsyncGenerator<Finding> {
  const paths = dataPaths(data)
  if (!existsSync(paths.catalog))
    throw new Error(`"${data}" is no data folder: it holds no catalog.sqlite. Give another with --data.`)
  const ownership = takeOwnership(data)
  try {
    let manifest: Manifest | null = null
    yield* finding('catalog', async () => {
      const faults = checkSqliteFile(paths.catalog)
      if (faults.length > 0) throw new Error(`catalog.sqlite is damaged: ${faults[0]}`)
      const catalog = await openSqliteCatalog({ path: paths.catalog, readOnly: true })
      try {
        manifest = await catalog.manifest.load()
      } finally {
        await catalog.close()
      }
      return `sound; rows before position ${manifest.sealedPosition} are in files`
    })
    const reachedPosition = sealedPositionOf(manifest)
    yield* finding('journal', async () => {
      const { recovery, segment, endPosition } = await recoverJournal({
        disk: readOnlyDisk(nodeDisk),
        directory: paths.journal,
        reachedPosition,
        newSalt: () => 0,
      })
      await segment.close()
      const torn =
        recovery.tornBytes === 0 ? '' : `, and ${recovery.tornBytes} bytes of a push that was not acknowledged`
      return `${recovery.entries} entries in ${recovery.segments} files, up to position ${endPosition}${torn}`
    })
  } finally {
    ownership.release()
  }
}

function sealedPositionOf(manifest: Manifest | null): number {
  return manifest?.sealedPosition ?? 0
}

async function* finding(part: string, check: () => Promise<string>): AsyncGenerator<Finding> {
  try {
    yield { part, damage: false, found: await check() }
  } catch (error) {
    yield { part, damage: true, found: error instanceof Error ? error.message : String(error) }
  }
}
