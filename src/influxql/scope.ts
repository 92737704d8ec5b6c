// InfluxQL's names for an entity: tags and dimensions are tags, metrics are fields, and a tag named `measurement` holds each row's measurement.
import { type Sql, sql } from '../lib/sql-text.ts'
import { type Entity, type EntityField, fieldsOfRole } from '../model/entity.ts'

export interface Scope {
  readonly entity: Entity
  /** The tag with each row's measurement; null where the entity itself is the only measurement. */
  readonly measurement: EntityField | null
  /** Sorted by name, as are the fields. */
  readonly tags: readonly EntityField[]
  readonly fields: readonly EntityField[]
}

export function scopeOf(entity: Entity): Scope {
  const byName = (fields: readonly EntityField[]) => [...fields].sort((a, b) => (a.name < b.name ? -1 : 1))
  const tags = byName([...fieldsOfRole(entity, 'tag'), ...fieldsOfRole(entity, 'dimension')])
  const measurement = tags.find(({ name, type }) => name === 'measurement' && type === 'string') ?? null
  return {
    entity,
    measurement,
    tags: tags.filter((tag) => tag !== measurement),
    fields: byName(fieldsOfRole(entity, 'metric')),
  }
}

/** Null where there is none; InfluxDB then returns null in each row. */
export function fieldNamed({ fields }: Scope, name: string): EntityField | null {
  return fields.find((field) => field.name === name) ?? null
}

export function tagNamed({ tags }: Scope, name: string): EntityField | null {
  return tags.find((tag) => tag.name === name) ?? null
}

/** The text of a tag; null where a row has none. */
export function tagSql({ name, type }: EntityField): Sql {
  return type === 'string' ? sql.id(name) : sql`CAST(${sql.id(name)} AS VARCHAR)`
}

/** The text of a tag; '' where a row has none. */
export function tagKey(tag: EntityField): Sql {
  return tag.role === 'tag' ? tagSql(tag) : sql`COALESCE(${tagSql(tag)}, '')`
}
