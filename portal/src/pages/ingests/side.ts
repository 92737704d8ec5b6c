import type { IngestAnswer, OwnIngestAnswer } from '../../../../src/client/answers.ts'
import type { TidemarkClient } from '../../../../src/client/client.ts'
import { mayDo, session } from '../../session/session.ts'

export type RowsOf = NonNullable<Parameters<TidemarkClient['rejected']>[2]>

/** Operators see the rows of all pushers, pushers only their own. */
export const sideOf = (): RowsOf => (mayDo('admin') ? 'all' : 'own')

export type ShownIngest = Pick<OwnIngestAnswer, 'alias' | 'kind' | 'fields' | 'state' | 'reason' | 'lines'> &
  Partial<Pick<IngestAnswer, 'counters' | 'duplicates' | 'unknown'>> & { readonly entity: string | null }

export async function shownIngest(client: TidemarkClient, alias: string): Promise<ShownIngest> {
  if (sideOf() === 'own') return client.ownIngest(alias)
  const ingest = await client.ingest(alias)
  return { ...ingest, entity: ingest.entity ?? null, reason: ingest.reason ?? null, lines: ingest.lines ?? null }
}

/** The ingests named by the subscriptions of this tab's key; `*` names none. */
export function ownAliases(): readonly string[] {
  const entries = session.get()?.own?.subscriptions ?? []
  const aliases = entries.map(({ ingest }) => ingest).filter((name) => typeof name === 'string' && name !== '*')
  return [...new Set(aliases as string[])].sort()
}
