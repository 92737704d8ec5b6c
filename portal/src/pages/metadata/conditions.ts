import type { ItemOperator } from '../../../../src/model/item-operator.ts'

/** The page's words for operators; the empty operator is equality. */
const texts: Readonly<Record<ItemOperator | '', string>> = {
  '': 'is',
  bw: 'begins with',
  gt: 'is after',
  gte: 'is, or is after',
  lt: 'is before',
  lte: 'is, or is before',
  be: 'is between',
}
export type Operator = keyof typeof texts

/** The operators of a list of items. */
export const operators = (Object.keys(texts) as readonly Operator[]).map((value) => ({ value, text: texts[value] }))

/** The query parameters of a search; empty inputs add no condition. */
export function conditionsOf(
  index: string,
  operator: Operator,
  low: string,
  high: string,
): readonly (readonly [string, string])[] {
  if (low === '' && high === '') return []
  const name = operator === '' ? index : `${index}[${operator}]`
  return operator === 'be'
    ? [
        [name, low],
        [name, high],
      ]
    : [[name, low]]
}
