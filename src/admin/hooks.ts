import { Type } from 'typebox'
import type { StateSources } from '../catalog/catalog.ts'
import type { Delivery, Hook, HookCatalog, HookKind } from '../catalog/hooks.ts'
import { didYouMean } from '../lib/likely-word.ts'
import { addressFault } from '../lib/public-address.ts'
import { addDuration, parseDuration } from '../model/duration.ts'
import type { Entity } from '../model/entity.ts'
import { isName } from '../model/field.ts'
import type { Ingest } from '../model/ingest.ts'
import { formatInstant, instantOrNull, msPerDay } from '../model/instant.ts'
import type { NextTokens } from '../model/next-token.ts'
import type { Page, PageRequest } from '../model/page.ts'
import { invalidRequest, Problem } from '../model/problem.ts'
import { afterName, orNull, pageOf, pageSchema } from './list-page.ts'

const plainKinds = ['disk_low', 'part_away', 'backup_failed', 'replica_behind'] as const
const allKinds = ['rejected_rows', 'nothing_received', ...plainKinds] as const

const nameCharactersMax = 128
/** Limited because the tag is part of a key in the catalog, whose size PostgreSQL limits. */
const tagCharactersMax = 512

const Kind = Type.Object(
  {
    kind: Type.Enum([...allKinds]),
    over: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Of `rejected_rows`: how many rows of an ingest are not too many.' }),
    ),
    within: Type.Optional(
      Type.String({ description: 'Of `rejected_rows`: the time they are counted in, an ISO 8601 duration.' }),
    ),
    ingest: Type.Optional(
      Type.String({ maxLength: nameCharactersMax, description: 'Of `nothing_received`: the alias of an ingest.' }),
    ),
    tag: Type.Optional(
      Type.String({ maxLength: tagCharactersMax, description: 'Of `nothing_received`: a tag, in place of an ingest.' }),
    ),
    entity: Type.Optional(
      Type.String({ maxLength: nameCharactersMax, description: 'The entity of the tag; by default every one.' }),
    ),
    for: Type.Optional(
      Type.String({ description: 'Of `nothing_received`: the time without rows, an ISO 8601 duration.' }),
    ),
  },
  { additionalProperties: false },
)
type Kind = Type.Static<typeof Kind>

const kindsMax = 100
const urlCharactersMax = 2048

export const PutHook = Type.Object(
  {
    url: Type.String({ maxLength: urlCharactersMax, examples: ['https://alarms.example/tidemark'] }),
    kinds: Type.Array(Type.Union([Kind, Type.Enum([...plainKinds])]), {
      maxItems: kindsMax,
      description: 'The kinds of events to send. A kind without options may be given as its name alone.',
      examples: [[{ kind: 'rejected_rows', over: 100, within: 'PT5M' }, 'disk_low']],
    }),
    secret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'The secret that signs events. It is never shown. If left out, the previous one stays.',
      }),
    ),
  },
  { additionalProperties: false, description: 'A hook.' },
)
export type PutHook = Type.Static<typeof PutHook>

export const HookAnswer = Type.Object(
  {
    name: Type.String(),
    url: Type.String(),
    kinds: Type.Array(Kind),
    secret_set: orNull(Type.String({ format: 'date-time' }), {
      description: 'When the secret that signs events was set; null if there is none.',
    }),
    created: Type.String({ format: 'date-time' }),
  },
  { title: 'Hook', description: 'An address to which the service sends events for operators.' },
)
export type HookAnswer = Type.Static<typeof HookAnswer>

export const HookPage = pageSchema(HookAnswer)

const DateOrNull = orNull(Type.String({ format: 'date-time' }))

export const DeliveryAnswer = Type.Object(
  {
    id: Type.String({ description: 'The id of the event, the same at each attempt.' }),
    kind: Type.Enum([...allKinds]),
    time: Type.String({ format: 'date-time' }),
    event: Type.Unknown({ description: 'The event as it is sent.' }),
    state: Type.Enum(['waiting', 'delivered', 'given_up']),
    attempts: Type.Integer(),
    next: DateOrNull,
    ended: DateOrNull,
    status: orNull(Type.Integer(), { description: 'The status of the last answer; null where there was none.' }),
    error: orNull(Type.String(), { description: 'Why the last attempt failed.' }),
  },
  { description: 'An event on its way to a hook.' },
)
export type DeliveryAnswer = Type.Static<typeof DeliveryAnswer>

