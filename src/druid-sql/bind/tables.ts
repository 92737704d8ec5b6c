import type { Entity, EntityField } from '../../model/entity.ts'
import { double, long, type SqlType, string, timestamp } from './types.ts'

/** A table of SQL: an entity that the caller may read. */
export interface SqlTable {
  readonly name: string
  readonly entityId: number
  /** In the order of `SELECT *`: `__time`, then the entity's other fields. In the engine they are c0, c1, ... */
  readonly columns: readonly SqlColumn[]
}

export interface SqlColumn {
  readonly name: string
  readonly type: SqlType
  /** The name of the entity's field. */
  readonly field: string
}

/** An entity as its SQL table: its time is `__time`, truth values are the longs 0 and 1. */
export function sqlTable(entity: Pick<Entity, 'id' | 'name' | 'fields'>): SqlTable {
  const time = entity.fields.find((field) => field.role === 'time')
  if (time === undefined) throw new Error('a series entity has a time field by its definition')
  const others = entity.fields.filter((field) => field !== time)
  const columns = others.map((field) => ({ name: field.name, type: columnType(field), field: field.name }))
  return {
    name: entity.name,
    entityId: entity.id,
    columns: [{ name: '__time', type: timestamp, field: time.name }, ...columns],
  }
}

function columnType({ type }: EntityField): SqlType {
  switch (type) {
    case 'double':
      return double
    case 'long':
    case 'boolean':
      return long
    case 'timestamp':
      return timestamp
    case 'string':
    case 'json':
      return string
  }
}
