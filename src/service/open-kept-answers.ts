// Answers of data queries that are kept, on one machine.
import type { Settings } from '../config/settings.ts'
import type { Levels } from '../observe/metrics.ts'
import { KeptAnswers } from '../query/kept-answers.ts'
import type { Storage } from './open-storage.ts'

/** Null where none are kept. */
export function openKeptAnswers(
  { limits }: Pick<Settings, 'limits'>,
  { store, changes }: Pick<Storage, 'store' | 'changes'>,
): KeptAnswers | null {
  const { keptAnswerBytes: bytesMax } = limits
  if (bytesMax === 0) return null
  const { unsent } = store
  return new KeptAnswers({ bytesMax, changes, unsent, isReady: () => store.isReady })
}

export type KeptLevel = Extract<keyof Levels, `kept_${string}`>

export function keptLevels(kept: KeptAnswers | null): Pick<Levels, KeptLevel> {
  return {
    kept_answer_bytes: () => kept?.bytes ?? 0,
    kept_answer_hits_total: () => kept?.counts.hits ?? 0,
    kept_answer_misses_total: () => kept?.counts.misses ?? 0,
  }
}
