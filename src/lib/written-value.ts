// Values as people and programs write them: 1.081,5 and 1,081.5 and 1 081, +1.5, .5, TRUE.

export type DecimalSign = 'point' | 'comma'

/** A space may also be a non-breaking one, as spreadsheets write it. */
const groups: Readonly<Record<DecimalSign, RegExp>> = {
  point: /^(-?[1-9]\d{0,2})(?:(,)\d{3}(?:,\d{3})*|([ '’\u00a0\u202f])\d{3}(?:\3\d{3})*)(?:\.\d+)?$/,
  comma: /^(-?[1-9]\d{0,2})(?:(\.)\d{3}(?:\.\d{3})*|([ '’\u00a0\u202f])\d{3}(?:\3\d{3})*)(?:,\d+)?$/,
}
const onlyOneMark = /^[^.,]*[.,][^.,]*$/

/**
 * The number without its thousands separators and with a decimal point, if it is unambiguous; null if it has no separators, or only one that may be its
 * decimal sign: 1,081.
 */
export function withoutGroups(text: string, decimal: DecimalSign): string | null {
  const match = groups[decimal].exec(text)
  if (match === null) return null
  const [, , mark] = match
  if (mark !== undefined && onlyOneMark.test(text)) return null
  const sign = decimal === 'point' ? '.' : ','
  const [whole = '', fraction] = text.split(sign)
  return `${whole.replace(/[^\d-]/g, '')}${fraction === undefined ? '' : `.${fraction}`}`
}

/** Whether a single comma or point may be either the thousands separator or the decimal sign. */
export function isAmbiguous(text: string): boolean {
  return /^-?[1-9]\d{0,2}[.,]\d{3}$/.test(text)
}

const written = /^([+-]?)0*((?:[1-9]\d*)?)(?:\.(\d*))?([eE][+-]?\d+)?$/

/** The number in a text, in JSON notation: 1.50 for " +01.50 "; null if it is not a number. */
export function writtenNumber(text: string): string | null {
  const match = written.exec(text.trim())
  if (match === null || !/\d/.test(text.replace(/[eE].*$/, ''))) return null
  const [, sign = '', whole = '', fraction = '', exponent = ''] = match
  return `${sign === '-' ? '-' : ''}${whole || '0'}${fraction === '' ? '' : `.${fraction}`}${exponent}`
}

/** Includes the German, French and Spanish words of spreadsheets. */
const booleans: ReadonlyMap<string, string> = new Map([
  ...['true', 'wahr', 'vrai', 'verdadero', '1'].map((word) => [word, 'true'] as const),
  ...['false', 'falsch', 'faux', 'falso', '0'].map((word) => [word, 'false'] as const),
])

/** The boolean for TRUE, False, WAHR, 1 or 0, in JSON notation; null for any other text. */
export const writtenBoolean = (text: string): string | null => booleans.get(text.trim().toLowerCase()) ?? null
