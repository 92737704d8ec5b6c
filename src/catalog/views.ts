/** A page of charts that somebody saved. What it draws is for the pages to know: the catalog keeps it as it is. */
export interface SavedView extends ViewHead {
  /** JSON. */
  readonly definition: string
}

export interface ViewHead {
  readonly name: string
  /** Who saved it first. The name is the one that he had then. */
  readonly subscriberId: number
  readonly subscriber: string
  /** Whose items it shows. */
  readonly entities: readonly string[]
  readonly cells: number
  readonly changedMs: number
}

export interface ViewCatalog {
  /** By name, in the order of code points. */
  list(): Promise<readonly ViewHead[]>
  find(name: string): Promise<SavedView | null>
  /**
   * Saves a view, or replaces it, which leaves it with who saved it first; the answer is whether it is new. Each change has a later date than the one
   * before. Throws Problem `conflict` past `viewsMax`, where it is not as it was known, and unless `isAnyones` where the name is that of another's view.
   */
  put(view: SavedView, options: PutViewOptions): Promise<boolean>
  /** Whether there was one of this name that is of the subscriber; null is whoever's. */
  delete(name: string, subscriberId: number | null): Promise<boolean>
}

export interface PutViewOptions {
  readonly viewsMax: number
  readonly isAnyones: boolean
  /** When the view was changed last, as far as is known; null where there was none. Left out, any is replaced. */
  readonly knownMs?: number | null | undefined
}
