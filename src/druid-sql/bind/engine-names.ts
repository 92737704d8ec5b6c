// Names and numbers in DuckDB's SQL. They contain none of the caller's text: tables and columns are named by numbers of the service's own.

import { Sql, sql } from '../../lib/sql-text.ts'
import type { FrameBound, Window } from '../parse/syntax.ts'

/** A column in the engine: relation and column, both by number. An entity also has row positions and the times as its files store them. */
export interface ColumnPlace {
  readonly relation: number
  readonly column: number | 'position' | 'fileTime'
}

export function doubleLiteral(value: number): Sql {
  return new Sql(`(${Number.isFinite(value) ? value.toExponential() : `'${value}'`}::DOUBLE)`, [])
}

/** A whole number without a type, where the syntax requires one: LIMIT, frames, elements of lists. */
export function plainInteger(value: bigint | number): Sql {
  return new Sql(String(BigInt(value)), [])
}

/** The frame of a window, which Druid's SQL writes in the same words. */
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
 * A column of a relation, both by number. An entity's `position` orders rows of the same time: the higher one was pushed later. Its `fileTime` is the
 * time as its files store it: the engine skips files, and parts of them, by comparisons with it.
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
