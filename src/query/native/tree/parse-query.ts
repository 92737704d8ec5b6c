// The text of a native query: JSON whose whole numbers keep all their digits.

/** A string, which may look like anything, or a whole number that a double may not hold. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d{16,}(?![\d.eE])/g

/** The value of a JSON text; whole numbers that doubles do not hold are bigints. Throws where the text is no JSON. */
export function parseWithLongs(text: string): unknown {
  const longs: bigint[] = []
  // No text of the caller's begins so: it is looked for before it is used.
  let mark = 'long:'
  while (text.includes(mark)) mark = `${mark.slice(0, -1)}.:`
  const marked = text.replace(token, (found) => {
    if (found.startsWith('"') || Number.isSafeInteger(Number(found))) return found
    return `"${mark}${longs.push(BigInt(found)) - 1}"`
  })
  if (longs.length === 0) return JSON.parse(text)
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? longs[Number(value.slice(mark.length))] : value,
  )
}
