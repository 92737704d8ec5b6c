// What stands in DuckDB's SQL beside literals. Nothing of the caller's text gets into it: names of tables and columns are numbers of our own.

import { Sql, sql } from '../../lib/sql-text.ts'
import type { FrameBound, Window } from '../parse/syntax.ts'

/** Where the engine has a column: of a relation, both by their numbers. An entity has its positions and the times of its files too. */
export interface ColumnPlace {
  readonly relation: number
  readonly column: number | 'position' | 'fileTime'
}

export function doubleLiteral(value: number): Sql {
  return new Sql(`(${Number.isFinite(value) ? value.toExponential() : `'${value}'`}::DOUBLE)`, [])
}

/** A whole number without a type, where the syntax asks for one: LIMIT, frames, the elements of lists. */
export function plainInteger(value: bigint | number): Sql {
  return new Sql(String(BigInt(value)), [])
}

/** The frame of a window, which Druid's SQL has in the same words. */
export function frameText({ unit, start, end }: NonNullable<Window['frame']>): Sql {
  const units = { ROWS: sql`ROWS`, RANGE: sql`RANGE` }
  return sql`${units[unit]} BETWEEN ${boundText(start)} AND ${boundText(end)}`
}

function boundText(bound: FrameBound): Sql {
  switch (bound.kind) {
    case 'unboundedPreceding':
      return sql`UNBOUNDED PRECEDING`
    case 'unboundedFollowing':
      return sql`UNBOUNDED FOLLOWING`
    case 'currentRow':
      return sql`CURRENT ROW`
    case 'preceding':
      return sql`${plainInteger(bound.rows)} PRECEDING`
    case 'following':
      return sql`${plainInteger(bound.rows)} FOLLOWING`
  }
}

/** A relation of the query, by its number. */
export function relationName(relation: number): Sql {
  return new Sql(`r${relation}`, [])
}

/**
 * A column of a relation, both by their numbers. Of an entity, the positions of rows are one: of two rows of one time, the higher was pushed later; and the
 * times as its files have them: the engine skips files and parts of them by comparisons with it.
 */
export function columnText({ relation, column }: ColumnPlace): Sql {
  const name = column === 'position' ? 'p' : column === 'fileTime' ? 't' : `c${column}`
  return new Sql(`r${relation}.${name}`, [])
}

export function columnName(column: number): Sql {
  return new Sql(`c${column}`, [])
}

/** The table of a metadata entity's items in the engine. */
export function itemsTable(entityId: number): Sql {
  return new Sql(`items_${BigInt(entityId)}`, [])
}

/** The table of an entity in the engine. */
export function entityTable(entityId: number): Sql {
  return new Sql(`entity_${BigInt(entityId)}`, [])
}
