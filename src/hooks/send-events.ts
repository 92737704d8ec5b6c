// Sends each event to its hook, until the hook accepts it or a day has passed.
import type { Attempt, Delivery, Hook, HookCatalog } from '../catalog/hooks.ts'
import { formatInstant } from '../model/instant.ts'
import type { CallOutcome, HookCall } from './call-hook.ts'

export interface SenderParts {
  readonly hooks: Pick<HookCatalog, 'find' | 'due' | 'note'>
  readonly call: (call: HookCall, stop: AbortSignal) => Promise<CallOutcome>
  readonly failed: (error: unknown) => void
  readonly nowMs: () => number
}

/** The pause after the first attempt; it doubles with each attempt, up to an hour. */
const firstPauseMs = 10_000
const longestPauseMs = 3_600_000
const triedForMs = 86_400_000
/** Events of a hook read at a time. */
const atOnce = 10

/** Sends events to each hook one at a time; a slow hook does not delay the others. */
export class EventSender {
  readonly #parts: SenderParts
  readonly #stop = new AbortController()
  readonly #sending = new Map<string, Promise<void>>()

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  /** Starts to send due events to the hooks that have no sending in progress. */
  begin(hooks: readonly Hook[]): void {
    for (const hook of hooks) {
      if (this.#sending.has(hook.name) || this.#stop.signal.aborted) continue
      const sending = this.#send(hook)
        .catch(this.#parts.failed)
        .finally(() => this.#sending.delete(hook.name))
      this.#sending.set(hook.name, sending)
    }
  }

  /** Events in progress are sent again after the next start. */
  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#sending.values())
  }

  async #send({ name }: Hook): Promise<void> {
    const { hooks, call, nowMs } = this.#parts
    const { signal } = this.#stop
    for (const delivery of await hooks.due(name, nowMs(), atOnce)) {
      // Earlier calls may have taken long: the hook may have been deleted, or have a new address or secret.
      const hook = await hooks.find(name)
      if (hook === null || signal.aborted) return
      const { url, secret } = hook
      const outcome = await call({ url, secret, body: JSON.stringify(eventOf(delivery)), nowMs: nowMs() }, signal)
      if (signal.aborted) return
      await hooks.note(attemptOf(delivery, outcome, nowMs()))
    }
  }
}

/** The body of an event. */
function eventOf({ id, kind, timeMs, details }: Delivery): Readonly<Record<string, unknown>> {
  return { id: String(id), kind, time: formatInstant(timeMs), ...details }
}

export function attemptOf(
  { id, attempts: before, timeMs }: Pick<Delivery, 'id' | 'attempts' | 'timeMs'>,
  outcome: CallOutcome,
  nowMs: number,
): Attempt {
  const attempts = before + 1
  if (outcome.error === null) return { id, attempts, ...outcome, state: 'delivered', nextMs: null, endedMs: nowMs }
  const nextMs = nowMs + Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1))
  if (nextMs - timeMs > triedForMs) return { id, attempts, ...outcome, state: 'given_up', nextMs: null, endedMs: nowMs }
  return { id, attempts, ...outcome, state: 'waiting', nextMs, endedMs: null }
}
