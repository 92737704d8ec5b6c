// Conditions and events that the service observes about itself and hooks may subscribe to.
import type { HookKind } from '../catalog/hooks.ts'
import type { ServiceEvent } from '../observe/event.ts'

type Details = Readonly<Record<string, unknown>>
type Kind = HookKind['kind']

export interface Observed {
  /** Null for a one-time event. */
  readonly key: string | null
  readonly kind: Kind
  readonly details: Details
  /** The condition began and has already ended. */
  readonly isOver?: boolean
}

/** The most events kept until they are taken; further ones are dropped. */
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

  /** All current conditions, and the events since the last call. */
  take(): readonly Observed[] {
    const happened = this.#happened
    this.#happened = []
    for (const [key, one] of this.#standing) this.#standing.set(key, { ...one, isTaken: true })
    return [...this.#standing.values(), ...happened]
  }

  /** Returns taken conditions and events that could not be saved. */
  giveBack(taken: readonly Observed[]): void {
    for (const one of taken) if (one.key === null || one.isOver === true) this.#happen(one)
    for (const [key, one] of this.#standing) this.#standing.set(key, { ...one, isTaken: false })
  }

  #rise(key: string, kind: Kind, details: Details): void {
    this.#standing.set(key, { key, kind, details, isTaken: false })
  }

  /** A condition that ends before it was taken is still reported. */
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
