/** A query that runs under an id of its caller's. */
export interface NamedQuery {
  readonly id: string
  readonly readerId: string
}

/** The cancelling of queries, whichever process runs them. */
export interface CancelsElsewhere {
  /**
   * Resolves whether another process ran such a query: it is canceled then. Throws Problem `unavailable` while the database is away, and
   * `overloaded` where too many are asked for at once.
   */
  cancel(query: NamedQuery): Promise<boolean>
  /** What another process asks for: `cancel` returns whether such a query ran here. It must not throw. */
  listen(cancel: (query: NamedQuery) => boolean): void
}
