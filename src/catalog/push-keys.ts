// Idempotency keys of a cluster. Processes that take requests reserve a key before they push, so that two pushes with one key wait for each
// other; what a pipeline says of a key when it meets its pushes in the journal (`PartitionCatalog.settleKeys`) stands above that.

/** A key belongs to its subscriber, and is for one ingest. */
export interface PushKeyName {
  readonly subscriberId: number
  readonly ingestId: number
  readonly key: string
}

/** The push that a key stands for. */
export interface PushKeyHolder {
  /** As that of `KeyedEntry`. */
  readonly bodyHash: Uint8Array
  readonly position: number
  readonly rows: number
  /** Whether a pipeline has met it; until then another push with the key, whose answer got lost, may turn out to have been the first. */
  readonly isValidated: boolean
}

export type Reservation =
  /** The caller pushes, and then settles or releases the key. */
  | { readonly state: 'reserved'; readonly id: string }
  /** As `reserved`, but a push with this key whose outcome is unknown may be in the journal: which one counts is known once this one is validated. */
  | { readonly state: 'uncertain'; readonly id: string }
  /** Another push with this key is under way: ask again soon. */
  | { readonly state: 'pending'; readonly bodyHash: Uint8Array }
  | { readonly state: 'held'; readonly holder: PushKeyHolder }

export interface PushKeyCatalog {
  /**
   * Reserves a key that no push of the last day holds. A reservation that is neither settled nor released becomes `uncertain` to the next
   * caller after `patienceMs`: its process may have died.
   */
  reserve(
    name: PushKeyName,
    bodyHash: Uint8Array,
    times: { readonly nowMs: number; readonly patienceMs: number },
  ): Promise<Reservation>
  /**
   * Notes the push that was made under a reservation, and resolves with the one that the key stands for: another one where a pipeline said so
   * meanwhile.
   */
  settle(
    name: PushKeyName,
    push: {
      readonly bodyHash: Uint8Array
      readonly position: number
      readonly rows: number
      readonly receivedMs: number
    },
  ): Promise<PushKeyHolder>
  /** Gives a reservation up. `mayBeStored` where the push may have reached the journal all the same: the next caller is told `uncertain`. */
  release(name: PushKeyName, reservationId: string, mayBeStored: boolean): Promise<void>
  /** The push that the key stands for; null when there is none, or none of the day before `nowMs`. */
  find(name: PushKeyName, nowMs: number): Promise<PushKeyHolder | null>
  /** How many keys were kept seconds ago: of millions within one in a hundred. Forgotten keys may count for minutes. */
  count(): Promise<number>
  /** Forgets keys from before a date, and says how many these were. It may take a while, and stops early when it is aborted. */
  forget(beforeMs: number, signal: AbortSignal): Promise<number>
}
