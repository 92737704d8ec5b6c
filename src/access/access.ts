import type { AccessCatalog, AccessState, Subscription } from '../catalog/catalog.ts'
import { addTo } from '../lib/add-to.ts'
import { CachedState } from '../lib/cached-state.ts'
import { mayBeMeant } from '../lib/likely-word.ts'
import { Problem } from '../model/problem.ts'
import { rightNames } from '../model/right.ts'
import { type Asker, type Caller, expiredKey, isCaller, requireCaller, unknownKey, withoutKey } from './caller.ts'
import { type Credential, hashKey, keyIn } from './keys.ts'
import { isValid, type OwnSubscriptionAnswer, subscriptionAnswer, wasValid } from './subscriptions.ts'

const retryMs = 1000

/**
 * Decides who may do what. It decides from memory, because every request asks. Whoever changes access in the catalog calls `refresh`. A
 * refresh that fails is repeated by itself, so that a revoked key does not stay valid.
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

  /** Grows whenever what somebody may do has changed: who was identified before has to be asked again. */
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
   * The caller that a credential stands for; a stranger when it is missing, unknown, expired, or is two that differ. Keys are found by their
   * hash: how long that takes tells something about hashes at most, and from a hash no key can be made. So nothing here runs in constant time.
   */
  identify(credential: Credential): Asker {
    const key = keyIn(credential)
    if (key === null) return withoutKey(credential)
    const grant = this.#grants.get(hashKey(key))
    if (grant === undefined) return unknownKey
    const { caller, expiresMs } = grant
    return expiresMs === null || this.#nowMs() < expiresMs ? caller : expiredKey(expiresMs)
  }

  /** Throws Problem `forbidden` unless the caller may push to the ingest; whether there is such an ingest makes no difference. */
  requireIngest(asker: Asker, alias: string): Caller {
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
   * Throws Problem `forbidden` unless the caller may see what he pushed to the ingest: his subscription to it may have ended; whether there is such
   * an ingest makes no difference.
   */
  requireOwnRows(asker: Asker, alias: string): Caller {
    const known = requireIngestRight(asker)
    const subscriptions = this.#subscriptions.get(known.subscriberId)
    if (subscriptions?.allowedIngest(alias, this.#nowMs())) return known
    throw new Problem(
      'forbidden',
      `The subscriber has no subscription to the ingest "${alias}", nor had one.${likelyAmong(subscriptions, alias)} Look at GET /subscription, and ask the operator for one.`,
    )
  }

  /** Whether a subscriber's keys may push to the ingest, where they have the right `ingest`. */
  mayPush(subscriberId: number, alias: string): boolean {
    return this.#subscriptions.get(subscriberId)?.allowIngest(alias, this.#nowMs()) ?? false
  }

  /** Throws Problem `forbidden` unless the caller may read anything at all; what that is, `mayRead` says. */
  requireConsume(asker: Asker): Caller {
    const known = requireCaller(asker)
    if (known.rights.has('consume') || known.rights.has('admin')) return known
    throw new Problem('forbidden', 'The key lacks the right `consume`. Ask the operator for a key that has it.')
  }

  /** Throws Problem `forbidden` unless the caller may see how the service and its ingests fare: no rows, no keys. */
  requireObserve(asker: Asker): Caller {
    const known = requireCaller(asker)
    if (known.rights.has('observe') || known.rights.has('admin')) return known
    throw new Problem('forbidden', 'The key lacks the right `observe`. Use a key that has it, or an admin key.')
  }

  /** Throws Problem `forbidden` unless the caller is an operator. */
  requireAdmin(asker: Asker): Caller {
    const known = requireCaller(asker)
    if (known.rights.has('admin')) return known
    throw new Problem('forbidden', 'The key lacks the right `admin`, which this endpoint needs. Use an admin key.')
  }

  /**
   * Throws Problem `forbidden` unless the caller may delete rows of the entity: an operator, or who may correct it and read it; whether there is such an
   * entity makes no difference.
   */
  requireCorrect(asker: Asker, entity: string): Caller {
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
  mayRead(asker: Asker, entityOrTable: string): boolean {
    if (!isCaller(asker)) return false
    if (asker.rights.has('admin')) return true
    if (!asker.rights.has('consume')) return false
    return this.#subscriptions.get(asker.subscriberId)?.allowEntity(entityOrTable, this.#nowMs()) ?? false
  }

  /** What the caller has access to. Throws Problem `forbidden` without a valid key. */
  describe(asker: Asker): OwnSubscriptionAnswer {
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

function requireIngestRight(asker: Asker): Caller {
  const known = requireCaller(asker)
  if (known.rights.has('ingest')) return known
  const detail = known.rights.has('admin')
    ? 'This is an admin key: it opens the operator’s side and does not push. Make a key with the right `ingest` for a subscriber with a subscription to the ingest, and use that.'
    : 'The key lacks the right `ingest`. Ask the operator for a key that has it.'
  throw new Problem('forbidden', detail)
}

const every = '*'

/** Of his own subscriptions alone: these he may see anyway. */
function likelyAmong(subscriptions: Subscriptions | undefined, alias: string): string {
  return mayBeMeant(alias, subscriptions?.ingests() ?? [])
}

/** One subscriber's subscriptions, found by what they are for. */
class Subscriptions {
  readonly all: readonly Subscription[]
  readonly #byIngest: ReadonlyMap<string, readonly Subscription[]>
  readonly #byEntity: ReadonlyMap<string, readonly Subscription[]>

  constructor(all: readonly Subscription[]) {
    this.all = all
    this.#byIngest = grouped(all, ({ ingest }) => ingest)
    this.#byEntity = grouped(all, ({ entity }) => entity)
  }

  /** The ingests that they name. */
  ingests(): readonly string[] {
    return [...this.#byIngest.keys()].filter((alias) => alias !== every)
  }

  allowIngest(alias: string, nowMs: number): boolean {
    return anyValid(this.#byIngest.get(alias), nowMs) || anyValid(this.#byIngest.get(every), nowMs)
  }

  /** Whether it may be pushed to, or might once. */
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
