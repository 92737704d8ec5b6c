import type { SealedFile } from '../../src/store/embedded/reading/sealed-source.ts'

/** A sealed file that is never read. */
export function fileOf(name: string, entityId = 1): SealedFile {
  return {
    info: {
      ...{ entityId, kind: 'mixed', day: null, name, rows: 1, firstMs: 0, lastMs: 9 },
      ...{ firstPosition: 0, lastPosition: 1, bytes: 1, indexBytes: 1 },
    },
    digits: new Map(),
    open: () => {
      throw new Error('nothing is read here')
    },
  }
}
