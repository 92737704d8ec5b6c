/** The sender of a query. */
export interface Reader {
  /** The slots of running queries are shared fairly between these ids: of a subscriber, or of an address where reading is public. */
  readonly id: string
  /** Whether the reader may know of an entity. */
  readonly mayRead: (entity: string) => boolean
}

/** The service itself; its queries need slots like those of other readers. */
export const itself: Reader = { id: 'the service itself', mayRead: () => true }
