import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { type Asker, isCaller, WrongKey } from '../access/caller.ts'
import type { Reader } from '../admission/reader.ts'
import { Problem } from '../model/problem.ts'
import { selfEntity } from '../model/self-history.ts'
import { acceptsType } from './accept.ts'
import type { FailedKeys } from './failed-keys.ts'
import type { HttpSettings } from './http-settings.ts'
import { type Public, publicBar } from './open-access.ts'
import type { Services } from './services.ts'

/** Lets a request in, before a byte of its body is read, unless the check throws. */
export const admits =
  (check: (request: FastifyRequest) => unknown): onRequestHookHandler =>
  (request, _reply, done) => {
    check(request)
    done()
  }

/** Decides, before a byte of a body is read, whether a request is let in. */
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

  asker({ headers, routeOptions, query }: Pick<FastifyRequest, 'headers' | 'routeOptions' | 'query'>): Asker {
    const apiKey = headers['x-api-key'] ?? keyInQuery(query, routeOptions.config.keyParameter)
    return this.#access.identify({
      authorization: headers.authorization,
      apiKey: Array.isArray(apiKey) ? apiKey.join(', ') : apiKey,
      schemes: routeOptions.config.keySchemes,
    })
  }

  /** Consumption: public, or with a key that has the right to it; what may be read with it is asked of `mayRead`. */
  readonly consumption = admits((request) => this.requireConsumption(request))

  requireConsumption(request: FastifyRequest): void {
    const bar = this.#bar(this.#consumption, request)
    if (bar !== null) this.#access.requireConsume(withBar(this.asker(request), bar))
  }

  readonly admin = admits((request) => this.#access.requireAdmin(this.asker(request)))

  readonly metrics = admits((request) => {
    const bar = this.#bar(this.#metrics, request)
    if (bar !== null) this.#access.requireObserve(withBar(this.asker(request), bar))
  })

  /** What tells how the service and its ingests fare, and shows no rows and no keys. */
  readonly observe = admits((request) => this.#access.requireObserve(this.asker(request)))

  /** Of what anyone is told, and who may observe is told more: the answer would tell a right key from a wrong one, so a wrong one waits as where it is refused. */
  readonly state: onRequestHookHandler = (request, _reply, done) => {
    const asker = this.#bar(this.#metrics, request) === null ? null : this.asker(request)
    const isWrong = asker !== null && !isCaller(asker) && asker.isWrongKey === true
    const waitMs = isWrong ? this.#failedKeys.waitMs(new WrongKey(asker.refusal), request.ip) : 0
    if (waitMs === 0) done()
    else setTimeout(done, waitMs)
  }

  /** Whether the caller is told more than the state: sizes, and what errors say. */
  mayObserve(request: FastifyRequest): boolean {
    if (this.#bar(this.#metrics, request) === null) return true
    const asker = this.asker(request)
    return isCaller(asker) && (asker.rights.has('observe') || asker.rights.has('admin'))
  }

  /** What the caller of a consumption request may read. */
  readable(request: FastifyRequest): (name: string) => boolean {
    return this.#mayRead(request, this.asker(request), this.#bar(this.#consumption, request) === null)
  }

  /** Who asks: a subscriber, whichever of his keys he uses, or where reading is public an address. */
  reader(request: FastifyRequest): Reader {
    const asker = this.asker(request)
    const id = readerId(asker, request)
    return { id, mayRead: this.#mayRead(request, asker, this.#bar(this.#consumption, request) === null) }
  }

  /** As `reader`, by a key that was shown before where the request shows none. Throws Problem `forbidden` where none of them lets him in. */
  readerOn(request: FastifyRequest, earlierKey: string | null): Reader {
    const asker =
      showsKey(request) || earlierKey === null ? this.asker(request) : this.#access.identify({ apiKey: earlierKey })
    const bar = this.#bar(this.#consumption, request)
    const isPublic = bar === null
    if (!isPublic) this.#access.requireConsume(withBar(asker, bar))
    return { id: readerId(asker, request), mayRead: this.#mayRead(request, asker, isPublic) }
  }

  /** Where reading is public, the service's own history still is no more so than its metrics. */
  #mayRead(request: FastifyRequest, asker: Asker, isPublic: boolean): (name: string) => boolean {
    const isOpen = (name: string): boolean => isPublic && (name !== selfEntity || this.mayObserve(request))
    return (name) => isOpen(name) || this.#access.mayRead(asker, name)
  }

  /** Null where no key is needed; else why one is, as a sentence, and nothing where each request needs one. */
  #bar(to: Opening, { headers }: FastifyRequest): string | null {
    return to === 'public' ? publicBar(headers, this.#public) : ''
  }
}

type Opening = 'public' | 'key'

function withBar(asker: Asker, bar: string): Asker {
  return isCaller(asker) || bar === '' ? asker : { ...asker, refusal: `${bar} ${asker.refusal}` }
}

/** Whether a header shows one, whichever it is. */
export function showsKey({ headers }: FastifyRequest): boolean {
  return headers.authorization !== undefined || headers['x-api-key'] !== undefined
}

/** Of a parameter that is there twice, the request shows two keys: none of them counts. */
function keyInQuery(query: unknown, parameter: string | undefined): string | undefined {
  if (parameter === undefined || typeof query !== 'object' || query === null) return undefined
  const value: unknown = Reflect.get(query, parameter)
  return typeof value === 'string' ? value : undefined
}

function readerId(asker: Asker, { ip }: FastifyRequest): string {
  return isCaller(asker) ? `subscriber ${asker.subscriberId}` : `address ${ip}`
}

/** Who is asked for a key before he reads is also asked before he reads metrics, unless the operator said otherwise. */
export function metricsAccess({ consumption, metrics }: HttpSettings['access']): Opening {
  return metrics ?? consumption
}

/** Refuses a client that takes no JSON, where there is nothing else. */
export const acceptJson: onRequestHookHandler = (request, _reply, done) => {
  if (acceptsType(request.headers.accept, 'application/json')) done()
  else done(new Problem('not_acceptable', 'The answer is application/json. Leave Accept out, or allow that type.'))
}
