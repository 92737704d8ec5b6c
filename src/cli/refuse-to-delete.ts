import type { TidemarkClient } from '../client/client.ts'
import { CommandError } from './command-error.ts'
import { rowsToRepair } from './rejected/rows-to-repair.ts'

/**
 * Throws `CommandError` where something would be deleted at once and for good: with its data all rows or items of an ingest's entity, and always its
 * rejected rows.
 */
export async function refuseToDelete(client: TidemarkClient, alias: string, dropsData: boolean): Promise<void> {
  const { kind, entity, counters } = await client.ingest(alias)
  if (dropsData) {
    // Metadata is no entity of this list. The rows of one that an earlier ingest fed are more than this ingest stored.
    const kept = (await client.entities()).find((one) => one.entity === entity)?.rows ?? counters.stored
    const { items, them } = wordsFor(kept + counters.pending, kind === 'metadata' ? 'item' : 'row')
    if (kept + counters.pending > 0)
      throw new CommandError(
        `${entity} has ${items}. --drop-data would delete ${them} now, for good: only a backup brings ${them} back. Give --yes to delete ${them}, or leave --drop-data out to keep ${them}.`,
      )
  }
  const rejected = await rowsToRepair(client, alias, counters)
  const { items, them } = wordsFor(rejected, 'rejected row')
  if (rejected > 0)
    throw new CommandError(
      `${alias} has ${items} to repair. They go with the ingest, for good. To save ${them}: tidemark rejected export ${alias}. To repair ${them}: tidemark rejected replay ${alias}. Give --yes to delete ${them} too.`,
    )
}

const wordsFor = (count: number, word: string): { readonly items: string; readonly them: string } =>
  count === 1 ? { items: `1 ${word}`, them: 'it' } : { items: `${count} ${word}s`, them: 'them' }
