/** The operators of filters of metadata items, and how texts explain them. A filter without one is equality. */
export const itemOperatorMeanings = {
  bw: 'begins with',
  gt: 'greater',
  gte: 'greater or equal',
  lt: 'less',
  lte: 'less or equal',
  be: 'between, both ends included: low,high',
} as const

export type ItemOperator = keyof typeof itemOperatorMeanings

export const itemOperators = Object.keys(itemOperatorMeanings) as readonly ItemOperator[]
