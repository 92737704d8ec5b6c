// JSON whose integers keep all their digits.

/**
 * One token of JSON: a string, or the text between two structural characters. An unterminated string extends to the end of the text, so that none of its
 * quotes is tried as the beginning of a string.
 */
const token = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|[^\s{}[\],:"]+/g
const wholeNumber = /^-?[1-9]\d{15,}$/

/** This many digits take well under a millisecond; no meaningful number here has more. */
const longestInteger = 1000

/** The same text, with integers that a double cannot represent, up to 1,000 digits, replaced by the result of `write`. */
function replaceLongs(json: string, write: (digits: string) => string): string {
  return json.replace(token, (whole) =>
    wholeNumber.test(whole) && whole.length <= longestInteger && !Number.isSafeInteger(Number(whole))
      ? write(whole)
      : whole,
  )
}

/** The same JSON, with integers that a double cannot represent as strings of their digits. */
export const withExactLongs = (json: string): string => replaceLongs(json, (digits) => `"${digits}"`)

/** The value of a JSON text; integers that a double cannot represent are bigints, up to 1,000 digits. Throws if the text is not JSON. */
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

/** The JSON text of a value that may contain bigints; it parses back to the same value. */
export function textWithLongs(value: unknown, indent = 0): string {
  try {
    // Mostly there are no bigints, and a replacer takes several times as long.
    return JSON.stringify(value, null, indent)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
  const mark = newMark()
  const marked = JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${mark}${one}` : one), indent)
  return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
}

/** A prefix that no text of the caller has, however it is escaped. A page loaded without TLS has no randomUUID. */
function newMark(): string {
  return `long:${crypto.getRandomValues(new BigUint64Array(2)).join(':')}:`
}

/** Uses its own stack, unlike a reviver of `JSON.parse`, because the caller decides how deeply a query is nested. */
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
