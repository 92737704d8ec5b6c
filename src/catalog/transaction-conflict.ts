/** The database broke a transaction off because of another one, and nothing of it was kept: the same may be tried again. */
export class TransactionConflict extends Error {
  constructor(cause: unknown) {
    super('a transaction was broken off because of another one', { cause })
    this.name = 'TransactionConflict'
  }
}
