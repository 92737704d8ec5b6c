import {
  type Field,
  type FieldRole,
  type FieldType,
  fieldTypes,
  metadataRoles,
  seriesRoles,
} from '../../model/field.ts'
import type { Duplicates, Ingest, IngestKind, IngestState, Unknown } from '../../model/ingest.ts'
import { type QualityCoding, qualityCodings } from '../../model/quality.ts'
import type { Tables } from '../schema.ts'
import { fromTextColumn } from './text-column.ts'

/** An ingest with the columns of its entity. */
export type IngestRow = Tables['ingests'] & { readonly entity: string; readonly duplicates: string }

export function ingestOf(row: IngestRow, fields: readonly Field[]): Ingest {
  return {
    id: row.id,
    alias: row.alias,
    kind: oneOf(kinds, row.kind),
    entity: row.entity,
    entityId: row.entity_id,
    fields,
    fieldsVersion: row.fields_version,
    duplicates: duplicatesOf(row.duplicates),
    ...(unknownAt(row.unknown, row.fields_version) === 'add' ? { unknown: 'add' } : {}),
    ...(row.lines_tag === null ? {} : { lines: { tag: fromTextColumn(row.lines_tag) } }),
    state: oneOf(states, row.state),
    reason: row.reason === null ? null : fromTextColumn(row.reason),
    createdMs: row.created_ms,
  }
}

/** The value of `unknown` at a version of the fields. */
function unknownAt(changes: string, version: number): Unknown {
  let unknown: Unknown = 'reject'
  for (const change of changes === '' ? [] : changes.split(',')) {
    const [from, to] = change.split(':')
    if (Number(from) <= version) unknown = to === 'add' ? 'add' : 'reject'
  }
  return unknown
}

/** The column's value after another change. */
export function withUnknown(changes: string, version: number, unknown: Unknown): string {
  return `${changes === '' ? '' : `${changes},`}${version}:${unknown}`
}

type FieldRow = Pick<Tables['ingest_fields'], 'name' | 'source' | 'type' | 'role' | 'coding' | 'added'>

export function fieldOf(row: FieldRow): Field {
  return {
    name: row.name,
    source: fromTextColumn(row.source),
    type: fieldTypeOf(row.type),
    role: fieldRoleOf(row.role),
    ...codingIn(row),
    ...(row.added === null ? {} : { added: 'by_row' }),
  }
}

/** Absent when the column is null. */
export function codingIn({ coding }: { readonly coding: string | null }): { coding?: QualityCoding } {
  return coding === null ? {} : { coding: oneOf(qualityCodings, coding) }
}

export function fieldTypeOf(text: string): FieldType {
  return oneOf(fieldTypes, text)
}

export function fieldRoleOf(text: string): FieldRole {
  return oneOf(roles, text)
}

export function duplicatesOf(text: string): Duplicates {
  return oneOf(duplicateRules, text)
}

const kinds: readonly IngestKind[] = ['series', 'metadata']
const states: readonly IngestState[] = ['active', 'blocked']
const duplicateRules: readonly Duplicates[] = ['keep', 'replace']
const roles: readonly FieldRole[] = [...seriesRoles, ...metadataRoles]

/** Throws an Error for any other text: only the catalog writes this column, so the file is damaged or was edited. */
export function oneOf<Word extends string>(words: readonly Word[], text: string): Word {
  const word = words.find((candidate) => candidate === text)
  if (word === undefined) throw new Error(`the catalog holds "${text}" where one of ${words.join(', ')} belongs`)
  return word
}
