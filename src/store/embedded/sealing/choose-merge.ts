import { addTo } from '../../../lib/add-to.ts'
import type { SealedFileInfo } from '../reading/sealed-source.ts'

export interface MergeRules {
  /** The fewest files of similar size that are merged. */
  readonly filesMin: number
  /** The most rows of a file made by merging. */
  readonly fileRowsMax: number
  /** Files with fewer rows are of similar size; above that, each tier is four times the previous one. */
  readonly smallFileRows: number
}

export const defaultMergeRules: MergeRules = {
  filesMin: 4,
  fileRowsMax: 16_000_000,
  smallFileRows: 20_000,
}

interface Candidate {
  readonly info: SealedFileInfo
}

/**
 * Chooses the files to be merged next, null when there is nothing to gain: files of one entity and kind, of one UTC day or all mixed, and of
 * similar size. Among several choices the one with the most files wins, because these cost queries most; then the one with the fewest rows.
 */
export function chooseMerge<File extends Candidate>(
  files: readonly File[],
  rules: MergeRules = defaultMergeRules,
): readonly File[] | null {
  const groups = new Map<string, File[]>()
  for (const file of files) {
    const { entityId, kind, day, rows } = file.info
    const key = [entityId, kind, day, tierOf(rows, rules)].join()
    addTo(groups, key, file)
  }
  let best: readonly File[] | null = null
  for (const group of groups.values()) {
    const choice = fitting(group, rules.fileRowsMax)
    if (choice.length >= rules.filesMin && (best === null || isBetter(choice, best))) best = choice
  }
  return best
}

function tierOf(rows: number, { smallFileRows }: MergeRules): number {
  let tier = 0
  for (let most = smallFileRows; rows >= most; most *= 4) tier++
  return tier
}

/** As many files as fit into one, smallest first. */
function fitting<File extends Candidate>(files: readonly File[], rowsMax: number): readonly File[] {
  let rows = 0
  return files
    .toSorted((left, right) => left.info.rows - right.info.rows)
    .filter(({ info }) => {
      rows += info.rows
      return rows <= rowsMax
    })
}

function isBetter(left: readonly Candidate[], right: readonly Candidate[]): boolean {
  return left.length === right.length ? rowsOf(left) < rowsOf(right) : left.length > right.length
}

function rowsOf(files: readonly Candidate[]): number {
  return files.reduce((sum, { info }) => sum + info.rows, 0)
}
