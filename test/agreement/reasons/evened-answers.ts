// Answers written in one way, in which they are the same but for what a reason speaks of.

/** Doubles as JavaScript writes them, also within texts. */
export const doublesEvened = (text: string): string =>
  text.replaceAll(/-?\d+(?:\.\d+(?:[eE][-+]?\d+)?|[eE][-+]?\d+)/g, (double) => String(Number(double)))

/** Zeros, and what is divided by them, without a sign. */
export const signsEvened = (text: string): string => text.replaceAll(/-(?=0\.0\b|Infinity)/g, '')

/** Texts of JSON with their keys in order. */
export function keysEvened(text: string): string {
  return JSON.stringify(JSON.parse(text), (_, value: unknown) => {
    if (typeof value !== 'string' || !/^[[{]/.test(value)) return value
    try {
      return JSON.stringify(JSON.parse(value), (_key, inner: unknown) =>
        inner !== null && typeof inner === 'object' && !Array.isArray(inner)
          ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
          : inner,
      )
    } catch {
      return value
    }
  })
}

/** Numbers of an answer, also within its texts, with six digits alone. */
export const digitsEvened = (text: string): string =>
  text.replaceAll(/-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, (number) => Number(number).toPrecision(6))

/** Whole numbers as 32 bits hold them. */
export const intsEvened = (text: string): string =>
  text.replaceAll(/(?<=:)-?\d{10,19}(?=[,}])/g, (digits) => String(Number(BigInt.asIntN(32, BigInt(digits)))))

/** Numbers next to 0 as it. */
export const nearlyZeros = (text: string): string =>
  text.replaceAll(/-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, (number) => (Math.abs(Number(number)) < 1e-5 ? '0' : number))
