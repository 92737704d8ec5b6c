import { UsageError } from './usage-error.ts'

/** `a=b` pairs by what stands before the equals sign, which may be nothing where names may be empty. */
export function parsePairs(
  option: string,
  pairs: readonly string[] = [],
  { mayBeEmpty = false }: { readonly mayBeEmpty?: boolean } = {},
): Map<string, string> {
  return new Map(
    pairs.map((pair, index) => {
      const at = pair.indexOf('=')
      if (at < (mayBeEmpty ? 0 : 1))
        throw new UsageError(`${option} takes name=value, and not "${pair}".${between(pair, index, pairs)}`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

/** Behind a pair, a part without an equals sign is likely what stood behind a comma of its value. */
function between(part: string, index: number, pairs: readonly string[]): string {
  const before = index === 0 ? undefined : pairs[index - 1]
  return before === undefined || !before.includes('=')
    ? ''
    : ` Write \\, for a comma within a value: ${before}\\,${part}.`
}
