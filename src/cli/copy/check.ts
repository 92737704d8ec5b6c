// Whether the target holds what the source holds, in the end.
import type { Sent } from './sending.ts'

export interface CopyCounts extends Pick<Sent, 'copied' | 'rejected' | 'pending'> {
  readonly unit: 'rows' | 'items'
  /** Before the copy began, and after it ended. */
  readonly sourceBefore: number
  readonly sourceAfter: number
  readonly targetBefore: number
  readonly targetAfter: number
  /** Whether dates left out some rows. */
  readonly partial: boolean
}

export interface Verdict {
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

/** How many the target should hold at the end; null where nobody can know, as it held some before. */
export function expectedAfter(counts: Omit<CopyCounts, 'targetAfter'>): number | null {
  if (counts.targetBefore > 0) return counts.partial ? null : Math.max(counts.targetBefore, counts.sourceAfter)
  return counts.partial ? counts.copied : counts.sourceAfter
}

/** Sentences on what is wrong, and on what is worth knowing. */
export function verdictOf(counts: CopyCounts): Verdict {
  const { unit, copied, rejected, pending, sourceBefore, sourceAfter, targetBefore, targetAfter, partial } = counts
  const problems: string[] = []
  const notes: string[] = []
  if (rejected > 0) problems.push(`the target rejected ${rejected} ${unit}`)
  if (pending > 0) problems.push(`the target has not validated ${pending} ${unit} yet`)
  if (targetBefore > 0) {
    notes.push(
      `the target had ${targetBefore} ${unit} before; it has ${targetAfter} now, the source has ${sourceAfter}`,
    )
    return { problems, notes }
  }
  const expected = partial ? copied : sourceAfter
  if (targetAfter === expected) return { problems, notes }
  problems.push(
    partial
      ? `${copied} ${unit} were copied, and the target has ${targetAfter}`
      : `the source has ${sourceAfter} ${unit}, and the target ${targetAfter}`,
  )
  if (sourceAfter !== sourceBefore)
    problems.push(`the source had ${sourceBefore} ${unit} when the copy began: it is still pushed to`)
  else if (!partial && copied < sourceAfter) {
    notes.push(
      `the source shows ${copied} of its ${sourceAfter} ${unit}; rows without a value in any metric, and rows older than the retention, are never shown`,
    )
  }
  return { problems, notes }
}
