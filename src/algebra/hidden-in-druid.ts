// The rows and values that deletions hide, for Druid's native queries: as filters, and as expressions for the values of metrics.
import { prefixPattern } from '../lib/like-matcher.ts'
import type { ColumnType } from '../model/column.ts'
import type { DeletionCondition, HiddenRows } from '../model/deletion.ts'
import { druidExpression, druidType } from './druid-expression.ts'
import { type ConditionWords, hiddenBy, hiddenByAny } from './hidden-rows.ts'

type Filter = Readonly<Record<string, unknown>>

/** Passes the rows that a deletion hides. */
export const hiddenFilter = (hidden: HiddenRows): Filter => hiddenBy(hidden, filters)

/** Passes the rows that none of these deletions hides; null if there are none. */
export function visibleFilter(hidden: readonly HiddenRows[]): Filter | null {
  if (hidden.length === 0) return null
  return { type: 'not', field: { type: 'istrue', field: hiddenByAny(hidden, filters) } }
}

export interface VisibleColumn {
  readonly type: 'expression'
  readonly name: string
  readonly expression: string
  readonly outputType: string
}

/** A metric without the values that these deletions hide, under a name that no field has. */
export function visibleColumn(metric: string, type: ColumnType, hidden: readonly HiddenRows[]): VisibleColumn {
  const expression = `case_searched(${hiddenByAny(hidden, expressions)},null,${column(metric)})`
  return { type: 'expression', name: `:visible:${metric}`, expression, outputType: druidType(type) }
}

const column = (name: string): string => `"${name}"`

const text = (value: string): string => literal(value)

function literal(value: DeletionCondition['value'], type: 'string' | 'double' | 'long' = 'string'): string {
  // Druid parses the digits before the sign, and 2^63 is beyond a long.
  if (value === -(2n ** 63n)) return '(-9223372036854775807 - 1)'
  return druidExpression({ kind: 'literal', type, value }, () => '')
}

const expressions: ConditionWords<string> = {
  all: (conditions) => `(${conditions.join(' && ')})`,
  any: (conditions) => `(${conditions.join(' || ')})`,
  none: '(1 == 0)',
  isOneOf: (tag, [first, ...others]) =>
    first === undefined
      ? expressions.none
      : others.length === 0
        ? `(${column(tag)} == ${text(first)})`
        : `scalar_in_array(${column(tag)},[${[first, ...others].map(text).join(',')}])`,
  isNull: (tag) => `isnull(${column(tag)})`,
  startsWith: (tag, prefix) => `like(${column(tag)},${text(prefixPattern(prefix))},'\\\\')`,
  isAt: (times) => `scalar_in_array("__time",[${times.join(',')}])`,
  isWithin: (name, from, to) => {
    const ends = [from === null ? [] : `${column(name)} >= ${from}`, to === null ? [] : `${column(name)} <= ${to}`]
    return `(${ends.flat().join(' && ')})`
  },
  meets: ({ metric: { name, type }, operator, value }) => {
    const compared = operator === '=' ? '==' : operator
    const known = `notnull(${column(name)})`
    // Turns -0 into 0: the two are one number.
    if (type === 'double')
      return `(${known} && (${column(name)} + 0.0) ${compared} ${literal(Number(value) + 0, 'double')})`
    if (type === 'string') return `(${known} && ${column(name)} ${compared} ${text(String(value))})`
    return `(${known} && ${column(name)} ${compared} ${literal(longOf(value), 'long')})`
  },
}

/** Booleans and times are longs in Druid. */
const longOf = (value: DeletionCondition['value']): number | bigint =>
  typeof value === 'bigint' ? value : Number(value)

const filters: ConditionWords<Filter> = {
  all: (fields) => (fields.length === 1 ? fields[0]! : { type: 'and', fields }),
  any: (fields) => (fields.length === 1 ? fields[0]! : { type: 'or', fields }),
  none: { type: 'false' },
  isOneOf: (dimension, values) => (values.length === 0 ? filters.none : { type: 'in', dimension, values }),
  isNull: (name) => ({ type: 'null', column: name }),
  startsWith: (dimension, prefix) => ({ type: 'like', dimension, pattern: prefixPattern(prefix), escape: '\\' }),
  isAt: (times) => ({ type: 'inType', column: '__time', matchValueType: 'LONG', sortedValues: times }),
  isWithin: (name, from, to) => ({
    ...{ type: 'range', column: name, matchValueType: 'LONG' },
    ...(from === null ? {} : { lower: from }),
    ...(to === null ? {} : { upper: to }),
  }),
  meets: (condition) => ({ type: 'expression', expression: expressions.meets(condition) }),
}
