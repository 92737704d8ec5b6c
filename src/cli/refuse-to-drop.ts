import type { TidemarkClient } from '../client/client.ts'
import { CommandError } from './command-error.ts'

/** Throws `CommandError` where the ingest's entity has items: they would be deleted at once and for good. */
export async function refuseToDrop(client: TidemarkClient, alias: string): Promise<void> {
  const { kind, entity, counters } = await client.ingest(alias)
  const word = kind === 'metadata' ? 'item' : 'row'
  // Metadata is no entity of this list. The rows of one that an earlier ingest fed are more than this ingest stored.
  const kept = (await client.entities()).find((one) => one.entity === entity)?.rows ?? counters.stored
  const count = kept + counters.pending
  if (count === 0) return
  const [items, them] = count === 1 ? [word, 'it'] : [`${word}s`, 'them']
  throw new CommandError(
    `${entity} has ${count} ${items}. --drop-data would delete ${them} now, for good: only a backup brings ${them} back. Give --yes to delete ${them}, or leave --drop-data out to keep ${them}.`,
  )
}
