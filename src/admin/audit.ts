import { Type } from 'typebox'
import type {
  AuditCatalog,
  AuditedChange,
  AuditLine,
  AuditPlace,
  NewAuditLine,
  RequestedChange,
} from '../catalog/audit.ts'
import type { StateSources } from '../catalog/catalog.ts'
import { Serial } from '../lib/serial.ts'
import { addDuration, parseDuration } from '../model/duration.ts'
import { formatInstant } from '../model/instant.ts'
import type { NextTokens } from '../model/next-token.ts'
import { type Page, type PageRequest, pageLimit } from '../model/page.ts'
import { orNull, pageSchema } from './list-page.ts'
import { instantOf } from './subscribers.ts'

const textOrNull = (description: string) => orNull(Type.String(), { description })

export const AuditAnswer = Type.Object(
  {
    time: Type.String({ format: 'date-time' }),
    key: textOrNull('The id of the key that was shown; null for what the service notes itself.'),
    subscriber: textOrNull('The subscriber of the key.'),
    address: textOrNull('The address of the sender.'),
    request: textOrNull("The request's id: its answer has it as `X-Request-Id`."),
    what: Type.String({
      description:
        'The change: the `operationId` of the endpoint, `start` for a start of the service, or `refuseKeys` for requests with an unknown key.',
      examples: ['changeIngest'],
    }),
    name: textOrNull('The name of the changed object, as in the path of the request.'),
    before: Type.Unknown({
      description: 'The state before the change, as a read returns it; null if it did not exist.',
    }),
    after: Type.Unknown({
      description: 'The state after the change, or counts of rows and files; null if it was deleted.',
    }),
  },
  { description: "A change on the operator's side." },
)
export type AuditAnswer = Type.Static<typeof AuditAnswer>

export const AuditPage = pageSchema(AuditAnswer)

export interface AuditRequest extends PageRequest {
  readonly who?: string | undefined
  readonly what?: string | undefined
  readonly from?: string | undefined
  readonly until?: string | undefined
}

export interface AuditParts {
  readonly audit: AuditCatalog<StateSources>
  readonly tokens: NextTokens
  /** A page ends early when its lines total more bytes than this. */
  readonly pageBytes: number
  /** How long lines are kept: an ISO 8601 duration. */
  readonly keep: string
  /** The settings at this start that differ from the defaults, without secrets. */
  readonly settings: unknown
  readonly nowMs: () => number
}

/** Reads the state of an object by its name, in the form shown in the audit log; null when it does not exist. */
export type ReadState = (sources: StateSources, name: string) => Promise<unknown>
export type Asked = RequestedChange<StateSources>

const nobody = { key: null, subscriber: null, address: null, request: null }
const startName = 'start'
const minuteMs = 60_000
/** Requests from further addresses are counted without their address. */
const addressesMax = 20
/** Lines removed per transaction; other changes run in between. */
const removedAtOnce = 1000

/** Requests with unknown keys within one minute. */
interface RefusedKeys {
  readonly startedMs: number
  requests: number
  readonly addresses: Map<string, number>
  lineId: number | null
  /** The number of requests already written to the line. */
  reported: number
}

/** The audit log of changes by operators. Each change writes its line itself, in its own transaction. */
export class Audit {
  readonly #parts: AuditParts
  #refused: RefusedKeys | null = null
  #hasReportedStart = false
  readonly #own = new Serial()

  constructor(parts: AuditParts) {
    this.#parts = parts
  }

  change(asked: Asked): AuditedChange {
    return this.#parts.audit.change(asked, this.#parts.nowMs)
  }

  /** A change that the service makes on its own at startup. */
  startChange(name: string, state: ReadState): AuditedChange {
    return this.change({ ...nobody, what: startName, name, state: (sources) => state(sources, name) })
  }

  /** See `AuditCatalog.setAfter`. */
  setAfter(after: unknown): Promise<void> {
    return this.#parts.audit.setAfter(after)
  }

