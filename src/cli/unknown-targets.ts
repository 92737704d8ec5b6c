// A subscription may come before what it is for; it may also be for a name that was misspelt.
import type { TidemarkClient } from '../client/client.ts'
import { ServiceError } from '../client/service-error.ts'
import { mayBeMeant } from '../lib/likely-word.ts'
import { shellWord } from '../lib/shell-word.ts'
import { allItems } from './all-items.ts'
import type { Targets } from './changed-subscriptions.ts'

/** A sentence for each target that is not there yet. */
export async function unknownTargets(client: TidemarkClient, targets: Targets): Promise<readonly string[]> {
  return [...(await unknownIngests(client, targets)), ...(await unknownEntities(client, targets))]
}

async function unknownIngests(client: TidemarkClient, { ingest = [] }: Targets): Promise<readonly string[]> {
  const unknown: string[] = []
  for (const alias of ingest.filter((one) => one !== '*')) {
    await client.ingest(alias).catch((error: unknown) => {
      if (error instanceof ServiceError && error.status === 404) unknown.push(alias)
    })
  }
  return unknown.map(
    (alias) => `There is no ingest "${alias}" yet: tidemark ingests create ${shellWord(alias)} makes it.`,
  )
}

async function unknownEntities(client: TidemarkClient, { entity = [] }: Targets): Promise<readonly string[]> {
  const asked = entity.filter((one) => one !== '*')
  if (asked.length === 0) return []
  const names = await entityNames(client).catch(() => null)
  if (names === null) return []
  return asked
    .filter((name) => !names.includes(name))
    .map((name) => `There is no entity "${name}" yet.${mayBeMeant(name, names)}`)
}

/** Of series and of metadata. */
async function entityNames(client: TidemarkClient): Promise<readonly string[]> {
  const series = await allItems((page) => client.adminEntities(page))
  return [...series, ...(await client.metadata())].map(({ entity }) => entity)
}
