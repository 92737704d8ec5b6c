import type { Entity, EntityField, MetadataEntity } from '../../model/entity.ts'
import type { QueryColumn } from './tree.ts'
import { double, json, long, type SqlType, string, timestamp } from './types.ts'

/** The schemas of tables: series entities, and metadata entities. */
export type SqlSchema = 'druid' | 'metadata'

/** A table of SQL: an entity that the caller may read. */
export interface SqlTable {
  readonly schema: SqlSchema
  readonly name: string
  readonly entityId: number
  /** In the order of `SELECT *`: for a series entity `__time`, then its other fields. In the engine they are c0, c1, ... */
  readonly columns: readonly SqlColumn[]
}

export interface SqlColumn extends QueryColumn {
  /** The name of the entity's field. */
  readonly field: string
  /** Whether every row has a value: the time of a series entity, the identifier of a metadata entity. */
  readonly isNeverNull: boolean
}

/** A series entity as an SQL table. Its time is `__time`; truth values are the longs 0 and 1. */
export function sqlTable(entity: Pick<Entity, 'id' | 'name' | 'fields'>): SqlTable {
  const time = entity.fields.find((field) => field.role === 'time')
  if (time === undefined) throw new Error('a series entity has a time field by its definition')
  const others = entity.fields.filter((field) => field !== time)
  const columns = others.map((field) => ({
    name: field.name,
    type: columnType(field),
    field: field.name,
    isNeverNull: false,
    isStored: true,
  }))
  return {
    schema: 'druid',
    name: entity.name,
    entityId: entity.id,
    columns: [{ name: '__time', type: timestamp, field: time.name, isNeverNull: true }, ...columns],
  }
}

/** A metadata entity as an SQL table. Each item is a row; its identifier and attributes are the columns. */
export function metadataTable({ id, name, fields }: MetadataEntity): SqlTable {
  const columns = fields.map((field) => ({
    name: field.name,
    type: field.type === 'json' ? json : columnType(field),
    field: field.name,
    isNeverNull: field.role === 'index',
  }))
  return { schema: 'metadata', name, entityId: id, columns }
}

/** The tables that a caller may read, found by the names that queries use. */
export class SqlTables {
  readonly all: readonly SqlTable[]
  readonly listsFunctions: boolean
  readonly #bySchema: Readonly<Record<SqlSchema, ReadonlyMap<string, SqlTable>>>

  /** `listsFunctions`: whether INFORMATION_SCHEMA includes ROUTINES. */
  constructor(all: readonly SqlTable[], listsFunctions = false) {
    this.all = all
    this.listsFunctions = listsFunctions
    const named = (schema: SqlSchema): ReadonlyMap<string, SqlTable> =>
      new Map(all.filter((table) => table.schema === schema).map((table) => [table.name, table]))
    this.#bySchema = { druid: named('druid'), metadata: named('metadata') }
  }

  /** Accepts `name`, `druid.name` and `metadata.name`. A name without a schema means a series entity first, then a metadata entity. */
  find(path: readonly string[]): SqlTable | undefined {
    const { druid, metadata } = this.#bySchema
    const name = path.at(-1)!
    if (path.length === 1) return druid.get(name) ?? metadata.get(name)
    if (path.length !== 2) return undefined
    return path[0] === 'druid' ? druid.get(name) : path[0] === 'metadata' ? metadata.get(name) : undefined
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
