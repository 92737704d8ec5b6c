// What stands in DuckDB's SQL beside literals. Nothing of the caller's text gets into it: names of tables and columns are numbers of our own.

import { Sql } from '../../lib/sql-text.ts'

export function doubleLiteral(value: number): Sql {
  return new Sql(`(${Number.isFinite(value) ? value.toExponential() : `'${value}'`}::DOUBLE)`, [])
}

/** A whole number without a type, where the syntax asks for one: LIMIT, frames, the elements of lists. */
export function plainInteger(value: bigint | number): Sql {
  return new Sql(String(BigInt(value)), [])
}

/** A relation of the query, by its number. */
export function relationName(relation: number): Sql {
  return new Sql(`r${relation}`, [])
}

/** A column of a relation, both by their numbers. */
export function columnOf(relation: number, column: number): Sql {
  return new Sql(`r${relation}.c${column}`, [])
}

/** The positions of the rows of an entity's relation: of two rows of one time, the higher was pushed later. */
export function positionOf(relation: number): Sql {
  return new Sql(`r${relation}.p`, [])
}

/** The times of an entity's relation as its files have them: the engine skips files and parts of them by comparisons with it. */
export function fileTimeOf(relation: number): Sql {
  return new Sql(`r${relation}.t`, [])
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
