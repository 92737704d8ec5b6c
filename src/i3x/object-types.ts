// Object types with their JSON schemas, derived from the fields of entities and metadata entities.
import { type Entity, type EntityField, fieldsOfRole, type MetadataEntity } from '../model/entity.ts'
import type { FieldType } from '../model/field.ts'

export interface Namespace {
  readonly uri: string
  readonly displayName: string
}

export interface ObjectType {
  readonly elementId: string
  readonly displayName: string
  readonly namespaceUri: string
  readonly sourceTypeId: string
  readonly version: string
  readonly schema: Schema
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

export interface RelationshipType {
  readonly elementId: Relationship
  readonly displayName: string
  readonly namespaceUri: string
  readonly relationshipId: Relationship
  readonly reverseOf: string
}

/** The namespace of i3X's own relationship types. */
const i3xNamespace: Namespace = { uri: 'https://cesmii.org/i3x', displayName: 'i3X' }

export const namespacesOf = (own: string): readonly Namespace[] => [{ uri: own, displayName: 'Tidemark' }, i3xNamespace]

export type Relationship = 'HasParent' | 'HasChildren' | 'HasComponent' | 'ComponentOf'

const pairs: readonly (readonly [Relationship, Relationship])[] = [
  ['HasParent', 'HasChildren'],
  ['HasChildren', 'HasParent'],
  ['HasComponent', 'ComponentOf'],
  ['ComponentOf', 'HasComponent'],
]

export const relationshipTypes: readonly RelationshipType[] = pairs.map(([name, reverseOf]) => ({
  ...{ elementId: name, displayName: name, namespaceUri: i3xNamespace.uri, relationshipId: name, reverseOf },
}))

/** Types of objects that only contain others. They have no values. */
const holders = { folder: 'Folder', table: 'Table' } as const

export const typeIdOf = {
  entity: (name: string) => `type:entity:${name}`,
  tag: (entity: string) => `type:tag:${entity}`,
  item: (table: string) => `type:item:${table}`,
  folder: () => 'type:folder',
  table: () => 'type:table',
}

/** The fields of an object's value. An entity's value is its newest row without time and quality, which are returned next to it; a tag's omits the tag too. */
export function valueFields(entity: Pick<Entity, 'fields'>, of: 'entity' | 'tag'): readonly EntityField[] {
  const tags = fieldsOfRole(entity, 'tag')
  const others = entity.fields.filter(({ role }) => role !== 'time' && role !== 'tag' && role !== 'quality')
  return [...tags.slice(of === 'tag' ? 1 : 0), ...others]
}

/** The single field if values are scalars; null if values are objects. */
export function scalarOf(fields: readonly EntityField[]): EntityField | null {
  const [only] = fields
  return fields.length === 1 && only !== undefined && only.role === 'metric' ? only : null
}

export function objectTypes(
  own: string,
  entities: readonly Entity[],
  tables: readonly MetadataEntity[],
): readonly ObjectType[] {
  const ofEntities = entities.flatMap(({ name, fields }) => [
    typeOf(own, typeIdOf.entity(name), `Rows of ${name}`, name, valueFields({ fields }, 'entity')),
    typeOf(own, typeIdOf.tag(name), `Tags of ${name}`, `${name}.tag`, valueFields({ fields }, 'tag')),
  ])
  const ofTables = tables.map(({ name, fields }) => typeOf(own, typeIdOf.item(name), `Items of ${name}`, name, fields))
  const plain = Object.entries(holders).map(([kind, displayName]) => ({
    ...{ elementId: `type:${kind}`, displayName, namespaceUri: own, sourceTypeId: kind, version: '1.0.0' },
    schema: { type: 'object' },
  }))
  return [...ofEntities, ...ofTables, ...plain]
}

function typeOf(
  namespaceUri: string,
  elementId: string,
  displayName: string,
  sourceTypeId: string,
  fields: readonly EntityField[],
): ObjectType {
  const scalar = scalarOf(fields)
  const required = fields.filter(({ role }) => role === 'tag' || role === 'index').map(({ name }) => name)
  const schema: Schema =
    scalar === null
      ? {
          type: 'object',
          properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
          required,
        }
      : valueSchemas[scalar.type]
  // Fields are never removed, so their number is the minor version.
  return { elementId, displayName, namespaceUri, sourceTypeId, version: `1.${fields.length}.0`, schema }
}

const valueSchemas: Readonly<Record<FieldType, Schema>> = {
  double: { type: 'number' },
  long: { type: 'integer' },
  boolean: { type: 'boolean' },
  string: { type: 'string' },
  timestamp: { type: 'string', format: 'date-time' },
  json: {},
}

function schemaOf({ type, role }: EntityField): Schema {
  const schema = valueSchemas[type]
  if (role === 'tag' || role === 'index' || schema.type === undefined) return schema
  return { ...schema, type: [schema.type, 'null'].flat() }
}
