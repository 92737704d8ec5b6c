export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>='

/** With its sides exchanged. */
export const turnedRound: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

/** What holds where it does not. */
export const negated: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '=': '<>',
  '<>': '=',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
}

/** Whether two values meet it that are in this order, as `sort` takes it. */
export function isMetBy(operator: ComparisonOperator, order: number): boolean {
  switch (operator) {
    case '=':
      return order === 0
    case '<>':
      return order !== 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
}
