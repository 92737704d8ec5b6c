import type { StoredVector } from '../../../catalog/manifest.ts'
import type { SealedFile, StoredFolder } from '../reading/sealed-source.ts'
import { type MergeOptions, mergeFiles } from '../sealing/merge-files.ts'
import { carryVectors } from './carry-vectors.ts'
import { type DeletionVector, encodeRows } from './deletion-vector.ts'
import { baseOf, VisibleFile } from './visible-file.ts'

export interface RewriteOptions extends MergeOptions {
  readonly folder: StoredFolder
  /** Whether rows that a deletion selects are removed for good. */
  readonly isErased: (deletionId: number) => boolean
}

export interface RewrittenFiles {
  /** As they are seen. */
  readonly files: readonly SealedFile[]
  /** What of them is not. */
  readonly vectors: readonly StoredVector[]
}

/** As `mergeFiles`, without the rows that are removed for good; other deletions select the same rows as before. */
export async function rewriteFiles(
  files: readonly SealedFile[],
  { isErased, ...options }: RewriteOptions,
): Promise<RewrittenFiles> {
  const { registry, folder, pacer } = options
  const visible = files.filter((file) => file instanceof VisibleFile)
  const isKept = ({ deletionId }: DeletionVector): boolean => !isErased(deletionId)
  const sources = files.map((file): SealedFile => {
    if (!(file instanceof VisibleFile)) return file
    const erased = file.vectors.filter((vector) => !isKept(vector))
    return erased.length === 0 ? file.base : new VisibleFile(file.base, erased, registry)
  })
  const left = sources.filter(({ info }) => info.rows > 0)
  const made = left.length === 0 ? [] : (await mergeFiles(left, options)).map((file) => folder.stored(file))
  const carried = await carryVectors(visible, made, isKept, pacer)
  const vectors = [...carried].flatMap(([{ info }, ofFile]) =>
    ofFile.map(({ deletionId, rows }) => ({ ...keyOf(info), deletionId, bytes: encodeRows(rows) })),
  )
  const seen = made.map((file) => {
    const ofFile = carried.get(file)
    return ofFile === undefined ? baseOf(file) : new VisibleFile(file, ofFile, registry)
  })
  return { files: seen, vectors }
}

const keyOf = ({ entityId, name }: SealedFile['info']) => ({ entityId, name })
