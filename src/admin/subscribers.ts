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
import { didYouMean } from '../lib/likely-word.ts'
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
  /** Creates a new key and its hash. */
  readonly newKey: () => { readonly key: string; readonly hash: string }
  readonly newKeyId: () => string
  /** Called after each change, so that it applies everywhere before the response. */
  readonly changed: () => Promise<void>
  readonly nowMs: () => number
}

export class SubscriberAdmin {
  readonly #parts: SubscriberAdminParts

  constructor(parts: SubscriberAdminParts) {
    this.#parts = parts
  }

  /** Throws Problem `invalid_request` for a name that cannot be used in a path, `conflict` for a taken one. */
  async create({ name }: CreateSubscriber): Promise<SubscriberAnswer> {
    const { access, changed, nowMs } = this.#parts
    checkName(name)
    const subscriber = await access.createSubscriber(name, nowMs())
    await changed()
    return answerOf(subscriber, [])
  }

  /** Ordered by name. */
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

  /** Also revokes its keys immediately. Throws Problem `not_found`. */
  async delete(name: string): Promise<void> {
    const { access, changed } = this.#parts
    if (!(await access.deleteSubscriber(name))) throw unknownSubscriber(await access.state(), name)
    await changed()
  }

  /** The key is only shown in this response. Throws Problem `not_found`, and `invalid_request` when it would already be expired. */
  async createKey(name: string, { rights, expires = null }: CreateKey): Promise<CreatedKey> {
    const { access, changed, nowMs, newKey, newKeyId } = this.#parts
    const expiresMs = expires === null ? null : parseInstant(expires)
    if (expires !== null && (expiresMs === null || expiresMs <= nowMs())) {
      throw invalidRequest(
        'expires',
        'must be a date-time in the future, such as 2030-01-01T00:00:00Z; leave it out for a key that does not expire',
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

  /** Replaces all subscriptions. Throws Problem `not_found`, and `invalid_request` for one that names nothing or has a bad date. */
  async putSubscriptions(name: string, request: PutSubscriptions): Promise<Page<SubscriptionAnswer>> {
    const { access, changed } = this.#parts
    const subscriptions = request.map(subscriptionOf)
    await access.putSubscriptions((await this.#find(name)).subscriber.id, subscriptions)
    await changed()
    return { Items: subscriptions.map(subscriptionAnswer), NextToken: null }
  }

  /** All subscriptions on one page: since they fit in one request, they fit in one response. Throws Problem `not_found`. */
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

/** A subscriber's name is used in paths, where "." and ".." mean folders, and must be returned unchanged by the database. */
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
    `There is no subscriber "${name}".${didYouMean(name, names)} GET /admin/subscribers lists all subscribers.`,
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

/** The state of a subscriber for the audit log, with the ids of its keys; null when it does not exist. */
export async function subscriberState({ access }: StateSources, name: string): Promise<unknown> {
  const found = await access.find({ name })
  return found === null ? null : answerOf(found.subscriber, found.keys)
}

/** The state of a key for the audit log, by id and with its subscriber; null when it does not exist. */
export async function keyState({ access }: StateSources, id: string): Promise<unknown> {
  const found = await access.find({ keyId: id })
  const key = found?.keys.find((one) => one.id === id)
  return found === null || key === undefined ? null : { subscriber: found.subscriber.name, ...keyAnswer(key) }
}

/** The subscriptions of a subscriber for the audit log; null when the subscriber does not exist. */
export async function subscriptionsState({ access }: StateSources, name: string): Promise<unknown> {
  const found = await access.find({ name })
  return found === null ? null : found.subscriptions.map(subscriptionAnswer)
}

/** Converts one entry of a request. Throws Problem `invalid_request` when it names nothing, or its dates are invalid or in the wrong order. */
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
  throw invalidRequest(path, 'must be a name, or "*" for all')
}

/** Parses a date-time of a request; null when absent. Throws Problem `invalid_request`. */
export function instantOf(path: string, text: string | null | undefined): number | null {
  if (text === undefined || text === null) return null
  const ms = parseInstant(text)
  if (ms === null) throw invalidRequest(path, 'must be a date-time such as 2026-01-01T00:00:00Z')
  return ms
}
