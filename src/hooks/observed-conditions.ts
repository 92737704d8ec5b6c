// What the service observes of itself that hooks may be told of.
import type { HookKind } from '../catalog/hooks.ts'
import type { ServiceEvent } from '../observe/event.ts'

type Details = Readonly<Record<string, unknown>>
type Kind = HookKind['kind']

export interface Observed {
  /** Null for what only happened. */
  readonly key: string | null
  readonly kind: Kind
  readonly details: Details
  /** It was the case for a moment. */
  readonly isOver?: boolean
}

/** More that only happened are not kept while nobody takes them. */
const happenedMax = 100

export class ObservedConditions {
  readonly #standing = new Map<string, Observed & { readonly isTaken: boolean }>()
  #happened: Observed[] = []

  readonly observe = (event: ServiceEvent): void => {
    switch (event.kind) {
      case 'diskFilling': {
        const { disk, freeBytes, floorBytes } = event
        const free_bytes = Math.max(0, Math.floor(freeBytes))
        this.#rise('disk', 'disk_low', { disk, free_bytes, floor_bytes: floorBytes })
        break
      }
      case 'diskRecovered':
        this.#fall('disk')
        break
      case 'partAway':
        this.#rise(`part ${event.part}`, 'part_away', { part: event.part, message: event.message })
        break
      case 'partBack':
        this.#fall(`part ${event.part}`)
        break
      case 'replicaBehind': {
        const { lagMs, lagBytes, error } = event
        this.#rise('replica', 'replica_behind', { lag_ms: lagMs, lag_bytes: lagBytes, error })
        break
      }
      case 'replicaCaughtUp':
        this.#fall('replica')
        break
      case 'backupFailed':
        this.#happen({ key: null, kind: 'backup_failed', details: { message: event.message } })
        break
    }
  }

  /** All that is the case, and what has happened since it was asked last. */
  take(): readonly Observed[] {
    const happened = this.#happened
    this.#happened = []
    for (const [key, one] of this.#standing) this.#standing.set(key, { ...one, isTaken: true })
    return [...this.#standing.values(), ...happened]
  }

  /** What was taken and could not be kept. */
  giveBack(taken: readonly Observed[]): void {
    for (const one of taken) if (one.key === null || one.isOver === true) this.#happen(one)
    for (const [key, one] of this.#standing) this.#standing.set(key, { ...one, isTaken: false })
  }

  #rise(key: string, kind: Kind, details: Details): void {
    this.#standing.set(key, { key, kind, details, isTaken: false })
  }

  /** What is over before anybody took it is told all the same. */
  #fall(key: string): void {
    const standing = this.#standing.get(key)
    this.#standing.delete(key)
    if (standing === undefined || standing.isTaken) return
    const { kind, details } = standing
    this.#happen({ key, kind, details, isOver: true })
  }

  #happen(one: Observed): void {
    if (this.#happened.length < happenedMax) this.#happened.push(one)
  }
}
