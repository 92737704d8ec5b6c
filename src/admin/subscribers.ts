import { subscriptionAnswer } from '../access/subscriptions.ts'
import type {
  AccessCatalog,
  AccessState,
  Key,
  StateSources,
  Subscriber,
  SubscriberAccess,
  Subscription,
} from '../catalog/catalog.ts'
import { addTo } from '../lib/add-to.ts'
import { mayBeMeant } from '../lib/likely-word.ts'
import { isName } from '../model/field.ts'
import { formatInstant, instantOrNull, parseInstant } from '../model/instant.ts'
import type { NextTokens } from '../model/next-token.ts'
import type { Page, PageRequest } from '../model/page.ts'
import { invalidRequest, Problem } from '../model/problem.ts'
import { afterName, pageOf } from './list-page.ts'
import type {
  CreatedKey,
  CreateKey,
  CreateSubscriber,
  PutSubscriptions,
  SubscriberAnswer,
  SubscriptionAnswer,
} from './subscriber-schemas.ts'

export interface SubscriberAdminParts {
  readonly access: AccessCatalog
  readonly tokens: NextTokens
  /** A key that nobody has, and its hash. */
  readonly newKey: () => { readonly key: string; readonly hash: string }
  readonly newKeyId: () => string
  /** Called after each change, so that it holds everywhere before it is answered. */
  readonly changed: () => Promise<void>
  readonly nowMs: () => number
}

export class SubscriberAdmin {
  readonly #parts: SubscriberAdminParts

  constructor(parts: SubscriberAdminParts) {
    this.#parts = parts
  }

  /** Throws Problem `invalid_request` for a name that cannot stand in a path, `conflict` for a taken one. */
  async create({ name }: CreateSubscriber): Promise<SubscriberAnswer> {
    const { access, changed, nowMs } = this.#parts
    checkName(name)
    const subscriber = await access.createSubscriber(name, nowMs())
    await changed()
    return answerOf(subscriber, [])
  }

  /** By name. */
  async list(request: PageRequest): Promise<Page<SubscriberAnswer>> {
    const { subscribers, keys } = await this.#parts.access.state()
    const keysById = keysBySubscriber(keys)
    const page = await pageOf<Subscriber>(request, {
      tokens: this.#parts.tokens,
      scope: ['/admin/subscribers'],
      keyOf: ({ name }) => name,
      itemsAfter: async (after, limit) => afterName(subscribers, after, limit),
    })
    return { ...page, Items: page.Items.map((subscriber) => answerOf(subscriber, keysById.get(subscriber.id) ?? [])) }
  }

  /** Its keys are revoked at once. Throws Problem `not_found`. */
  async delete(name: string): Promise<void> {
    const { access, changed } = this.#parts
    if (!(await access.deleteSubscriber(name))) throw unknownSubscriber(await access.state(), name)
    await changed()
  }

