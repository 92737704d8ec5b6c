// Converts filters to conditions of the SQL tree, in three-valued logic.

import { different } from '../../druid-sql/bind/bind-truth.ts'
import { conjunction, disjunction, is, not } from '../../druid-sql/bind/logic.ts'
import { type Bound, called, engineFunction, literal } from '../../druid-sql/bind/tree.ts'
import { boolean, string } from '../../druid-sql/bind/types.ts'
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import type { Scope } from '../expression/compile.ts'
import { truthOf } from '../expression/operators.ts'
import type { Extraction, Filter } from '../parse/query-nodes.ts'
import { likePattern, matchesPattern } from '../values/patterns.ts'
import { asType, asValue, elementOf, nodeOf, nowhere, toLong, typedNull, written, writtenSql } from '../values/typed.ts'
import { equalsArray, hasElement, onAnyValue } from './array-filter.ts'
import { bindBound, bindRange } from './bound-filter.ts'
import { amongTyped, amongValues, equalsText, equalsTyped, isNoNumber, isNull, isTrue } from './equality-filter.ts'
import { dimensionValue, extract, matchesSearch } from './extraction.ts'
import { type FilterIndex, indexWithin, noIndex } from './filter-index.ts'
import { bindAt } from './source-rows.ts'

/** As `bindFilter`, written as SQL. */
export const compileFilter = (filter: Filter, scope: Scope, index?: FilterIndex): Sql =>
  writtenSql(bindFilter(filter, scope, index))

/** `index` describes the columns that Druid filters by index. `isPart`: false and unknown are equivalent here. */
export function bindFilter(filter: Filter, scope: Scope, index: FilterIndex = noIndex, isPart = true): Bound {
  const within = (field: Filter): Bound => bindFilter(field, scope, indexWithin(field, index), false)
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const fields = filter.fields.map((field) => bindFilter(field, scope, index, isPart))
      return called(nowhere, boolean, filter.kind === 'and' ? conjunction : disjunction, fields)
    }
    case 'not':
      return not(within(filter.field), nowhere)
    case 'istrue':
    case 'isfalse': {
      const what = filter.kind === 'istrue' ? 'TRUE' : 'FALSE'
      return is(within(filter.field), { what, negated: false, isWrittenAsTrue: false }, nowhere)
    }
    default:
      return bindLeaf(filter, scope, index, !isPart)
  }
}

/** `wrapsIsTrue` adds `IS TRUE`: see `needsIsTrue` in `bind-truth.ts`. */
function bindLeaf(
  filter: Exclude<Filter, { kind: 'and' | 'or' | 'not' | 'istrue' | 'isfalse' }>,
  scope: Scope,
  index: FilterIndex,
  wrapsIsTrue: boolean,
): Bound {
  switch (filter.kind) {
    case 'constant':
      return literal(nowhere, boolean, filter.value)
    case 'expression':
      return truthOf(bindAt(filter.path, filter.expression, scope))
    case 'columnComparison':
      return compareColumns(filter, scope)
    case 'null': {
      const value = scope.column(filter.column)
      return value.isMulti ? onAnyValue(value, filter.kind, isNull) : isNull(nodeOf(value), wrapsIsTrue)
    }
    case 'containsElement': {
      const value = scope.column(filter.column)
      if (elementOf(value.type) !== null) return hasElement(value, filter)
      return filter.value === null
        ? isNull(nodeOf(value), wrapsIsTrue)
        : equalsTyped(nodeOf(value), filter.value, filter.type)
    }
    case 'equalsArray':
      return equalsArray(scope.column(filter.column), filter)
    case 'equals':
    case 'inType':
    case 'range':
      return onAnyValue(scope.column(filter.column), filter.kind, (one) => {
        if (filter.kind === 'range') return bindRange(filter, one)
        return filter.kind === 'equals'
          ? equalsTyped(one, filter.value, filter.type)
          : amongTyped(one, filter, wrapsIsTrue)
      })
    case 'bound': {
      const byIndex =
        index.isIndexed(filter.dimension) && filter.ordering === 'lexicographic' && filter.extraction === null
      return onAnyValue(scope.column(filter.dimension), filter.kind, (one) =>
        bindBound(filter, operand(one, filter.extraction), byIndex),
      )
    }
    default:
      return onAnyValue(scope.column(filter.dimension), filter.kind, (one) =>
        bindDimensionFilter(filter, operand(one, filter.extraction), scope.isFinished ?? false, wrapsIsTrue),
      )
  }
}

function operand(node: Bound, extraction: Extraction | null): Bound {
  if (extraction === null) return node
  const value = asValue(node)
  return nodeOf(extract(value.type === null ? { type: 'STRING', sql: typedNull('STRING') } : value, extraction))
}

/** Unlike SQL's LIKE, accepts texts of any length. */
export const like = engineFunction<{ readonly pattern: string; readonly escapedBy: string | null }>(
  ([text], { options: { pattern, escapedBy } }) => likePattern(text!, pattern, escapedBy),
)

type DimensionFilter = Exclude<Extract<Filter, { dimension: string }>, { kind: 'bound' }>

function bindDimensionFilter(filter: DimensionFilter, value: Bound, isFinished: boolean, wrapsIsTrue: boolean): Bound {
  switch (filter.kind) {
    case 'selector': {
      const findsNull = filter.value === null || (isFinished && isNoNumber(filter.value, value.type.kind))
      return findsNull ? isNull(value, wrapsIsTrue) : equalsText(value, filter.value)
    }
    case 'in':
      return amongValues(value, filter.values, wrapsIsTrue)
    case 'like': {
      const { pattern, escapedBy } = filter
      return called(nowhere, boolean, like, [asType(value, string)], { pattern, escapedBy })
    }
    case 'regex':
      return written(boolean, matchesPattern(writtenSql(asType(value, string)), filter.pattern))
    case 'search': {
      if (value.type.kind === 'null') return literal(nowhere, boolean, null)
      const found = (x: Sql): Sql => sql`CASE WHEN ${x} IS NOT NULL THEN ${matchesSearch(x, filter.query)} END`
      return written(boolean, bind(writtenSql(asType(value, string)), found))
    }
    case 'interval': {
      // Unknown for null, even if the interval is all of time.
      const isWithin = (x: Sql): Sql => {
        const each = filter.intervals.map(
          ({ startMs, endMs }) => sql`(${x} >= ${sql.long(startMs)} AND ${x} < ${sql.long(endMs)})`,
        )
        return each.length === 0 ? sql`FALSE` : sql`(${sql.join(each, ' OR ')})`
      }
      return written(boolean, bind(toLong(asValue(value)), isWithin))
    }
  }
}

function compareColumns({ dimensions }: Filter & { kind: 'columnComparison' }, scope: Scope): Bound {
  const [first, ...others] = dimensions.map((one) => asType(nodeOf(dimensionValue(one, scope)), string))
  if (first === undefined || others.length === 0) return literal(nowhere, boolean, true)
  const same = others.map((other) =>
    called(nowhere, boolean, different, [first, other], { negated: true, isWrittenAsTrue: false }),
  )
  return isTrue(called(nowhere, boolean, conjunction, same))
}
