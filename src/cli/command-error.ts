/** The command cannot do its work; the message is for the user and says what to do. */
export class CommandError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'CommandError'
  }
}
