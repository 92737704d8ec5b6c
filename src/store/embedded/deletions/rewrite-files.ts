import type { StoredVector } from '../../../catalog/manifest.ts'
import type { SealedFile, StoredFolder } from '../reading/sealed-source.ts'
import { type MergeOptions, mergeFiles } from '../sealing/merge-files.ts'
import { carryVectors } from './carry-vectors.ts'
import { type DeletionVector, encodeRows } from './deletion-vector.ts'
import { baseOf, VisibleFile } from './visible-file.ts'

export interface RewriteOptions extends MergeOptions {
  readonly folder: StoredFolder
  /** Whether rows that a deletion selects are removed for good. This may change during the rewrite. */
  readonly isErased: (deletionId: number) => boolean
  /** Deletes a file that was never read. */
  readonly remove: (file: SealedFile) => void
}

export interface RewrittenFiles {
  /** The new files, without hidden rows. */
  readonly files: readonly SealedFile[]
  /** The deletion vectors of the new files. */
  readonly vectors: readonly StoredVector[]
}

/** Merges files like `mergeFiles`, without the rows that are removed for good. Other deletions select the same rows as before. */
export async function rewriteFiles(
  files: readonly SealedFile[],
  { isErased, remove, ...options }: RewriteOptions,
): Promise<RewrittenFiles> {
  const { registry, folder, pacer } = options
  // Evaluated once: a row that is neither left out nor carried over would become visible again.
  const erased = new Set(
    files
      .flatMap(vectorsOf)
      .map(({ deletionId }) => deletionId)
      .filter(isErased),
  )
  const isKept = ({ deletionId }: DeletionVector): boolean => !erased.has(deletionId)
  const sources = files.map((file): SealedFile => {
    if (!(file instanceof VisibleFile)) return file
    const gone = file.vectors.filter((vector) => !isKept(vector))
    return gone.length === 0 ? file.base : new VisibleFile(file.base, gone, registry)
  })
  const left = sources.filter(({ info }) => info.rows > 0)
  const made = left.length === 0 ? [] : (await mergeFiles(left, options)).map((file) => folder.stored(file))
  try {
    const visible = files.filter((file) => file instanceof VisibleFile)
    const carried = await carryVectors(visible, made, isKept, pacer)
    const vectors = [...carried].flatMap(([{ info }, ofFile]) =>
      ofFile.map(({ deletionId, rows }) => ({ ...keyOf(info), deletionId, bytes: encodeRows(rows) })),
    )
    const seen = made.map((file) => {
      const ofFile = carried.get(file)
      return ofFile === undefined ? baseOf(file) : new VisibleFile(file, ofFile, registry)
    })
    return { files: seen, vectors }
  } catch (error) {
    for (const file of made) remove(file)
    throw error
  }
}

const vectorsOf = (file: SealedFile): readonly DeletionVector[] => (file instanceof VisibleFile ? file.vectors : [])

const keyOf = ({ entityId, name }: SealedFile['info']) => ({ entityId, name })
