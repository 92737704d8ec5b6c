import { randomUUID } from 'node:crypto'
import { itself } from '../admission/reader.ts'
import type { SharedCatalog } from '../catalog/catalog.ts'
import type { Definitions } from '../catalog/definitions.ts'
import type { Condition, Hook } from '../catalog/hooks.ts'
import type { Settings } from '../config/settings.ts'
import { callHook } from '../hooks/call-hook.ts'
import type { ObservedConditions } from '../hooks/observed-conditions.ts'
import { EventSender, type SenderParts } from '../hooks/send-events.ts'
import { RowsWatch } from '../hooks/watch-rows.ts'
import type { Services } from '../http/services.ts'
import type { IngestProgress } from '../ingest/progress.ts'
import { packageVersion } from '../lib/own-package.ts'
import { repeat } from '../lib/repeat.ts'
import { checkFailed } from '../observe/check-failed.ts'
import type { Observe } from '../observe/event.ts'
import type { Closer } from './open-storage.ts'

export interface HookParts {
  readonly settings: Settings
  readonly observe: Observe
  readonly observed: ObservedConditions
  readonly nowMs: () => number
  readonly catalog: Pick<SharedCatalog, 'hooks' | 'rejected'>
  readonly definitions: Definitions
  readonly progress: Pick<IngestProgress, 'counters'>
  readonly queries: Services['queries']
}

/** Time limit for the response of a receiver. */
const callMsMax = 10_000
/** The most events that are kept for a hook. */
const deliveriesMax = 1000
/** Rows are checked only once in this number of rounds. */
const roundsPerCheck = 10
/** Time limit of the query for a tag's newest item. */
const newestMsMax = 10_000
/** The longest that one hook delays the events of the others. */
const hookDelayMaxMs = 1000
/** Of several processes one watches and sends; another takes over when it has been silent for this long. */
const leaseMs = 10_000

/** Watches the conditions of hooks, and sends their events. */
export function openHooks(parts: HookParts, closers: Closer[]): void {
  const { settings, catalog, observed, nowMs } = parts
  const { hooks } = catalog
  const holder = randomUUID()
  const isAlone = settings.engine !== 'cluster'
  const failed = checkFailed(parts.observe)
  const calling = callParts(settings)
  const call: SenderParts['call'] = (asked, stop) => callHook(asked, { ...calling, stop })
  const sender = new EventSender({ hooks, call, failed, nowMs })
  const rows = watchRows(parts)
  let checked: { readonly atMs: number; readonly conditions: readonly Condition[]; readonly of: string } | null = null
  const check = async (all: readonly Hook[]): Promise<readonly Condition[]> => {
    const of = JSON.stringify(all)
    if (checked?.of === of && performance.now() - checked.atMs < roundsPerCheck * settings.limits.checkMs)
      return checked.conditions
    try {
      checked = { atMs: performance.now(), conditions: await rows.conditions(all), of }
    } catch (error) {
      if (checked === null) throw error
      // The last known conditions are assumed to hold still; other observed conditions do not wait.
      failed(error)
    }
    return checked.conditions
  }
  const round = async (): Promise<void> => {
    const all = await hooks.list()
    const isTurn = isAlone || all.length === 0 || (await hooks.lease(holder, nowMs(), nowMs() + leaseMs))
    const taken = observed.take()
    if (!isTurn) return
    try {
      const observedOf = all.flatMap((hook) => taken.flatMap((one) => observedFor(hook, one)))
      await hooks.raise([...observedOf, ...(await check(all))], nowMs(), deliveriesMax)
    } catch (error) {
      observed.giveBack(taken)
      throw error
    } finally {
      // Events that are kept are sent, even if rows cannot be checked.
      sender.begin(all)
    }
  }
  closers.push(() => sender.close())
  closers.push(repeat(round, settings.limits.checkMs, failed))
}

function callParts({ hooks: { privateAddresses } }: Settings): Parameters<typeof callHook>[1] {
  return { privateAddresses, timeoutMs: callMsMax, userAgent: `Tidemark/${packageVersion}` }
}

function observedFor({ name, kinds }: Hook, one: ReturnType<ObservedConditions['take']>[number]): readonly Condition[] {
  const { key, ...rest } = one
  const { kind } = rest
  if (!kinds.some((wanted) => wanted.kind === kind)) return []
  return [{ key: key === null ? null : JSON.stringify([kind, name, key]), hook: name, ...rest }]
}

function watchRows({ catalog, definitions, progress, queries, nowMs, observe }: HookParts): RowsWatch {
  return new RowsWatch({
    ...catalog,
    definitions,
    received: (id) => progress.counters(id).received,
    newestMs: async (entity, tag) => {
      const answer = await queries.run(
        { kind: 'latest', request: { entity, ids: [tag] }, format: 'json' },
        AbortSignal.timeout(newestMsMax),
        itself,
      )
      try {
        let text = ''
        for await (const chunk of answer.chunks) text += Buffer.from(chunk).toString()
        return newestOf(text, definitions.entity(entity)?.fields.find(({ role }) => role === 'time')?.name ?? '')
      } finally {
        answer.release()
      }
    },
    nowMs,
    failed: checkFailed(observe),
    delayOver: () => new Promise((resolve) => setTimeout(resolve, hookDelayMaxMs).unref()),
  })
}

function newestOf(json: string, timeField: string): number | null {
  const items: readonly Readonly<Record<string, unknown>>[] = JSON.parse(json)
  const dates = items.map((item) => Date.parse(String(item[timeField]))).filter((ms) => !Number.isNaN(ms))
  return dates.length === 0 ? null : Math.max(...dates)
}
