/** The command cannot do its work. The message is for the user and says what to do. */
export class CommandError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'CommandError'
  }
}

/** A command or an option is invalid: the command line has to change. Ends with exit code 64. */
export class UsageError extends CommandError {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'UsageError'
  }
}
