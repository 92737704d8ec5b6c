import type { ReplayAnswer } from '../../../../src/client/answers.ts'
import { clientOf } from '../../session/session.ts'
import { pagesOfRows } from './all-rows.ts'
import type { RejectedFilter } from './filter.ts'

const none: ReplayAnswer = { replayed: 0, stored: 0, rejected: 0 }

const sum = (one: ReplayAnswer, other: ReplayAnswer): ReplayAnswer => ({
  replayed: one.replayed + other.replayed,
  stored: one.stored + other.stored,
  rejected: one.rejected + other.rejected,
})

/** Validates rows again, one page at a time: those with these ids, or all that match a filter. */
export async function replayRows(
  alias: string,
  which: RejectedFilter | readonly string[],
  signal: AbortSignal,
  onDone: (rows: number) => void,
): Promise<ReplayAnswer> {
  const client = clientOf(signal)
  let outcome = none
  const replay = async (ids: readonly string[]): Promise<void> => {
    if (ids.length === 0) return
    outcome = sum(outcome, await client.replayRejected(alias, ids))
    onDone(outcome.replayed)
  }
  if (Array.isArray(which)) await replay(which)
  else {
    for await (const rows of pagesOfRows(client, alias, which as RejectedFilter)) await replay(rows.map(({ id }) => id))
  }
  return outcome
}
