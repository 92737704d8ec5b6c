// JSON whose whole numbers keep all their digits.
import { randomUUID } from 'node:crypto'

/**
 * A string, which may look like anything, or a whole number that a double may not hold: not the digits of a fraction or of an exponent. A string
 * without its end goes to the end of the text, so that none of its quotes is tried as a beginning.
 */
const token = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g

/** As many digits take well under a millisecond; no number that means anything here has more. */
const longestInteger = 1000

/** The value of a JSON text; whole numbers that doubles do not hold are bigints, up to 1,000 digits. Throws where the text is no JSON. */
export function parseWithLongs(text: string): unknown {
  const longs: bigint[] = []
  // No text of the caller's begins so, however it is spelt.
  const mark = `long:${randomUUID()}:`
  const marked = text.replace(token, (found) => {
    if (found.startsWith('"') || found.length > longestInteger || Number.isSafeInteger(Number(found))) return found
    return `"${mark}${longs.push(BigInt(found)) - 1}"`
  })
  if (longs.length === 0) return JSON.parse(text)
  const root: { readonly value: unknown } = { value: JSON.parse(marked) }
  putLongs(root, mark, longs)
  return root.value
}

/** On a stack of its own, which a reviver of `JSON.parse` has not: how deep a query is, is the caller's doing. */
function putLongs(root: object, mark: string, longs: readonly bigint[]): void {
  const holders: object[] = [root]
  for (let holder = holders.pop(); holder !== undefined; holder = holders.pop()) {
    for (const [key, value] of Object.entries(holder)) {
      if (typeof value === 'object' && value !== null) holders.push(value)
      else if (typeof value === 'string' && value.startsWith(mark)) {
        Reflect.set(holder, key, longs[Number(value.slice(mark.length))])
      }
    }
  }
}
