// Answers as Druid writes them: a bigint is a long, a number a double in Java's form.

export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue }

/** `1.0`, `1.0E7`; what JSON has no number for is a text. */
export function doubleText(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const size = Math.abs(value)
  if (size >= 1e-3 && size < 1e7) return Number.isInteger(value) ? `${value}.0` : String(value)
  const [digits, exponent] = value.toExponential().split('e') as [string, string]
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`
}

export function jsonText(value: JsonValue): string {
  if (value === null) return 'null'
  switch (typeof value) {
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'number':
      return doubleText(value)
    case 'string':
      return JSON.stringify(value)
    default:
      return isList(value) ? `[${value.map(jsonText).join(',')}]` : objectText(value)
  }
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value)

function objectText(value: { readonly [name: string]: JsonValue }): string {
  return `{${Object.keys(value)
    .map((name) => `${JSON.stringify(name)}:${jsonText(value[name]!)}`)
    .join(',')}}`
}
