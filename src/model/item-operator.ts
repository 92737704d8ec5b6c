/** The filter operators for metadata items, with their descriptions. A filter without an operator tests equality. */
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
