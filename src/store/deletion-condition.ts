import { compareCodePoints } from '../lib/compare-code-points.ts'
import { isMetBy } from '../lib/comparison-operator.ts'
import type { DeletionCondition } from '../model/deletion.ts'

/** Whether a value that is not null meets the condition of a deletion. */
export function meetsCondition({ operator, value }: DeletionCondition, of: DeletionCondition['value']): boolean {
  return isMetBy(operator === '!=' ? '<>' : operator, compareValues(of, value))
}

function compareValues(left: DeletionCondition['value'], right: DeletionCondition['value']): number {
  if (typeof left === 'string') return compareCodePoints(left, String(right))
  return left < right ? -1 : left > right ? 1 : 0
}
