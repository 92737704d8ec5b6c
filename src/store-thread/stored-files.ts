import type { StoredFile } from '../admin/backups.ts'
import type { Manifest } from '../catalog/manifest.ts'

/** The files that a manifest names. */
export function storedFiles({ files, registries }: Manifest): readonly StoredFile[] {
  return [
    ...files.flatMap(({ entityId, name }) =>
      ['parquet', 'index'].map((ending) => ({ path: `store/${entityId}/${name}.${ending}`, bytesMax: null })),
    ),
    ...registries.map(({ entityId, bytes }) => ({ path: `store/series-${entityId}.log`, bytesMax: bytes })),
  ]
}
