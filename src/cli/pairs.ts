import { UsageError } from './usage-error.ts'

/** `a=b` pairs by what stands before the equals sign. */
export function parsePairs(option: string, pairs: readonly string[] = []): Map<string, string> {
  return new Map(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new UsageError(`${option} takes name=value, and not "${pair}".`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}
