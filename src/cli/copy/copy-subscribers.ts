import type { SubscriberAnswer, SubscriptionEntry } from '../../client/answers.ts'
import type { TidemarkClient } from '../../client/client.ts'
import { allItems } from '../all-items.ts'
import { CommandError } from '../command-error.ts'
import type { CopyRoute } from './copy-definitions.ts'

export interface CopiedSubscribers {
  readonly created: readonly string[]
  /** Subscribers that exist at both ends with different subscriptions; they were not changed. */
  readonly differing: readonly string[]
  /** Subscribers with keys at the source but none at the target, and the rights of their keys. */
  readonly needKeys: readonly { readonly subscriber: string; readonly rights: readonly string[] }[]
}

/** Only the members that are set, in a fixed order, so that entries can be compared as text. */
const entryOf = ({ ingest, entity, from, until, suspended }: SubscriptionEntry): SubscriptionEntry => ({
  ...(ingest ? { ingest } : {}),
  ...(entity ? { entity } : {}),
  ...(from ? { from } : {}),
  ...(until ? { until } : {}),
  ...(suspended ? { suspended } : {}),
})

async function entriesOf(client: TidemarkClient, name: string): Promise<SubscriptionEntry[]> {
  return (await client.subscriptions(name)).Items.map(entryOf)
}

const sorted = (entries: readonly SubscriptionEntry[]) =>
  entries
    .map((entry) => JSON.stringify(entry))
    .sort()
    .join()

const hasKeys = ({ keys = [] }: SubscriberAnswer) => keys.length > 0

/** Copies subscribers and their subscriptions. Keys cannot be copied: a service stores only their hashes. */
export async function copySubscribers(source: TidemarkClient, target: TidemarkClient): Promise<CopiedSubscribers> {
  const there = new Map((await allItems((page) => target.subscribers(page))).map((item) => [item.name, item]))
  const created: string[] = []
  const differing: string[] = []
  const needKeys: CopiedSubscribers['needKeys'][number][] = []
  for (const subscriber of await allItems((page) => source.subscribers(page))) {
    const { name, keys = [] } = subscriber
    const known = there.get(name)
    if (known === undefined) {
      await target.createSubscriber(name)
      created.push(name)
    }
    if (hasKeys(subscriber) && (known === undefined || !hasKeys(known))) {
      needKeys.push({ subscriber: name, rights: [...new Set(keys.flatMap(({ rights }) => rights))] })
    }
    const wanted = await entriesOf(source, name)
    const standing = known === undefined ? [] : await entriesOf(target, name)
    if (sorted(wanted) === sorted(standing)) continue
    if (standing.length === 0) await target.putSubscriptions(name, wanted)
    else differing.push(name)
  }
  return { created, differing, needKeys }
}

/** Throws `CommandError` unless the client's key has the right `admin`. */
export async function requireAdmin(client: TidemarkClient, end: 'source' | 'target'): Promise<void> {
  const option = end === 'source' ? '--source-key or TIDEMARK_SOURCE_KEY' : '--key or TIDEMARK_KEY'
  const { rights } = await client.subscription().catch((error: unknown) => {
    if (error instanceof Error && 'status' in error && error.status === 403) {
      throw new CommandError(`The ${end} does not know the key. Give an admin key of ${client.url} with ${option}.`)
    }
    throw error
  })
  if (rights.includes('admin')) return
  throw new CommandError(`The key of the ${end} has no right admin. Give an admin key of ${client.url} with ${option}.`)
}

/** Throws `CommandError`, with instructions for making such a key, unless the target's key may push to every copied ingest. */
export async function requirePushing(target: TidemarkClient, routes: readonly CopyRoute[]): Promise<void> {
  const { rights, subscriptions } = await target.subscription()
  const open = subscriptions.filter(({ valid }) => valid).map(({ ingest }) => ingest)
  const mayPush = (alias: string) => rights.includes('ingest') && (open.includes('*') || open.includes(alias))
  const closed = routes.map(({ alias }) => alias).filter((alias) => !mayPush(alias))
  if (closed.length === 0) return
  throw new CommandError(
    `The key of the target (--key) may not push to ${closed.join(', ')}; nothing was copied. An admin key pushes only with a ` +
      `subscription. Make one key that may do both, at ${target.url}:\n` +
      '  tidemark subscribers create copier\n' +
      "  tidemark subscriptions set copier --ingest '*'\n" +
      '  tidemark keys create copier --rights admin,ingest\n' +
      'and delete the subscriber when all is copied ("tidemark subscribers delete copier").',
  )
}