  /** Counts a request with an unknown key. */
  keyRefused(address: string): void {
    const now = this.#parts.nowMs()
    if (this.#refused === null || now - this.#refused.startedMs >= minuteMs) {
      // Requests that the previous line does not include yet are added to the new one, so a line that cannot be written does not make the state grow.
      const unreported = this.#refused === null ? 0 : this.#refused.requests - this.#refused.reported
      this.#refused = { startedMs: now, requests: unreported, addresses: new Map(), lineId: null, reported: 0 }
    }
    const { addresses } = this.#refused
    this.#refused.requests += 1
    if (addresses.has(address) || addresses.size < addressesMax)
      addresses.set(address, (addresses.get(address) ?? 0) + 1)
  }

  /** Writes the service's own lines that are not written yet. Call it often. */
  keepOwn(): Promise<void> {
    return this.#own.run(async () => {
      await this.#writeStart()
      await this.#writeRefused()
    })
  }

  /** Removes lines older than `audit.keep`. */
  async removeOld(): Promise<void> {
    const { audit, keep, nowMs } = this.#parts
    const duration = parseDuration(keep)
    if (duration === null) throw new Error(`audit.keep is ${keep}, which is not a duration`)
    const beforeMs = addDuration(nowMs(), duration, -1)
    while ((await audit.removeBefore(beforeMs, removedAtOnce)) === removedAtOnce);
  }

  /** Newest first. Throws Problem `invalid_request` for a bad date, `invalid_token`. */
  async list({ who, what, from, until, ...request }: AuditRequest): Promise<Page<AuditAnswer>> {
    const { audit, tokens, pageBytes } = this.#parts
    const limit = pageLimit(request)
    const scope = ['/admin/audit', who ?? null, what ?? null, from ?? null, until ?? null] as const
    const after = request.token === undefined ? null : placeIn(tokens.decode(scope, request.token))
    const [fromMs, untilMs] = [instantOf('from', from) ?? undefined, instantOf('until', until) ?? undefined]
    // A line that cannot be written now is written later; existing lines can be read.
    await this.keepOwn().catch(() => undefined)
    const { lines, more } = await audit.list({ who, what, fromMs, untilMs, after, limit, bytesMax: pageBytes })
    const last = lines.at(-1)
    return {
      Items: lines.map(answerOf),
      NextToken: more && last !== undefined ? tokens.encode(scope, `${last.timeMs} ${last.id}`) : null,
    }
  }

  async #writeStart(): Promise<void> {
    if (this.#hasReportedStart) return
    const { audit, settings } = this.#parts
    this.#hasReportedStart = true
    try {
      const filter = { what: startName, after: null, limit: 1, bytesMax: 1 }
      const [last] = (await audit.list(filter)).lines
      await audit.add(this.#ownLine(startName, last?.after ?? null, settings))
    } catch (error) {
      this.#hasReportedStart = false
      throw error
    }
  }

  async #writeRefused(): Promise<void> {
    const refused = this.#refused
    if (refused === null || refused.reported === refused.requests) return
    const { requests, addresses, lineId } = refused
    const after = { requests, addresses: Object.fromEntries(addresses) }
    if (lineId !== null) await this.#parts.audit.update(lineId, after)
    else
      refused.lineId = await this.#parts.audit.add({
        ...this.#ownLine('refuseKeys', null, after),
        ...onlyOne(addresses),
      })
    refused.reported = requests
  }

  #ownLine(what: string, before: unknown, after: unknown): NewAuditLine {
    return { timeMs: this.#parts.nowMs(), ...nobody, what, name: null, before, after }
  }
}

function onlyOne(addresses: ReadonlyMap<string, number>): { readonly address: string | null } {
  const [first = null, ...others] = addresses.keys()
  return { address: others.length === 0 ? first : null }
}

function answerOf({ id: _, timeMs, ...line }: AuditLine): AuditAnswer {
  return { time: formatInstant(timeMs), ...line }
}

function placeIn(key: string): AuditPlace {
  const [timeMs = 0, id = 0] = key.split(' ').map(Number)
  return { timeMs, id }
}
