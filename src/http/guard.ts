import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { isCaller, type Requester, WrongKey } from '../access/caller.ts'
import type { Reader } from '../admission/reader.ts'
import { Problem } from '../model/problem.ts'
import { selfEntity } from '../model/self-history.ts'
import { acceptsType } from './accept.ts'
import type { FailedKeys } from './failed-keys.ts'
import type { HttpSettings } from './http-settings.ts'
import { notPublicReason, type Public } from './open-access.ts'
import type { Services } from './services.ts'

/** Admits a request, before any byte of its body is read, unless the check throws. */
export const admits =
  (check: (request: FastifyRequest) => unknown): onRequestHookHandler =>
  (request, _reply, done) => {
    check(request)
    done()
  }

/** Decides whether a request is admitted, before any byte of its body is read. */
export class Guard {
  readonly #access: Services['access']
  readonly #failedKeys: FailedKeys
  readonly #consumption: Opening
  readonly #metrics: Opening
  readonly #public: Public

  constructor(access: Services['access'], settings: HttpSettings, failedKeys: FailedKeys) {
    this.#access = access
    this.#failedKeys = failedKeys
    const { access: opened, cors, server } = settings
    this.#consumption = opened.consumption
    this.#metrics = metricsAccess(opened)
    const hosts = server.hosts.map((name) => name.toLowerCase())
    this.#public = { origins: cors.origins, hosts, secure: server.tlsCertFile !== '' }
  }

  requester({ headers, routeOptions, query }: Pick<FastifyRequest, 'headers' | 'routeOptions' | 'query'>): Requester {
    const apiKey = headers['x-api-key'] ?? keyInQuery(query, routeOptions.config.keyParameter)
    return this.#access.identify({
      authorization: headers.authorization,
      apiKey: Array.isArray(apiKey) ? apiKey.join(', ') : apiKey,
      schemes: routeOptions.config.keySchemes,
    })
  }

  /** Consumption: public, or with a key that has the right; `mayRead` decides which entities can be read. */
  readonly consumption = admits((request) => this.requireConsumption(request))

  requireConsumption(request: FastifyRequest): void {
    const refusal = this.#refusal(this.#consumption, request)
    if (refusal !== null) this.#access.requireConsume(withRefusal(this.requester(request), refusal))
  }

  readonly admin = admits((request) => this.#access.requireAdmin(this.requester(request)))

  readonly metrics = admits((request) => {
    const refusal = this.#refusal(this.#metrics, request)
    if (refusal !== null) this.#access.requireObserve(withRefusal(this.requester(request), refusal))
  })

  /** For endpoints that report the state of the service and its ingests, and show no rows or keys. */
  readonly observe = admits((request) => this.#access.requireObserve(this.requester(request)))

  /** For a public endpoint that shows more to observers. The response would reveal whether a key is valid, so an invalid one is delayed like a refusal. */
  readonly state: onRequestHookHandler = (request, _reply, done) => {
    const requester = this.#refusal(this.#metrics, request) === null ? null : this.requester(request)
    const isWrong = requester !== null && !isCaller(requester) && requester.isWrongKey === true
    const waitMs = isWrong ? this.#failedKeys.waitMs(new WrongKey(requester.refusal), request.ip) : 0
    if (waitMs === 0) done()
    else setTimeout(done, waitMs)
  }

  /** Whether the caller may see more than the state: sizes and error texts. */
  mayObserve(request: FastifyRequest): boolean {
    if (this.#refusal(this.#metrics, request) === null) return true
    const requester = this.requester(request)
    return isCaller(requester) && (requester.rights.has('observe') || requester.rights.has('admin'))
  }

  /** Whether the caller of a consumption request may read an entity. */
  readable(request: FastifyRequest): (name: string) => boolean {
    return this.#mayRead(request, this.requester(request), this.#refusal(this.#consumption, request) === null)
  }

  /** The reader of a request: a subscriber, whichever key it uses, or an address where reading is public. */
  reader(request: FastifyRequest): Reader {
    const requester = this.requester(request)
    const id = readerId(requester, request)
    return { id, mayRead: this.#mayRead(request, requester, this.#refusal(this.#consumption, request) === null) }
  }

  /** Like `reader`, with a key sent earlier if the request has none. Throws Problem `forbidden` when reading needs a key and none is given that may read. */
  readerOn(request: FastifyRequest, earlierKey: string | null): Reader {
    const requester =
      showsKey(request) || earlierKey === null ? this.requester(request) : this.#access.identify({ apiKey: earlierKey })
    const refusal = this.#refusal(this.#consumption, request)
    const isPublic = refusal === null
    if (!isPublic) this.#access.requireConsume(withRefusal(requester, refusal))
    return { id: readerId(requester, request), mayRead: this.#mayRead(request, requester, isPublic) }
  }

  /** Even where reading is public, the service's own history is only as public as its metrics. */
  #mayRead(request: FastifyRequest, requester: Requester, isPublic: boolean): (name: string) => boolean {
    const isOpen = (name: string): boolean => isPublic && (name !== selfEntity || this.mayObserve(request))
    return (name) => isOpen(name) || this.#access.mayRead(requester, name)
  }

  /** Null when no key is needed; otherwise the reason as a sentence, empty where every request needs one. */
  #refusal(to: Opening, { headers }: FastifyRequest): string | null {
    return to === 'public' ? notPublicReason(headers, this.#public) : ''
  }
}

type Opening = 'public' | 'key'

function withRefusal(requester: Requester, refusal: string): Requester {
  return isCaller(requester) || refusal === ''
    ? requester
    : { ...requester, refusal: `${refusal} ${requester.refusal}` }
}

/** Whether a header contains a key, valid or not. */
export function showsKey({ headers }: FastifyRequest): boolean {
  return headers.authorization !== undefined || headers['x-api-key'] !== undefined
}

/** If the parameter is repeated, the request has two keys and neither counts. */
function keyInQuery(query: unknown, parameter: string | undefined): string | undefined {
  if (parameter === undefined || typeof query !== 'object' || query === null) return undefined
  const value: unknown = Reflect.get(query, parameter)
  return typeof value === 'string' ? value : undefined
}

function readerId(requester: Requester, { ip }: FastifyRequest): string {
  return isCaller(requester) ? `subscriber ${requester.subscriberId}` : `address ${ip}`
}

/** Unless the operator sets it, metrics need a key exactly where consumption does. */
export function metricsAccess({ consumption, metrics }: HttpSettings['access']): Opening {
  return metrics ?? consumption
}

/** Refuses a client that does not accept JSON, for endpoints with no other format. */
export const acceptJson: onRequestHookHandler = (request, _reply, done) => {
  if (acceptsType(request.headers.accept, 'application/json')) done()
  else done(new Problem('not_acceptable', 'The answer is application/json. Leave Accept out, or allow that type.'))
}
