// The parts of a data folder that a backup and a replica copy.

import type { BackedUpFile } from '../admin/backups.ts'
import { acknowledgedPositionOf } from '../catalog/acknowledged-position.ts'
import type { Manifest } from '../catalog/manifest.ts'
import { copySqliteCatalog } from '../catalog/sqlite/copy-catalog.ts'
import { openSqliteCatalog } from '../catalog/sqlite/sqlite-catalog.ts'
import { registryName } from '../store/embedded/registry/registry-log.ts'

/** Copies a consistent state of the catalog, and returns the manifest and acknowledged position of the copy. */
export async function copyCatalog(from: string, to: string) {
  await copySqliteCatalog(from, to)
  const copy = await openSqliteCatalog({ path: to, readOnly: true })
  try {
    return { manifest: await copy.manifest.load(), acknowledgedPosition: (await acknowledgedPositionOf(copy)) ?? 0 }
  } finally {
    await copy.close()
  }
}

/** The files that a manifest names. */
export function storedFiles({ files, registries }: Manifest): readonly BackedUpFile[] {
  return [
    ...files.flatMap(({ entityId, name }) =>
      ['parquet', 'index'].map((ending) => ({ path: `store/${entityId}/${name}.${ending}`, bytesMax: null })),
    ),
    ...registries.map(({ entityId, bytes }) => ({ path: `store/${entityId}/${registryName}`, bytesMax: bytes })),
  ]
}
