/** The message of a thrown value. Anything can be thrown, but most values are Errors. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
