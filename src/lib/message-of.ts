/** What was thrown, in its own words: anything may be thrown, and most is an Error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