export const DeliveryPage = pageSchema(DeliveryAnswer)

export interface HookAdminParts {
  readonly hooks: HookCatalog
  readonly tokens: NextTokens
  readonly definitions: {
    ingests(): Iterable<Pick<Ingest, 'alias'>>
    entities(): readonly Pick<Entity, 'name'>[]
  }
  /** Whether an entity has the tag. Throws a Problem while that is unknown. */
  readonly hasTag: (entity: string, tag: string) => Promise<boolean>
  /** Whether a hook's address may be on this machine or in a private network. */
  readonly privateAddresses: boolean
  readonly nowMs: () => number
}

/** Limited because the conditions of each hook are checked continuously. */
export const hooksMax = 100

export class HookAdmin {
  readonly #parts: HookAdminParts

  constructor(parts: HookAdminParts) {
    this.#parts = parts
  }

  /** Throws Problem `invalid_request` for invalid values, `conflict` above `hooksMax`. */
  async put(name: string, request: PutHook): Promise<{ readonly isNew: boolean; readonly answer: HookAnswer }> {
    const { hooks, privateAddresses, nowMs } = this.#parts
    if (!isName(name)) throw invalidRequest('name', 'must be a name: letters, digits, "_", "." and "-", at most 128')
    const url = hookUrl(request.url, privateAddresses)
    const kinds = request.kinds.map((kind, index) =>
      kindOf(typeof kind === 'string' ? { kind } : kind, `kinds[${index}]`),
    )
    for (const [index, kind] of kinds.entries()) await this.#requireKnown(kind, `kinds[${index}]`)
    if (kinds.length === 0) throw invalidRequest('kinds', 'must have at least one kind')
    const isNew = await hooks.put({ name, url, kinds, secret: request.secret, nowMs: nowMs() }, hooksMax)
    return { isNew, answer: answerOf(await this.#found(name)) }
  }

  /** Ordered by name. */
  async list(request: PageRequest): Promise<Page<HookAnswer>> {
    const { hooks, tokens } = this.#parts
    const all = (await hooks.list()).map(answerOf)
    return pageOf<HookAnswer>(request, {
      tokens,
      scope: ['/admin/hooks'],
      keyOf: ({ name }) => name,
      itemsAfter: async (after, limit) => afterName(all, after, limit),
    })
  }

  /** Throws Problem `not_found`. */
  async show(name: string): Promise<HookAnswer> {
    return answerOf(await this.#found(name))
  }

  /** Throws Problem `not_found`. */
  async delete(name: string): Promise<void> {
    if (!(await this.#parts.hooks.delete(name))) throw await this.#unknown(name)
  }

  /** Newest first. Throws Problem `not_found`, `invalid_token`. */
  async deliveries(name: string, request: PageRequest): Promise<Page<DeliveryAnswer>> {
    const { hooks, tokens } = this.#parts
    await this.#found(name)
    const page = await pageOf<Delivery>(request, {
      tokens,
      scope: ['/admin/hooks/deliveries', name],
      keyOf: ({ id }) => String(id),
      itemsAfter: (after, limit) => hooks.deliveries(name, { before: after === null ? null : Number(after), limit }),
    })
    return { ...page, Items: page.Items.map(deliveryAnswer) }
  }

  /** Refuses unknown ingests, entities and tags, for which the hook would never be notified. */
  async #requireKnown(kind: HookKind, path: string): Promise<void> {
    if (kind.kind !== 'nothing_received') return
    const { definitions, hasTag } = this.#parts
    if ('ingest' in kind) {
      const aliases = [...definitions.ingests()].map(({ alias }) => alias)
      requireName(`${path}.ingest`, kind.ingest, aliases, 'ingest')
      return
    }
    const names = definitions.entities().map(({ name }) => name)
    const { tag, entity } = kind
    if (entity !== undefined) requireName(`${path}.entity`, entity, names, 'entity')
    for (const name of entity === undefined ? names : [entity]) if (await hasTag(name, tag)) return
    const where = entity === undefined ? 'no entity has' : `the entity "${entity}" does not have`
    throw invalidRequest(`${path}.tag`, `${where} the tag ${JSON.stringify(tag)}: push a row of it first`)
  }

  async #found(name: string): Promise<Hook> {
    const hook = await this.#parts.hooks.find(name)
    if (hook === null) throw await this.#unknown(name)
    return hook
  }

  async #unknown(name: string): Promise<Problem> {
    const names = (await this.#parts.hooks.list()).map((hook) => hook.name)
    return new Problem(
      'not_found',
      `There is no hook "${name}".${didYouMean(name, names)} GET /admin/hooks lists all hooks.`,
    )
  }
}

function requireName(path: string, name: string, names: readonly string[], what: string): void {
  if (names.includes(name)) return
  throw invalidRequest(path, `there is no ${what} ${JSON.stringify(name)}.${didYouMean(name, names)}`)
}

/** The state of a hook for the audit log; null when it does not exist. */
export async function hookState({ hooks }: StateSources, name: string): Promise<unknown> {
  const hook = await hooks.find(name)
  return hook === null ? null : answerOf(hook)
}

function hookUrl(text: string, privateAddresses: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw invalidRequest('url', 'must be an address such as https://alarms.example/tidemark')
  if (url.username !== '' || url.password !== '')
    throw invalidRequest('url', 'must have no user and no password: it is shown to operators. Use `secret`')
  const fault = privateAddresses ? null : addressFault(url)
  if (fault !== null)
    throw invalidRequest('url', `must be a public address while hooks.privateAddresses is false: ${fault}`)
  return url.href
}

/** Throws Problem `invalid_request` for members that the kind does not have, and for missing ones. */
function kindOf(given: Kind, path: string): HookKind {
  const { kind, over, within, ingest, tag, entity, for: silent } = given
  const takes = { rejected_rows: ['over', 'within'], nothing_received: ['ingest', 'tag', 'entity', 'for'] }[
    kind as string
  ]
  const stranger = Object.keys(given).find((name) => name !== 'kind' && takes?.includes(name) !== true)
  if (stranger !== undefined) throw invalidRequest(`${path}.${stranger}`, `is not a property of ${kind}`)
  if (kind === 'rejected_rows') {
    if (over === undefined) throw invalidRequest(`${path}.over`, 'must be the number of rows that are not too many')
    return { kind, over, within: durationOf(`${path}.within`, within) }
  }
  if (kind !== 'nothing_received') return { kind }
  const forMs = durationOf(`${path}.for`, silent)
  if (tag !== undefined && ingest === undefined)
    return { kind, tag, ...(entity === undefined ? {} : { entity }), for: forMs }
  if (ingest === undefined || tag !== undefined || entity !== undefined)
    throw invalidRequest(path, 'must name an ingest, or a tag, which may be of one entity')
  return { kind, ingest, for: forMs }
}

function durationOf(path: string, text: string | undefined): string {
  const duration = text === undefined || text.length > 64 ? null : parseDuration(text)
  const ms = duration === null ? 0 : addDuration(0, duration, 1)
  if (text !== undefined && ms > 0 && ms <= longestMs) return text
  throw invalidRequest(path, 'must be an ISO 8601 duration such as PT5M, longer than zero and at most a year')
}

const longestMs = 366 * msPerDay

function answerOf({ name, url, kinds, secretSetMs, createdMs }: Hook): HookAnswer {
  return {
    name,
    url,
    kinds: [...kinds],
    secret_set: instantOrNull(secretSetMs),
    created: formatInstant(createdMs),
  }
}

function deliveryAnswer(delivery: Delivery): DeliveryAnswer {
  const { id, kind, timeMs, details, state, attempts, nextMs, status, error, endedMs } = delivery
  return {
    id: String(id),
    kind,
    time: formatInstant(timeMs),
    event: details,
    state,
    attempts,
    next: instantOrNull(nextMs),
    ended: instantOrNull(endedMs),
    status,
    error,
  }
}
