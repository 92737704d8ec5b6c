// Validates definitions on their own. Conflicts with other definitions (taken names, the entity) are checked by the catalog.
import type { NewIngest } from '../catalog/catalog.ts'
import {
  defaultSeriesFields,
  type Field,
  type FieldRole,
  isName,
  isReservedInSeries,
  metadataRoles,
  namePattern,
  seriesRoles,
} from '../model/field.ts'
import type { IngestKind } from '../model/ingest.ts'
import { Problem, type ProblemError } from '../model/problem.ts'
import type { ChangeIngest, CreateIngest } from './ingest-schemas.ts'

/** Converts a request to a definition, with defaults filled in. Throws Problem `invalid_request` with all faults. */
export function newIngest(request: CreateIngest, createdMs: number): NewIngest {
  const { alias, kind } = request
  const fields = kind === 'series' ? (withSources(request.fields) ?? defaultSeriesFields) : withSources(request.fields)
  refuse([
    ...nameFaults('alias', alias),
    ...(kind === 'series' ? entityFaults(request) : metadataFaults(request)),
    ...(fields === undefined ? [] : [...fieldFaults(kind, fields, 'fields'), ...countFaults(kind, fields)]),
  ])
  return {
    alias,
    kind,
    entity: kind === 'series' ? (request.entity ?? alias) : null,
    fields: fields ?? [],
    duplicates: request.duplicates ?? 'keep',
    ...(request.unknown === undefined ? {} : { unknown: request.unknown }),
    ...(request.lines === undefined || request.lines === null ? {} : { lines: request.lines }),
    createdMs,
  }
}

/** The fields that a request adds to an ingest. Throws Problem `invalid_request` with all faults. */
export function addedFields(kind: IngestKind, request: ChangeIngest): readonly Field[] {
  const fields = withSources(request.add_fields) ?? []
  refuse([
    ...(kind === 'metadata' && request.unknown !== undefined ? unknownFaults() : []),
    ...fieldFaults(kind, fields, 'add_fields'),
    ...fields.flatMap(secondKeyFaults),
    ...(fields.filter(({ role }) => role === 'quality').length <= 1
      ? []
      : fault('add_fields', 'a series ingest has at most one field with the role "quality"')),
  ])
  return fields
}

function unknownFaults(): readonly ProblemError[] {
  return fault('unknown', 'only a series ingest can add fields from its rows; leave this out')
}

type NewField = NonNullable<CreateIngest['fields']>[number]

function withSources(fields: readonly NewField[] | undefined): readonly Field[] | undefined {
  return fields?.map((field) => ({ ...field, source: field.source ?? field.name }))
}

function refuse(faults: readonly ProblemError[]): void {
  if (faults.length === 0) return
  const detail = faults.map(({ path, message }) => `${path}: ${message}.`).join(' ')
  throw new Problem('invalid_request', detail, { errors: faults })
}

function fault(path: string, message: string): readonly ProblemError[] {
  return [{ path, message }]
}

function nameFaults(path: string, name: string): readonly ProblemError[] {
  return isName(name) ? [] : fault(path, `must match ${namePattern}`)
}

function entityFaults({ entity, lines }: CreateIngest): readonly ProblemError[] {
  return [
    ...(entity === undefined ? [] : nameFaults('entity', entity)),
    ...(lines === undefined || lines === null ? [] : templateFaults(lines.tag)),
  ]
}

const templateForm = /^(?:[^{}]|\{[^{}]+\})*$/

function templateFaults(tag: string): readonly ProblemError[] {
  if (templateForm.test(tag) && tag.includes('{')) return []
  return fault('lines.tag', 'must name parts of a line between { and }, such as "{measurement}.{host}.{field}"')
}

function metadataFaults({ entity, duplicates, lines, unknown, fields }: CreateIngest): readonly ProblemError[] {
  return [
    ...(entity === undefined
      ? []
      : fault('entity', 'a metadata ingest feeds the metadata entity of its own alias; leave this out')),
    ...(duplicates === undefined
      ? []
      : fault('duplicates', 'for metadata items the newest push always wins; leave this out')),
    ...(unknown === undefined ? [] : unknownFaults()),
    ...(lines === undefined || lines === null
      ? []
      : fault('lines', 'only a series ingest can turn the fields of a line into rows; leave this out')),
    ...(fields === undefined
      ? fault('fields', 'a metadata ingest needs fields, one of them with the role "index"')
      : []),
  ]
}

