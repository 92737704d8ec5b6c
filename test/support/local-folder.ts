import { nodeDisk } from '../../src/lib/node-disk.ts'
import type { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { LocalFolder } from '../../src/store/embedded/sealed/local-folder.ts'
import type { Draw } from './random-rows.ts'
import { UsedMemory } from './used-memory.ts'

/** Real files, with pages and caches small enough that every code path is used. */
export function smallLocalFolder(directory: string, store: EmbeddedStore, draw: Draw): LocalFolder {
  const pageRows = 4 + draw(12)
  return new LocalFolder({
    disk: nodeDisk,
    directory,
    registryOf: (entityId) => store.registry(entityId),
    pageRows,
    pageCacheBytes: 4096,
    indexCacheBytes: [1000, 100_000][draw(2)],
    spares: new UsedMemory(),
    writing: { sharedPageRows: 4, groupRows: 30, hourRowsMin: draw(3), tailRowsMin: draw(4) },
  })
}
