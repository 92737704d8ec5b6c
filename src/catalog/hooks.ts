/** The kinds of events a hook receives; some kinds have parameters. */
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
  /** The key that its events are signed with; null when they are not signed. */
  readonly secret: string | null
  readonly secretSetMs: number | null
  readonly createdMs: number
}

/** A condition that currently applies, of which a hook is notified once. */
export interface Condition {
  /** Stays the same while the same condition lasts. Null for a one-time occurrence, of which the hook is notified each time. */
  readonly key: string | null
  /** The condition applied for a moment and has ended. */
  readonly isOver?: boolean
  readonly hook: string
  readonly kind: HookKind['kind']
  readonly details: Readonly<Record<string, unknown>>
}

export type DeliveryState = 'waiting' | 'delivered' | 'given_up'

/** An event on its way to a hook. */
export interface Delivery {
  /** The id of the event, the same for each attempt. */
  readonly id: number
  readonly hook: string
  readonly kind: HookKind['kind']
  readonly timeMs: number
  readonly details: Readonly<Record<string, unknown>>
  readonly state: DeliveryState
  readonly attempts: number
  /** Time of the next attempt; null when there is none. */
  readonly nextMs: number | null
  /** HTTP status of the last attempt; null when there was no response. */
  readonly status: number | null
  readonly error: string | null
  readonly endedMs: number | null
}

/** The result of an attempt to deliver an event. */
export type Attempt = Pick<Delivery, 'id' | 'state' | 'attempts' | 'nextMs' | 'status' | 'error' | 'endedMs'>

/** The last time that rows of a watched ingest were received. */
export interface LastReceived {
  readonly key: string
  /** Grows with each row received. */
  readonly count: number
  readonly sinceMs: number
}

export interface NewHook extends Pick<Hook, 'name' | 'url' | 'kinds'> {
  readonly secret?: string | undefined
  readonly nowMs: number
}

export interface HookCatalog {
  /** Ordered by name. */
  list(): Promise<readonly Hook[]>
  find(name: string): Promise<Hook | null>
  /** Returns whether the hook is new. Without `secret`, a stored one is kept. Throws Problem `conflict` above `hooksMax`. */
  put(hook: NewHook, hooksMax: number): Promise<boolean>
  /** Also deletes its deliveries. */
  delete(name: string): Promise<boolean>
  /** Stores the current conditions and, in the same transaction, an event for each new one. Keeps the newest `deliveriesMax` deliveries of each hook. */
  raise(conditions: readonly Condition[], nowMs: number, deliveriesMax: number): Promise<void>
  lastReceived(): Promise<readonly LastReceived[]>
  /** Replaces all stored entries. */
  putLastReceived(received: readonly LastReceived[]): Promise<void>
  /** Deliveries of a hook whose next attempt is due, oldest first. */
  due(hook: string, nowMs: number, limit: number): Promise<readonly Delivery[]>
  note(attempt: Attempt): Promise<void>
  /** Newest first; only ids below `before`, if it is not null. */
  deliveries(
    hook: string,
    page: { readonly before: number | null; readonly limit: number },
  ): Promise<readonly Delivery[]>
  /** Acquires or renews the lease, and returns whether the holder has it now. It is free if nobody has it or its time is over. */
  lease(holder: string, nowMs: number, untilMs: number): Promise<boolean>
}