function fieldFaults(kind: IngestKind, fields: readonly Field[], list: string): readonly ProblemError[] {
  const names = new Set<string>()
  const sources = new Set<string>()
  return fields.flatMap((field, index) => {
    const path = `${list}[${index}]`
    const faults = [
      ...nameFaults(`${path}.name`, field.name),
      ...(names.has(field.name) ? fault(`${path}.name`, `another field is called "${field.name}" already`) : []),
      ...sourceFaults(`${path}.source`, field.source),
      ...(sources.has(field.source)
        ? fault(`${path}.source`, `another field is read from "${field.source}" already`)
        : []),
      ...(kind === 'series' ? seriesFaults(path, field) : metadataFieldFaults(path, field)),
    ]
    names.add(field.name)
    sources.add(field.source)
    return faults
  })
}

const sourceCharactersMax = 128

function sourceFaults(path: string, source: string): readonly ProblemError[] {
  const characters = [...source].length
  if (characters >= 1 && characters <= sourceCharactersMax) return []
  return fault(path, `must have 1 to ${sourceCharactersMax} characters`)
}

function seriesFaults(path: string, { name, type, role, coding }: Field): readonly ProblemError[] {
  if (!isOneOf(seriesRoles, role)) {
    return fault(`${path}.role`, `must be one of ${seriesRoles.join(', ')} in a series ingest`)
  }
  return [
    ...(isReservedInSeries(name)
      ? fault(`${path}.name`, `"${name}" has another meaning in answers; choose another name`)
      : []),
    ...(role === 'time' && type !== 'timestamp' ? fault(`${path}.type`, 'a time field must be a timestamp') : []),
    ...(role === 'tag' && type !== 'string' ? fault(`${path}.type`, 'a tag must be a string') : []),
    ...(role === 'quality' && type !== 'long' && type !== 'string'
      ? fault(`${path}.type`, 'a quality must be a long or a string')
      : []),
    ...(coding !== undefined && role !== 'quality' ? codingFaults(path) : []),
    ...(type === 'json' ? fault(`${path}.type`, '"json" is for attributes of a metadata ingest') : []),
  ]
}

/** Query parameters of the metadata item list, which cannot be names of an index field. */
const reservedForIndex = new Set(['limit', 'NextToken'])
const indexTypes = ['string', 'long', 'double', 'timestamp']

function codingFaults(path: string): readonly ProblemError[] {
  return fault(`${path}.coding`, 'is only for fields with the role "quality"; leave this out')
}

function metadataFieldFaults(path: string, { name, type, role, coding }: Field): readonly ProblemError[] {
  if (!isOneOf(metadataRoles, role)) {
    return fault(`${path}.role`, `must be one of ${metadataRoles.join(', ')} in a metadata ingest`)
  }
  const ofCoding = coding === undefined ? [] : codingFaults(path)
  if (role === 'attribute') return ofCoding
  return [
    ...ofCoding,
    ...(reservedForIndex.has(name)
      ? fault(`${path}.name`, `"${name}" is a query parameter; choose another name for the index`)
      : []),
    ...(indexTypes.includes(type) ? [] : fault(`${path}.type`, `an index must be one of ${indexTypes.join(', ')}`)),
  ]
}

function countFaults(kind: IngestKind, fields: readonly Field[]): readonly ProblemError[] {
  const count = (role: FieldRole): number => fields.filter((field) => field.role === role).length
  if (kind === 'metadata') {
    return count('index') === 1
      ? []
      : fault('fields', 'a metadata ingest needs exactly one field with the role "index"')
  }
  return [
    ...(count('time') === 1 ? [] : fault('fields', 'a series ingest needs exactly one field with the role "time"')),
    ...(count('tag') >= 1 ? [] : fault('fields', 'a series ingest needs at least one field with the role "tag"')),
    ...(count('metric') >= 1 ? [] : fault('fields', 'a series ingest needs at least one field with the role "metric"')),
    ...(count('quality') <= 1 ? [] : fault('fields', 'a series ingest has at most one field with the role "quality"')),
  ]
}

function secondKeyFaults({ role }: Field, index: number): readonly ProblemError[] {
  if (role !== 'time' && role !== 'index') return []
  return fault(
    `add_fields[${index}].role`,
    `an ingest has exactly one field with the role "${role}", and this one has it already`,
  )
}

function isOneOf(roles: readonly FieldRole[], role: FieldRole): boolean {
  return roles.includes(role)
}
