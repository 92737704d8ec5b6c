// Conditions of rows that hooks report: too many rejected rows, or no rows received.
import type { Condition, Hook, HookCatalog, HookKind, LastReceived } from '../catalog/hooks.ts'
import type { RejectedCatalog } from '../catalog/rejected.ts'
import { addDuration, parseDuration } from '../model/duration.ts'
import type { Ingest } from '../model/ingest.ts'
import { formatInstant } from '../model/instant.ts'

export interface WatchedRows {
  readonly hooks: Pick<HookCatalog, 'lastReceived' | 'putLastReceived'>
  readonly rejected: Pick<RejectedCatalog, 'counts' | 'since'>
  readonly definitions: {
    ingests(): Iterable<Ingest>
    ingest(alias: string): Ingest | undefined
    entities(): readonly { readonly name: string }[]
  }
  /** Total rows ever received by an ingest. Throws a Problem while that is unknown. */
  readonly received: (ingestId: number) => number
  /** The date of a tag's newest item in an entity; null if it has none. */
  readonly newestMs: (entity: string, tag: string) => Promise<number | null>
  readonly nowMs: () => number
  /** Resolves when the time that a slow hook may delay the others is over. */
  readonly delayOver: () => Promise<void>
  /** Called with the reason why a hook could not be checked. */
  readonly failed: (error: unknown) => void
}

type Kind<Name extends HookKind['kind']> = Extract<HookKind, { readonly kind: Name }>

/** The known state of a hook. */
interface HookState {
  /** Null until the first check. */
  found: readonly Condition[] | null
  /** Number of rejected rows by ingest at the last check. */
  rejected: ReadonlyMap<number, number | undefined>
  /** The ingests with more rejected rows than the hook allows. */
  over: ReadonlySet<number>
  running: Promise<void> | null
}

export class RowsWatch {
  readonly #parts: WatchedRows
  /** By hook name and kinds. */
  #states = new Map<string, HookState>()

  constructor(parts: WatchedRows) {
    this.#parts = parts
  }

