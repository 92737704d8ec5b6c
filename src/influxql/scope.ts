// The names of InfluxQL over an entity: tags and dimensions are tags, metrics are fields, and a tag named `measurement` says whose rows are whose.

import { type Sql, sql } from '../lib/sql-text.ts'
import type { Entity, EntityField } from '../model/entity.ts'

export interface Scope {
  readonly entity: Entity
  /** Null where the entity itself is the one measurement. */
  readonly measurement: EntityField | null
  /** By name. */
  readonly tags: readonly EntityField[]
  readonly fields: readonly EntityField[]
}

export function scopeOf(entity: Entity): Scope {
  const ofRoles = (...roles: readonly string[]) =>
    entity.fields.filter(({ role }) => roles.includes(role)).sort((a, b) => (a.name < b.name ? -1 : 1))
  const tags = ofRoles('tag', 'dimension')
  const measurement = tags.find(({ name, type }) => name === 'measurement' && type === 'string') ?? null
  return {
    entity,
    measurement,
    tags: tags.filter((tag) => tag !== measurement),
    fields: ofRoles('metric', 'quality'),
  }
}

/** Null where there is none: InfluxDB has a null in each row then. */
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

/** The same, and '' where a row has none. */
export function tagKey(tag: EntityField): Sql {
  return tag.role === 'tag' ? tagSql(tag) : sql`COALESCE(${tagSql(tag)}, '')`
}
