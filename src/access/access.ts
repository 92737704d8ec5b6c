import type { AccessCatalog, AccessState, Subscription } from '../catalog/catalog.ts'
import { addTo } from '../lib/add-to.ts'
import { CachedState } from '../lib/cached-state.ts'
import { didYouMean } from '../lib/likely-word.ts'
import { Problem } from '../model/problem.ts'
import { rightNames } from '../model/right.ts'
import { type Caller, expiredKey, isCaller, type Requester, requireCaller, unknownKey, withoutKey } from './caller.ts'
import { type Credential, hashKey, keyIn } from './keys.ts'
import { isValid, type OwnSubscriptionAnswer, subscriptionAnswer, wasValid } from './subscriptions.ts'

const retryMs = 1000

/**
 * Checks access, from memory because every request needs it. Code that changes access in the catalog calls `refresh`. A failed refresh is retried
 * automatically, so that a revoked key does not stay valid.
 */
export class Access {
  readonly #cached: CachedState<AccessState>
  readonly #nowMs: () => number
  #grants: ReadonlyMap<string, Grant> = new Map()
  #subscriptions: ReadonlyMap<number, Subscriptions> = new Map()
  #changes = 0

  private constructor(catalog: AccessCatalog, nowMs: () => number) {
    this.#cached = new CachedState({ read: () => catalog.state(), hold: (state) => this.#hold(state), retryMs })
    this.#nowMs = nowMs
  }

  static async open(catalog: AccessCatalog, nowMs: () => number): Promise<Access> {
    const access = new Access(catalog, nowMs)
    await access.refresh()
    return access
  }

  /** Increases when access changes: callers identified before must be identified again. */
  get changes(): number {
    return this.#changes
  }

  refresh(): Promise<void> {
    return this.#cached.refresh()
  }

  close(): void {
    this.#cached.close()
  }

  /**
   * The caller with this credential; a stranger when it is missing, unknown or expired, or when the request has two different ones. Keys are looked up by hash,
   * so timing can at most reveal something about hashes, from which no key can be derived. Constant time is therefore unnecessary.
   */
  identify(credential: Credential): Requester {
    const key = keyIn(credential)
    if (key === null) return withoutKey(credential)
    const grant = this.#grants.get(hashKey(key))
    if (grant === undefined) return unknownKey
    const { caller, expiresMs } = grant
    return expiresMs === null || this.#nowMs() < expiresMs ? caller : expiredKey(expiresMs)
  }