  /**
   * Hooks are checked concurrently. If a check is slow or fails, the hook's last known conditions are returned. The first check of a hook is awaited;
   * rejects if it fails.
   */
  async conditions(hooks: readonly Hook[]): Promise<readonly Condition[]> {
    const isNeeded = hooks.some(({ kinds }) => kinds.some(({ kind }) => kind === 'rejected_rows'))
    const counts = isNeeded ? await this.#parts.rejected.counts() : new Map<number, number>()
    const lastReceived = await this.#updateReceived(hooks)
    const states = hooks.map((hook): readonly [string, HookState] => {
      const key = JSON.stringify([hook.name, hook.kinds])
      const state = this.#states.get(key) ?? { found: null, rejected: new Map(), over: new Set(), running: null }
      state.running ??= this.#check(hook, state, counts, lastReceived)
        .catch((error: unknown) => {
          if (state.found === null) throw error
          this.#parts.failed(error)
        })
        .finally(() => {
          state.running = null
        })
      return [key, state]
    })
    this.#states = new Map(states)
    const known = states.filter(([, { found }]) => found !== null).map(([, { running }]) => running)
    await Promise.all(states.filter(([, { found }]) => found === null).map(([, { running }]) => running))
    await Promise.race([Promise.all(known), this.#parts.delayOver()])
    return states.flatMap(([, { found }]) => found ?? [])
  }

  async #check(
    { name, kinds }: Hook,
    state: HookState,
    counts: ReadonlyMap<number, number>,
    lastReceived: ReadonlyMap<string, LastReceived>,
  ): Promise<void> {
    const found: Condition[] = []
    const over = new Set<number>()
    const ingests = [...this.#parts.definitions.ingests()]
    // Ingests with new rejected rows, or with too many at the last check.
    const changed = ingests.filter(({ id }) => counts.get(id) !== state.rejected.get(id) || state.over.has(id))
    for (const kind of kinds) {
      if (kind.kind === 'rejected_rows') found.push(...(await this.#rejectedRows(name, kind, changed, over)))
      else if (kind.kind === 'nothing_received') found.push(...(await this.#silence(name, kind, lastReceived)))
    }
    state.found = found
    // Only after success, and only for ingests that this process knows: the others are checked again.
    state.rejected = new Map(ingests.map(({ id }) => [id, counts.get(id)]))
    state.over = over
  }

  async #rejectedRows(
    hook: string,
    { kind, over, within }: Kind<'rejected_rows'>,
    changed: readonly Ingest[],
    tooMany: Set<number>,
  ): Promise<readonly Condition[]> {
    const { rejected, nowMs } = this.#parts
    const found: Condition[] = []
    for (const { id, alias } of changed) {
      const rows = await rejected.since(id, before(nowMs(), within))
      if (rows <= over) continue
      tooMany.add(id)
      const key = JSON.stringify([kind, hook, id, over, within])
      found.push({ key, hook, kind, details: { ingest: alias, rows, over, within } })
    }
    return found
  }

  /** Records which of the watched ingests have received rows since the last check; returns the records by ingest id. */
  async #updateReceived(hooks: readonly Hook[]): Promise<ReadonlyMap<string, LastReceived>> {
    const { definitions, received, nowMs } = this.#parts
    const aliases = new Set(
      hooks.flatMap(({ kinds }) => kinds.flatMap((kind) => ('ingest' in kind ? [kind.ingest] : []))),
    )
    const ids = [...aliases].flatMap((alias) => definitions.ingest(alias)?.id ?? [])
    const known = new Map((await this.#parts.hooks.lastReceived()).map((one) => [one.key, one]))
    if (ids.length === 0 && known.size === 0) return known
    const lastReceived = ids.map((id): LastReceived => {
      const one = known.get(String(id))
      const count = received(id)
      return one?.count === count ? one : { key: String(id), count, sinceMs: nowMs() }
    })
    const isSame = lastReceived.length === known.size && lastReceived.every((one) => known.get(one.key) === one)
    if (!isSame) await this.#parts.hooks.putLastReceived(lastReceived)
    return new Map(lastReceived.map((one) => [one.key, one]))
  }

  async #silence(
    hook: string,
    watched: Kind<'nothing_received'>,
    lastReceived: ReadonlyMap<string, LastReceived>,
  ): Promise<readonly Condition[]> {
    const { kind, ...what } = watched
    const sinceMs =
      'ingest' in watched ? this.#lastReceivedMs(watched.ingest, lastReceived) : await this.#newestMs(watched)
    if (sinceMs === null || sinceMs > before(this.#parts.nowMs(), watched.for)) return []
    const key = JSON.stringify([kind, hook, what])
    return [{ key, hook, kind, details: { ...what, since: formatInstant(sinceMs) } }]
  }

  #lastReceivedMs(alias: string, lastReceived: ReadonlyMap<string, LastReceived>): number | null {
    const one = lastReceived.get(String(this.#parts.definitions.ingest(alias)?.id))
    return one === undefined || one.count === 0 ? null : one.sinceMs
  }

  async #newestMs({ tag, entity }: { readonly tag: string; readonly entity?: string }): Promise<number | null> {
    const names = this.#parts.definitions.entities().map(({ name }) => name)
    let newest: number | null = null
    for (const name of names.filter((one) => entity === undefined || one === entity)) {
      const ms = await this.#parts.newestMs(name, tag)
      if (ms !== null) newest = Math.max(newest ?? ms, ms)
    }
    return newest
  }
}

function before(nowMs: number, duration: string): number {
  const parsed = parseDuration(duration)
  if (parsed === null) throw new Error(`the catalog holds the duration ${duration} of a hook, which is none`)
  return addDuration(nowMs, parsed, -1)
}
