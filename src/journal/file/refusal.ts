const adviceOnDamage =
  'Restore the file from a copy. Without one, move all files of the folder away: pushes that were not stored yet are lost then.'

/** Why the journal is not opened or read: names the place and says what can be done. */
export function refusal(path: string, offset: number, what: string, advice = adviceOnDamage): Error {
  return new Error(`${path}, offset ${offset}: ${what}. ${advice}`)
}

/** The refusal of bytes that a newer version wrote. */
export function newerVersion(path: string, offset: number, what: string): Error {
  return refusal(path, offset, what, 'Start the version of the service that wrote it, or a newer one.')
}
