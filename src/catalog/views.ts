/** A saved page of charts. Only the web pages interpret its definition; the catalog stores it unchanged. */
export interface SavedView extends ViewHead {
  /** JSON. */
  readonly definition: string
}

export interface ViewHead {
  readonly name: string
  /** The subscriber who saved it first, with the name that the subscriber had then. */
  readonly subscriberId: number
  readonly subscriber: string
  /** The entities whose items it shows. */
  readonly entities: readonly string[]
  readonly cells: number
  readonly changedMs: number
}

export interface ViewCatalog {
  /** Ordered by name, in code point order. */
  list(): Promise<readonly ViewHead[]>
  find(name: string): Promise<SavedView | null>
  /**
   * Saves a new view or replaces one, whose owner stays its first author; returns whether it is new. Each change has a later date than the previous one.
   * Throws Problem `conflict` above `viewsMax`, when `knownMs` is out of date, and, unless `isAnyones`, when the view belongs to another subscriber.
   */
  put(view: SavedView, options: PutViewOptions): Promise<boolean>
  /** Returns whether a view with this name was deleted. Only deletes a view of this subscriber; null deletes anyone's. */
  delete(name: string, subscriberId: number | null): Promise<boolean>
}

export interface PutViewOptions {
  readonly viewsMax: number
  readonly isAnyones: boolean
  /** The last change of the view known to the caller; null when it expects none. If absent, any view is replaced. */
  readonly knownMs?: number | null | undefined
}
