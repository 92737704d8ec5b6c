/** Who asks a query. */
export interface Reader {
  /** Whom the places of running queries are shared between: a subscriber, or an address where reading is public. */
  readonly id: string
  /** Whether he may know of an entity. */
  readonly mayRead: (entity: string) => boolean
}

/** The service has a place among those who ask, as others do. */
export const itself: Reader = { id: 'the service itself', mayRead: () => true }
