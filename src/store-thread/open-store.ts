import type { Manifest, StoreRegistry } from '../catalog/manifest.ts'
import type { Observe } from '../observe/event.ts'
import { EmbeddedStore, type FrozenRows } from '../store/embedded/embedded-store.ts'
import type { SealedFile, SealedFolder } from '../store/embedded/sealed-source.ts'
import type { StoreThreadData } from './messages.ts'

export interface OpenedStore {
  readonly store: EmbeddedStore
  readonly files: readonly SealedFile[]
  readonly folder: SealedFolder
  readonly extendRegistries: (frozen: FrozenRows) => Promise<readonly StoreRegistry[]>
  readonly removeFile: (file: SealedFile) => Promise<void>
}

export async function openStore(data: StoreThreadData, manifest: Manifest, _observe: Observe): Promise<OpenedStore> {
  const store = new EmbeddedStore({ generationRows: data.settings.generationRows }, manifest.sealedPosition)
  const absent = (): never => {
    throw new Error('sealed files are not there yet')
  }
  return { store, files: [], folder: { create: absent, sync: absent }, extendRegistries: absent, removeFile: absent }
}
