// Idempotency keys of a cluster. A process reserves a key before it pushes, so that two pushes with the same key wait for each other. When a pipeline meets
// pushes of a key in the journal, its decision (`PartitionCatalog.settleKeys`) takes precedence.

/** A key is unique to its subscriber and ingest. */
export interface PushKeyName {
  readonly subscriberId: number
  readonly ingestId: number
  readonly key: string
}

/** The push that a key belongs to. */
export interface PushKeyHolder {
  /** As in `KeyedEntry`. */
  readonly bodyHash: Uint8Array
  readonly position: number
  readonly rows: number
  /** Whether a pipeline has met the push. Until then another push with the key, whose response was lost, may prove to be the first. */
  readonly isValidated: boolean
}

export type Reservation =
  /** The caller pushes, then settles or releases the key. */
  | { readonly state: 'reserved'; readonly id: string }
  /** Like `reserved`, but the journal may already contain a push with this key. Which of them counts is known after this one is validated. */
  | { readonly state: 'uncertain'; readonly id: string }
  /** Another push with this key is in progress; retry soon. */
  | { readonly state: 'pending'; readonly bodyHash: Uint8Array }
  | { readonly state: 'held'; readonly holder: PushKeyHolder }

export interface PushKeyCatalog {
  /**
   * Reserves a key that no push of the last day holds. A reservation neither settled nor released within `abandonedAfterMs` is returned as `uncertain` to the next
   * caller, because its process may have died.
   */
  reserve(
    name: PushKeyName,
    bodyHash: Uint8Array,
    times: { readonly nowMs: number; readonly abandonedAfterMs: number },
  ): Promise<Reservation>
  /** Records the push made under a reservation, and returns the push that holds the key: another one if a pipeline has decided so in the meantime. */
  settle(
    name: PushKeyName,
    push: {
      readonly bodyHash: Uint8Array
      readonly position: number
      readonly rows: number
      readonly receivedMs: number
    },
  ): Promise<PushKeyHolder>
  /** Releases a reservation. `mayBeStored`: the push may have reached the journal anyway, so the next caller gets `uncertain`. */
  release(name: PushKeyName, reservationId: string, mayBeStored: boolean): Promise<void>
  /** The push that holds the key; null when there is none from the day before `nowMs`. */
  find(name: PushKeyName, nowMs: number): Promise<PushKeyHolder | null>
  /** Approximate number of keys, seconds old; within 1 % for millions of keys. Forgotten keys may be counted for minutes. */
  count(): Promise<number>
  /** Forgets keys received before a date, and returns their number. May take long; stops early when aborted. */
  forget(beforeMs: number, signal: AbortSignal): Promise<number>
}