  /** Throws Problem `forbidden` unless the caller may push to the ingest, whether or not the ingest exists. */
  requireIngest(asker: Requester, alias: string): Caller {
    const known = requireIngestRight(asker)
    const subscriptions = this.#subscriptions.get(known.subscriberId)
    if (subscriptions?.allowIngest(alias, this.#nowMs())) return known
    throw new Problem(
      'forbidden',
      `The subscriber has no valid subscription to the ingest "${alias}".${likelyAmong(subscriptions, alias)} ` +
        'GET /subscription shows its subscriptions. Ask the operator for one to this ingest, or to extend or resume it.',
    )
  }

  /**
   * Throws Problem `forbidden` unless the caller may see its own pushes to the ingest, whether or not the ingest exists. The subscription to it may have ended.
   */
  requireOwnRows(asker: Requester, alias: string): Caller {
    const known = requireIngestRight(asker)
    const subscriptions = this.#subscriptions.get(known.subscriberId)
    if (subscriptions?.allowedIngest(alias, this.#nowMs())) return known
    throw new Problem(
      'forbidden',
      `The subscriber has no subscription to the ingest "${alias}", and never had one.${likelyAmong(subscriptions, alias)} Check GET /subscription, and ask the operator for one.`,
    )
  }

  /** Whether the subscriber's keys with the right `ingest` may push to the ingest. */
  mayPush(subscriberId: number, alias: string): boolean {
    return this.#subscriptions.get(subscriberId)?.allowIngest(alias, this.#nowMs()) ?? false
  }

  /** Throws Problem `forbidden` unless the caller may read data at all; `mayRead` decides for each entity. */
  requireConsume(asker: Requester): Caller {
    const known = requireCaller(asker)
    if (known.rights.has('consume') || known.rights.has('admin')) return known
    throw new Problem('forbidden', 'The key lacks the right `consume`. Ask the operator for a key that has it.')
  }

  /** Throws Problem `forbidden` unless the caller may see the state of the service and its ingests (no rows, no keys). */
  requireObserve(asker: Requester): Caller {
    const known = requireCaller(asker)
    if (known.rights.has('observe') || known.rights.has('admin')) return known
    throw new Problem('forbidden', 'The key lacks the right `observe`. Use a key that has it, or an admin key.')
  }

  /** Throws Problem `forbidden` unless the caller is an operator. */
  requireAdmin(asker: Requester): Caller {
    const known = requireCaller(asker)
    if (known.rights.has('admin')) return known
    throw new Problem('forbidden', 'The key lacks the right `admin`, which this endpoint needs. Use an admin key.')
  }

  /**
   * Throws Problem `forbidden` unless the caller may delete rows of the entity: an operator, or a caller with `correct` and `consume` that may read the entity;
   * whether or not the entity exists.
   */
  requireCorrect(asker: Requester, entity: string): Caller {
    const known = requireCaller(asker)
    if (known.rights.has('admin')) return known
    if (!known.rights.has('correct') || !known.rights.has('consume')) {
      throw new Problem(
        'forbidden',
        'The key lacks the right `correct` or `consume`, and deletions need both. Ask the operator for a key that has them.',
      )
    }
    if (this.mayRead(known, entity)) return known
    throw new Problem(
      'forbidden',
      `The subscriber has no valid subscription to the entity "${entity}". GET /subscription shows its subscriptions.`,
    )
  }

  /** Whether the caller may read a series or metadata entity while `access.consumption` is `key`. */
  mayRead(asker: Requester, entityOrTable: string): boolean {
    if (!isCaller(asker)) return false
    if (asker.rights.has('admin')) return true
    if (!asker.rights.has('consume')) return false
    return this.#subscriptions.get(asker.subscriberId)?.allowEntity(entityOrTable, this.#nowMs()) ?? false
  }

  /** The caller's rights and subscriptions. Throws Problem `forbidden` without a valid key. */
  describe(asker: Requester): OwnSubscriptionAnswer {
    const { subscriber, subscriberId, rights } = requireCaller(asker)
    const nowMs = this.#nowMs()
    const all = this.#subscriptions.get(subscriberId)?.all ?? []
    return {
      subscriber,
      rights: rightNames.filter((right) => rights.has(right)),
      subscriptions: all.map((one) => ({ ...subscriptionAnswer(one), valid: isValid(one, nowMs) })),
    }
  }

  #hold(state: AccessState): void {
    this.#changes += 1
    this.#grants = grantsByHash(state)
    this.#subscriptions = new Map([...state.subscriptions].map(([id, all]) => [id, new Subscriptions(all)]))
  }
}

interface Grant {
  readonly caller: Caller
  readonly expiresMs: number | null
}

function grantsByHash({ keys, subscribers }: AccessState): ReadonlyMap<string, Grant> {
  const names = new Map(subscribers.map(({ id, name }) => [id, name]))
  const grants = new Map<string, Grant>()
  for (const { id, hash, subscriberId, rights, expiresMs } of keys) {
    const subscriber = names.get(subscriberId)
    if (subscriber === undefined) throw new Error(`a key belongs to subscriber ${subscriberId}, which is not there`)
    grants.set(hash, { caller: { keyId: id, subscriberId, subscriber, rights: new Set(rights) }, expiresMs })
  }
  return grants
}

function requireIngestRight(asker: Requester): Caller {
  const known = requireCaller(asker)
  if (known.rights.has('ingest')) return known
  const detail = known.rights.has('admin')
    ? 'This is an admin key, which cannot push. Create a key with the right `ingest` for a subscriber with a subscription to the ingest, and use that.'
    : 'The key lacks the right `ingest`. Ask the operator for a key that has it.'
  throw new Problem('forbidden', detail)
}

const every = '*'

/** A hint from the caller's own subscriptions only, which it may see anyway. */
function likelyAmong(subscriptions: Subscriptions | undefined, alias: string): string {
  return didYouMean(alias, subscriptions?.ingests() ?? [])
}

/** One subscriber's subscriptions, indexed by ingest and entity. */
class Subscriptions {
  readonly all: readonly Subscription[]
  readonly #byIngest: ReadonlyMap<string, readonly Subscription[]>
  readonly #byEntity: ReadonlyMap<string, readonly Subscription[]>

  constructor(all: readonly Subscription[]) {
    this.all = all
    this.#byIngest = grouped(all, ({ ingest }) => ingest)
    this.#byEntity = grouped(all, ({ entity }) => entity)
  }

  /** The ingests named in subscriptions, without `*`. */
  ingests(): readonly string[] {
    return [...this.#byIngest.keys()].filter((alias) => alias !== every)
  }

  allowIngest(alias: string, nowMs: number): boolean {
    return anyValid(this.#byIngest.get(alias), nowMs) || anyValid(this.#byIngest.get(every), nowMs)
  }

  /** Whether a push to the ingest is allowed now, or was in the past. */
  allowedIngest(alias: string, nowMs: number): boolean {
    return [alias, every].some((name) => this.#byIngest.get(name)?.some((one) => wasValid(one, nowMs)) ?? false)
  }

  allowEntity(name: string, nowMs: number): boolean {
    return anyValid(this.#byEntity.get(name), nowMs) || anyValid(this.#byEntity.get(every), nowMs)
  }
}

function anyValid(subscriptions: readonly Subscription[] | undefined, nowMs: number): boolean {
  return subscriptions?.some((subscription) => isValid(subscription, nowMs)) ?? false
}

function grouped(
  all: readonly Subscription[],
  nameOf: (subscription: Subscription) => string | null,
): ReadonlyMap<string, readonly Subscription[]> {
  const groups = new Map<string, Subscription[]>()
  for (const subscription of all) {
    const name = nameOf(subscription)
    if (name === null) continue
    addTo(groups, name, subscription)
  }
  return groups
}
