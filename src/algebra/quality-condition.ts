// The quality that a query accepts, as a condition of the expression tree that every engine uses.
import type { EntityField } from '../model/entity.ts'
import type { QualityFilter } from '../model/plan.ts'
import { codingOf, type QualityWord, qualityRanges, qualityWords } from '../model/quality.ts'
import { call, fieldNode, isNull, literal, not, type Scalar } from './scalar.ts'

/** Null where every item is accepted. Numbers are tested as ranges, so that bounds of many values can decide it as well. Null is good. */
export function qualityCondition(taken: QualityFilter): Scalar | null {
  return taken.words.length === qualityWords.length ? null : conditionOf(taken)
}

export const goodOnly = (field: EntityField): Scalar => conditionOf({ field, words: ['good'] })

function conditionOf({ field, words }: QualityFilter): Scalar {
  const value = fieldNode(field)
  const condition =
    field.type === 'string'
      ? call('boolean', 'isOfQuality', [value, ...[codingOf(field), ...words].map((one) => literal('string', one))])
      : isOfNumbers({ field, words })
  return words.includes('good') ? anyOf([isNull(value), condition]) : condition
}

const named = ['good', 'uncertain'] as const

/** A quality that is neither good nor uncertain is bad. */
function isOfNumbers({ field, words }: QualityFilter): Scalar {
  const ranges = (some: readonly QualityWord[]): readonly Scalar[] =>
    named
      .filter((word) => some.includes(word))
      .map((word) => {
        const { from, to } = qualityRanges[codingOf(field)][word]
        const bound = (operator: '>=' | '<=', at: number): Scalar =>
          call('boolean', operator, [fieldNode(field), literal('long', BigInt(at))])
        return call('boolean', 'and', [bound('>=', from), bound('<=', to)])
      })
  return words.includes('bad')
    ? not(anyOf(ranges(named.filter((word) => !words.includes(word)))))
    : anyOf(ranges(words))
}

function anyOf(conditions: readonly Scalar[]): Scalar {
  return conditions.length === 1 ? conditions[0]! : call('boolean', 'or', conditions)
}
