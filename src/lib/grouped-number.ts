// Numbers as people write them: 1.081,5 and 1,081.5 and 1 081.

export type DecimalSign = 'point' | 'comma'

/** A space is also one that does not break, as spreadsheets write it. */
const groups: Readonly<Record<DecimalSign, RegExp>> = {
  point: /^(-?[1-9]\d{0,2})(?:(,)\d{3}(?:,\d{3})*|([ '’\u00a0\u202f])\d{3}(?:\3\d{3})*)(?:\.\d+)?$/,
  comma: /^(-?[1-9]\d{0,2})(?:(\.)\d{3}(?:\.\d{3})*|([ '’\u00a0\u202f])\d{3}(?:\3\d{3})*)(?:,\d+)?$/,
}
const onlyOneMark = /^[^.,]*[.,][^.,]*$/

/**
 * The number without the marks that part its thousands and with a point, where it can mean nothing else; null where it has no such marks, or one
 * alone which may be its decimal sign: 1,081.
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

/** Whether one comma, or one point, may part the thousands of a number or be its decimal sign. */
export function isAmbiguous(text: string): boolean {
  return /^-?[1-9]\d{0,2}[.,]\d{3}$/.test(text)
}
