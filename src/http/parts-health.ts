// Which of the three servers of a cluster are reachable, polled continuously for /readyz.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Readiness } from './readiness.ts'

/** Queries one server; rejects when it does not respond. */
export type Probe = () => Promise<void>

export type PartName = 'kafka' | 'druid' | 'postgres'

export interface PartsHealthOptions {
  readonly probes: Readonly<Record<PartName, Probe>>
  /** Entities that wait for slots of Druid; they do not make the service unready. */
  readonly waiting: () => { waiting: string[]; waiting_entities: number }
  readonly everyMs: number
  /** Called when a part becomes unreachable, or reachable again (`message` is null). */
  readonly changed: (part: PartName, message: string | null) => void
}

const partNames: readonly PartName[] = ['kafka', 'druid', 'postgres']

/** What is refused while a part is unreachable. */
const consequences: Readonly<Record<PartName, string>> = {
  kafka: 'Kafka does not answer: pushes are refused, queries are answered.',
  druid: 'Druid does not answer: pushes are accepted, data queries are refused.',
  postgres:
    'PostgreSQL does not answer: requests that need the catalog are refused; data queries by known keys are answered.',
}

export class PartsHealth {
  readonly #options: PartsHealthOptions
  /** Why a part is unreachable; null when it is reachable. */
  readonly #failures = new Map<PartName, string | null>()
  readonly #stop = new AbortController()
  readonly #watching: Promise<unknown>

  constructor(options: PartsHealthOptions) {
    this.#options = options
    this.#watching = Promise.all(partNames.map((name) => this.#watch(name)))
  }

  get readiness(): Readiness {
    const unreachable = partNames.filter((name) => this.#failures.get(name) !== null)
    const part = (name: PartName) => ({ reachable: !unreachable.includes(name) })
    const cluster = {
      kafka: part('kafka'),
      druid: { ...part('druid'), ...this.#options.waiting() },
      postgres: part('postgres'),
    }
    const reason = unreachable.length === 0 ? null : unreachable.map((name) => consequences[name]).join(' ')
    return { ready: reason === null, reason, cluster }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#watching
  }

  async #watch(name: PartName): Promise<void> {
    const { probes, everyMs, changed } = this.#options
    const { signal } = this.#stop
    while (!signal.aborted) {
      const message = await probes[name]().then(
        () => null,
        (error: unknown) => reasonOf(error),
      )
      const before = this.#failures.get(name)
      if (before === undefined ? message !== null : (before === null) !== (message === null)) changed(name, message)
      this.#failures.set(name, message)
      await sleep(everyMs, undefined, { signal }).catch(() => undefined)
    }
  }
}

/** The message for the operator, with the underlying cause, for example an untrusted certificate. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const behind = cause instanceof Error ? cause.message || String(Reflect.get(cause, 'code') ?? cause.name) : ''
  return behind === '' || error.message.includes(behind) ? error.message : `${error.message} (${behind})`
}
