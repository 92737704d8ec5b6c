// Normalizes answers, so that they are equal except for the difference that a reason describes.

/** Writes doubles as JavaScript does, also within texts. */
export const doublesEvened = (text: string): string =>
  text.replaceAll(/-?\d+(?:\.\d+(?:[eE][-+]?\d+)?|[eE][-+]?\d+)/g, (double) => String(Number(double)))

/** Removes the sign of zeros and of infinities. */
export const signsEvened = (text: string): string => text.replaceAll(/-(?=0\.0\b|Infinity)/g, '')

/** Sorts the keys within JSON texts. */
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

/** Rounds the numbers of an answer to six digits, also within texts. */
export const digitsEvened = (text: string): string =>
  text.replaceAll(/-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, (number) => Number(number).toPrecision(6))

/** Wraps whole numbers to 32 bits. */
export const intsEvened = (text: string): string =>
  text.replaceAll(/(?<=:)-?\d{10,19}(?=[,}])/g, (digits) => String(Number(BigInt.asIntN(32, BigInt(digits)))))

/** Replaces numbers close to 0 by 0. */
export const nearlyZeros = (text: string): string =>
  text.replaceAll(/-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, (number) => (Math.abs(Number(number)) < 1e-5 ? '0' : number))
