// JSON whose whole numbers keep all their digits.

/**
 * One token of JSON, whole: a string, or what stands between two marks of its grammar. A string without its end goes to the end of the text, so that
 * none of its quotes is tried as a beginning.
 */
const token = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|[^\s{}[\],:"]+/g
const wholeNumber = /^-?[1-9]\d{15,}$/

/** As many digits take well under a millisecond; no number that means anything here has more. */
const longestInteger = 1000

/** The same text with whole numbers that doubles do not hold, up to 1,000 digits, written as `write` says. */
function replaceLongs(json: string, write: (digits: string) => string): string {
  return json.replace(token, (whole) =>
    wholeNumber.test(whole) && whole.length <= longestInteger && !Number.isSafeInteger(Number(whole))
      ? write(whole)
      : whole,
  )
}

/** The same JSON, with the whole numbers that a double cannot tell apart as strings of their digits. */
export const withExactLongs = (json: string): string => replaceLongs(json, (digits) => `"${digits}"`)

/** The value of a JSON text; whole numbers that doubles do not hold are bigints, up to 1,000 digits. Throws where the text is no JSON. */
export function parseWithLongs(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  const longs: bigint[] = []
  const mark = newMark()
  const marked = replaceLongs(text, (digits) => `"${mark}${longs.push(BigInt(digits)) - 1}"`)
  if (longs.length === 0) return JSON.parse(text)
  const root: { readonly value: unknown } = { value: JSON.parse(marked) }
  putLongs(root, mark, longs)
  return root.value
}

/** The JSON text of a value in which whole numbers may be bigints: it reads as the same value. */
export function textWithLongs(value: unknown, indent = 0): string {
  try {
    // Mostly there are none, and looking at each value takes several times as long.
    return JSON.stringify(value, null, indent)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
  const mark = newMark()
  const marked = JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${mark}${one}` : one), indent)
  return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
}

/** No text of the caller's begins so, however it is spelt. A page that came without TLS has no randomUUID. */
function newMark(): string {
  return `long:${crypto.getRandomValues(new BigUint64Array(2)).join(':')}:`
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
