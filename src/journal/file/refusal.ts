/** Advice for an operator who has to continue without pushes that were acknowledged. */
export const acceptLossAdvice =
  '"tidemark accept-loss --data <folder>" gives up the pushes that were in it and not stored yet; then start again'

const adviceOnDamage = `Restore the file from a copy. Without one, move all files of the folder away: ${acceptLossAdvice}.`

/** The error of a journal that cannot be opened or read: names the place and the remedy. */
export function refusal(path: string, offset: number, what: string, advice = adviceOnDamage): Error {
  return new Error(`${path}, offset ${offset}: ${what}. ${advice}`)
}

/** The refusal of bytes that a newer version wrote. */
export function newerVersion(path: string, offset: number, what: string): Error {
  return refusal(path, offset, what, 'Start the version of the service that wrote it, or a newer one.')
}
