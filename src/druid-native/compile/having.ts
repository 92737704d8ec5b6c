import { conjunction, disjunction, not } from '../../druid-sql/bind/logic.ts'
import { type Bound, called, literal } from '../../druid-sql/bind/tree.ts'
import { boolean, double, isNumeric } from '../../druid-sql/bind/types.ts'
import { sql } from '../../lib/sql-text.ts'
import type { Scope } from '../expression/compile.ts'
import { compared } from '../expression/operators.ts'
import type { Having } from '../parse/query-nodes.ts'
import { asType, nodeOf, nowhere, numberNode, type Typed, toText, written, writtenSql } from '../values/typed.ts'
import { isNull, isTrue } from './equality-filter.ts'
import { dimensionValue } from './extraction.ts'
import { bindFilter } from './filter.ts'

/** A condition on finished rows; never unknown, except inside a filter. `time` is the row's bucket in milliseconds. */
export function bindHaving(having: Having, rows: Scope, time: Typed): Bound {
  switch (having.kind) {
    case 'always':
      return literal(nowhere, boolean, true)
    case 'and':
    case 'or': {
      if (having.specs.length === 0) return literal(nowhere, boolean, having.kind === 'and')
      const specs = having.specs.map((spec) => bindHaving(spec, rows, time))
      return called(nowhere, boolean, having.kind === 'and' ? conjunction : disjunction, specs)
    }
    case 'not':
      return not(bindHaving(having.spec, rows, time), nowhere)
    case 'filter': {
      const column = (name: string): Typed => (name === '__time' ? time : rows.column(name))
      return isTrue(bindFilter(having.filter, { column, range: rows.range, isFinished: true }))
    }
    case 'dimSelector': {
      const value = toText(dimensionValue(having.dimension, rows))
      // Null and '' are equal here.
      return written(boolean, sql`(coalesce(${value}, '') = ${having.value ?? ''})`)
    }
    case 'compare': {
      const value = nodeOf(rows.column(having.aggregation))
      const { value: constant, operator } = having
      if (constant === null) return operator === '=' ? isNull(value, true) : literal(nowhere, boolean, false)
      if (value.type.kind === 'null') return literal(nowhere, boolean, false)
      const text = value.type.kind === 'string' ? written(double, sql`TRY_CAST(${writtenSql(value)} AS DOUBLE)`) : value
      return isTrue(compared(operator, isNumeric(text.type) ? text : asType(text, double), numberNode(constant)))
    }
  }
}
