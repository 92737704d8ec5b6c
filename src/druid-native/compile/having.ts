import { type Sql, sql } from '../../lib/sql-text.ts'
import type { Having } from '../parse/query-nodes.ts'
import { type Typed, toText } from '../values/typed.ts'
import { dimensionValue } from './extraction.ts'
import { compileFilter } from './filter.ts'
import type { Rows } from './result-rows.ts'

const operators = { '>': sql`>`, '<': sql`<`, '=': sql`=` }

/** A condition on finished rows: true or false, never unknown but inside a filter. `time` is that of a row's bucket, in milliseconds. */
export function compileHaving(having: Having, rows: Rows, time: Sql): Sql {
  switch (having.kind) {
    case 'always':
      return sql`TRUE`
    case 'and':
    case 'or':
      if (having.specs.length === 0) return having.kind === 'and' ? sql`TRUE` : sql`FALSE`
      return sql`(${sql.join(
        having.specs.map((spec) => compileHaving(spec, rows, time)),
        having.kind === 'and' ? ' AND ' : ' OR ',
      )})`
    case 'not':
      return sql`(NOT ${compileHaving(having.spec, rows, time)})`
    case 'filter': {
      const column = (name: string): Typed => (name === '__time' ? { type: 'LONG', sql: time } : rows.column(name))
      return sql`coalesce(${compileFilter(having.filter, { column, range: rows.range, isFinished: true })}, FALSE)`
    }
    case 'dimSelector': {
      const value = toText(dimensionValue(having.dimension, rows))
      // Null and '' are one here.
      return sql`(coalesce(${value}, '') = ${having.value ?? ''})`
    }
    case 'compare': {
      const value = rows.column(having.aggregation)
      const { value: constant } = having
      if (constant === null) return having.operator === '=' ? sql`(${value.sql} IS NULL)` : sql`FALSE`
      const literal =
        typeof constant === 'bigint' || Number.isSafeInteger(constant)
          ? sql.long(constant)
          : sql.double(Number(constant))
      const compared = value.type === 'STRING' ? sql`TRY_CAST(${value.sql} AS DOUBLE)` : value.sql
      return value.type === null
        ? sql`FALSE`
        : sql`coalesce(${compared} ${operators[having.operator]} ${literal}, FALSE)`
    }
  }
}
