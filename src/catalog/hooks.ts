/** What a hook is told of; some kinds say of what exactly. */
export type HookKind =
  | { readonly kind: 'rejected_rows'; readonly over: number; readonly within: string }
  | { readonly kind: 'nothing_received'; readonly ingest: string; readonly for: string }
  | { readonly kind: 'nothing_received'; readonly tag: string; readonly entity?: string; readonly for: string }
  | { readonly kind: 'disk_low' | 'part_away' | 'backup_failed' | 'replica_behind' }

/** An address to which the service sends events for operators. */
export interface Hook {
  readonly name: string
  readonly url: string
  readonly kinds: readonly HookKind[]
  /** What its events are signed with; null where they are not. */
  readonly secret: string | null
  readonly secretSetMs: number | null
  readonly createdMs: number
}

/** What is the case now, for a hook that is to be told of it once. */
export interface Condition {
  /** The same as long as it is the same case. Null for what only happens, and is told each time. */
  readonly key: string | null
  /** It was the case for a moment, and is not any more. */
  readonly isOver?: boolean
  readonly hook: string
  readonly kind: HookKind['kind']
  readonly details: Readonly<Record<string, unknown>>
}

export type DeliveryState = 'waiting' | 'delivered' | 'given_up'

/** An event on its way to a hook. */
export interface Delivery {
  /** The event's, the same at each attempt. */
  readonly id: number
  readonly hook: string
  readonly kind: HookKind['kind']
  readonly timeMs: number
  readonly details: Readonly<Record<string, unknown>>
  readonly state: DeliveryState
  readonly attempts: number
  /** When it is tried next; null when it is not any more. */
  readonly nextMs: number | null
  /** What the last attempt was answered with; null where there was no answer. */
  readonly status: number | null
  readonly error: string | null
  readonly endedMs: number | null
}

/** What an attempt came to. */
export type Attempt = Pick<Delivery, 'id' | 'state' | 'attempts' | 'nextMs' | 'status' | 'error' | 'endedMs'>

/** When something was heard of last. */
export interface Heard {
  readonly key: string
  /** Grows with each that is heard. */
  readonly count: number
  readonly sinceMs: number
}

export interface NewHook extends Pick<Hook, 'name' | 'url' | 'kinds'> {
  readonly secret?: string | undefined
  readonly nowMs: number
}

export interface HookCatalog {
  /** By name. */
  list(): Promise<readonly Hook[]>
  find(name: string): Promise<Hook | null>
  /** Whether it is new. A secret that is left out stays. Throws Problem `conflict` past `hooksMax`. */
  put(hook: NewHook, hooksMax: number): Promise<boolean>
  /** Its deliveries go with it. */
  delete(name: string): Promise<boolean>
  /** Notes what is the case now, and in the same transaction an event of each that was not before. Of each hook the newest `deliveriesMax` are kept. */
  raise(conditions: readonly Condition[], nowMs: number, deliveriesMax: number): Promise<void>
  heard(): Promise<readonly Heard[]>
  /** Replaces all that was heard of. */
  putHeard(heard: readonly Heard[]): Promise<void>
  /** Those of a hook that are to be sent now, oldest first. */
  due(hook: string, nowMs: number, limit: number): Promise<readonly Delivery[]>
  note(attempt: Attempt): Promise<void>
  /** Newest first, from before an id. */
  deliveries(
    hook: string,
    page: { readonly before: number | null; readonly limit: number },
  ): Promise<readonly Delivery[]>
  /** Whether the holder has the lease from now on: nobody else had it, or for longer than it lasts. */
  lease(holder: string, nowMs: number, untilMs: number): Promise<boolean>
}
