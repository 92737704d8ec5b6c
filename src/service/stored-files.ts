import type { BackedUpFile } from '../admin/backups.ts'
import type { Manifest } from '../catalog/manifest.ts'
import { registryName } from '../store/embedded/registry/registry-log.ts'

/** The files that a manifest names. */
export function storedFiles({ files, registries }: Manifest): readonly BackedUpFile[] {
  return [
    ...files.flatMap(({ entityId, name }) =>
      ['parquet', 'index'].map((ending) => ({ path: `store/${entityId}/${name}.${ending}`, bytesMax: null })),
    ),
    ...registries.map(({ entityId, bytes }) => ({ path: `store/${entityId}/${registryName}`, bytesMax: bytes })),
  ]
}
