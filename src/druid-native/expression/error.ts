/** An expression that means nothing to Druid, or something that is not built here. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
  readonly unsupported: boolean

  constructor(message: string, unsupported = false) {
    super(message)
    this.unsupported = unsupported
  }
}