  /** The key is shown this once. Throws Problem `not_found`, and `invalid_request` when it would have expired already. */
  async createKey(name: string, { rights, expires = null }: CreateKey): Promise<CreatedKey> {
    const { access, changed, nowMs, newKey, newKeyId } = this.#parts
    const expiresMs = expires === null ? null : parseInstant(expires)
    if (expires !== null && (expiresMs === null || expiresMs <= nowMs())) {
      throw invalidRequest(
        'expires',
        'must be a date-time in the future, as 2030-01-01T00:00:00Z; leave it out for a key without end',
      )
    }
    const { id: subscriberId } = (await this.#find(name)).subscriber
    const { key, hash } = newKey()
    const id = newKeyId()
    await access.putKey({ id, subscriberId, hash, rights: [...new Set(rights)], createdMs: nowMs(), expiresMs })
    await changed()
    return { id, key }
  }

  /** Throws Problem `not_found`. */
  async deleteKey(id: string): Promise<void> {
    const { access, changed } = this.#parts
    if (!(await access.deleteKey(id))) {
      throw new Problem(
        'not_found',
        `There is no key with the id "${id}". GET /admin/subscribers lists the ids of all keys.`,
      )
    }
    await changed()
  }

  /** Replaces all of them. Throws Problem `not_found`, and `invalid_request` for one that names nothing or a bad date. */
  async putSubscriptions(name: string, request: PutSubscriptions): Promise<Page<SubscriptionAnswer>> {
    const { access, changed } = this.#parts
    const subscriptions = request.map(subscriptionOf)
    await access.putSubscriptions((await this.#find(name)).subscriber.id, subscriptions)
    await changed()
    return { Items: subscriptions.map(subscriptionAnswer), NextToken: null }
  }

  /** All of them at once, as they were put: what fits into one request fits into one answer. Throws Problem `not_found`. */
  async getSubscriptions(name: string): Promise<Page<SubscriptionAnswer>> {
    const { subscriptions } = await this.#find(name)
    return { Items: subscriptions.map(subscriptionAnswer), NextToken: null }
  }

  async #find(name: string): Promise<SubscriberAccess> {
    const { access } = this.#parts
    const found = await access.find({ name })
    if (found === null) throw unknownSubscriber(await access.state(), name)
    return found
  }
}

const nameCharactersMax = 128

/** A subscriber's name stands in paths, where "." and ".." mean folders, and has to come back from the database as it was. */
function checkName(name: string): void {
  const characters = [...name].length
  const isPlain = !/[\p{Cc}\p{Cs}]/u.test(name) && name !== '.' && name !== '..'
  if (isPlain && characters >= 1 && characters <= nameCharactersMax) return
  throw invalidRequest(
    'name',
    `must have 1 to ${nameCharactersMax} characters, no control characters, and not be "." or ".."`,
  )
}

function unknownSubscriber({ subscribers }: Pick<AccessState, 'subscribers'>, name: string): Problem {
  const names = subscribers.map((subscriber) => subscriber.name)
  return new Problem(
    'not_found',
    `There is no subscriber "${name}".${mayBeMeant(name, names)} GET /admin/subscribers lists all subscribers.`,
  )
}

function keysBySubscriber(keys: readonly Key[]): ReadonlyMap<number, readonly Key[]> {
  const groups = new Map<number, Key[]>()
  for (const key of keys) addTo(groups, key.subscriberId, key)
  return groups
}

function answerOf({ name, createdMs }: Subscriber, keys: readonly Key[]): SubscriberAnswer {
  return { name, created: formatInstant(createdMs), keys: keys.map(keyAnswer) }
}

function keyAnswer({ id, rights, createdMs, expiresMs }: Key): SubscriberAnswer['keys'][number] {
  return {
    id,
    rights: [...rights],
    created: formatInstant(createdMs),
    expires: instantOrNull(expiresMs),
  }
}

/** A subscriber with the keys that he has, but for the keys themselves, as the audit tells it; null where there is none. */
export async function subscriberState({ access }: StateSources, name: string): Promise<unknown> {
  const found = await access.find({ name })
  return found === null ? null : answerOf(found.subscriber, found.keys)
}

/** A key by its id, and whose it is, as the audit tells it; null where there is none. */
export async function keyState({ access }: StateSources, id: string): Promise<unknown> {
  const found = await access.find({ keyId: id })
  const key = found?.keys.find((one) => one.id === id)
  return found === null || key === undefined ? null : { subscriber: found.subscriber.name, ...keyAnswer(key) }
}

/** A subscriber's subscriptions, as the audit tells them; null where there is no such subscriber. */
export async function subscriptionsState({ access }: StateSources, name: string): Promise<unknown> {
  const found = await access.find({ name })
  return found === null ? null : found.subscriptions.map(subscriptionAnswer)
}

/** One entry of a request. Throws Problem `invalid_request` when it names nothing, or its dates are none or the wrong way round. */
function subscriptionOf(entry: PutSubscriptions[number], index: number): Subscription {
  const path = `[${index}]`
  const { ingest = null, entity = null, suspended = false } = entry
  if (ingest === null && entity === null) {
    throw invalidRequest(path, 'must name an ingest, an entity or both; "*" means every one')
  }
  checkTarget(`${path}.ingest`, ingest)
  checkTarget(`${path}.entity`, entity)
  const fromMs = instantOf(`${path}.from`, entry.from)
  const untilMs = instantOf(`${path}.until`, entry.until)
  if (fromMs !== null && untilMs !== null && fromMs > untilMs) {
    throw invalidRequest(`${path}.until`, 'must not be before `from`')
  }
  return { ingest, entity, fromMs, untilMs, suspended }
}

function checkTarget(path: string, target: string | null): void {
  if (target === null || target === '*' || isName(target)) return
  throw invalidRequest(path, 'must be a name, or "*" for every one')
}

/** A date-time of a request; null where it is left out. Throws Problem `invalid_request`. */
export function instantOf(path: string, text: string | null | undefined): number | null {
  if (text === undefined || text === null) return null
  const ms = parseInstant(text)
  if (ms === null) throw invalidRequest(path, 'must be a date-time, as 2026-01-01T00:00:00Z')
  return ms
}
