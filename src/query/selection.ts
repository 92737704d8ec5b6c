import { hasHalfPair } from '../lib/half-pairs.ts'
import { type Entity, type EntityField, fieldsOfRole, keptSince, timeField } from '../model/entity.ts'
import { type FieldRole, isNumericField } from '../model/field.ts'
import type { QualityFilter, Selection } from '../model/plan.ts'
import { type QualityWord, qualityWords } from '../model/quality.ts'
import { type Faults, listNames } from './faults.ts'
import type { SelectionRequest } from './requests.ts'

export interface SelectionRules {
  /** Only numeric fields, of which a mean exists, count as metrics. */
  readonly numericOnly: boolean
  /** All tags are in the output, so naming them in `fields` has no effect. If false, only the tag to filter by is needed. */
  readonly tagsInOutput: boolean
  /** Whether each row is one item, whose quality is output when other than good items are accepted. */
  readonly ofItems: boolean
}

/** Validates the names in a request against the entity's fields, and fills in defaults. */
export function readSelection(
  entity: Entity,
  request: SelectionRequest,
  rules: SelectionRules,
  faults: Faults,
): Selection {
  const [first, ...others] = readTags(entity, request.id_name_field ?? null, faults)
  const tags: Selection['tags'] = rules.tagsInOutput ? [first, ...others] : [first]
  const dimensions = readFields(entity, request.fields ?? [], faults)
  const { quality, shown } = readQuality(entity, request.quality ?? [], faults)
  const fields = rules.ofItems ? [...dimensions, ...shown] : dimensions
  return {
    entityId: entity.id,
    sinceMs: entity.sinceMs,
    ...keptSince(entity),
    time: timeField(entity),
    tags,
    ids: distinctValues(request.ids ?? []),
    prefixes: coveringPrefixes(request.prefixes ?? []),
    metrics: readMetrics(entity, request.metric_name_field ?? [], rules.numericOnly, faults),
    fields: rules.tagsInOutput ? fields.filter((field) => !tags.includes(field)) : fields,
    ...(quality === null ? {} : { quality }),
  }
}

/** Only good items by default. */
function readQuality(
  entity: Entity,
  words: readonly QualityWord[],
  faults: Faults,
): { readonly quality: QualityFilter | null; readonly shown: readonly EntityField[] } {
  const [field] = fieldsOfRole(entity, 'quality')
  if (field === undefined) {
    if (words.length > 0) faults.add('quality', `${JSON.stringify(entity.name)} has no field of the role "quality"`)
    return { quality: null, shown: [] }
  }
  const taken = words.length === 0 ? (['good'] as const) : qualityWords.filter((word) => words.includes(word))
  return {
    quality: { field, words: taken },
    shown: taken.some((word) => word !== 'good') ? [field] : [],
  }
}

const withArticle: Partial<Record<FieldRole, string>> = {
  time: 'the time field',
  tag: 'a tag',
  dimension: 'a dimension',
  metric: 'a metric',
  quality: 'the quality',
}

function whyNot(entity: Entity, name: string, wanted: string): string {
  const field = entity.fields.find((candidate) => candidate.name === name)
  const quoted = JSON.stringify(name)
  if (field === undefined) return `${quoted} is not a field of ${JSON.stringify(entity.name)}`
  return `${quoted} is ${withArticle[field.role]} of type ${field.type}, not ${wanted}`
}

function allowed(fields: readonly EntityField[]): string {
  return fields.length === 0 ? 'the entity has none' : `allowed here: ${listNames(fields.map((field) => field.name))}`
}

/** The named tag, or all tags in the order of the definition; the first one is the tag to filter by. */
export function readTags(entity: Entity, name: string | null, faults: Faults): Selection['tags'] {
  const [first, ...others] = fieldsOfRole(entity, 'tag')
  if (first === undefined) throw new Error(`entity ${entity.name} has no tag, which its definition must have`)
  const tags: Selection['tags'] = [first, ...others]
  if (name === null) return tags
  const named = tags.find((tag) => tag.name === name)
  if (named !== undefined) return [named]
  faults.add('id_name_field', `${whyNot(entity, name, 'a tag')}; ${allowed(tags)}`)
  return tags
}

function readFields(entity: Entity, names: readonly string[], faults: Faults): readonly EntityField[] {
  if (names.length === 0) return []
  const choice = entity.fields.filter((field) => field.role === 'tag' || field.role === 'dimension')
  return pick(entity, names, choice, { path: 'fields', wanted: 'a dimension or tag' }, faults)
}

function readMetrics(
  entity: Entity,
  names: readonly string[],
  numericOnly: boolean,
  faults: Faults,
): readonly EntityField[] {
  const metrics = fieldsOfRole(entity, 'metric')
  const choice = numericOnly ? metrics.filter(isNumericField) : metrics
  const wanted = numericOnly ? 'a numeric metric' : 'a metric'
  if (choice.length === 0) {
    faults.add('metric_name_field', `${JSON.stringify(entity.name)} has no field that is ${wanted}`)
    return []
  }
  if (names.length === 0) return choice
  return pick(entity, names, choice, { path: 'metric_name_field', wanted }, faults)
}

/** The named fields, without duplicates, in the order of their first mention. */
export function pick(
  entity: Entity,
  names: readonly string[],
  choice: readonly EntityField[],
  { path, wanted }: { readonly path: string; readonly wanted: string },
  faults: Faults,
): readonly EntityField[] {
  const byName = new Map(choice.map((field) => [field.name, field]))
  const picked = new Set<EntityField>()
  for (const [index, name] of names.entries()) {
    if (faults.areFull) break
    const field = byName.get(name)
    if (field !== undefined) picked.add(field)
    else faults.add(`${path}[${index}]`, `${whyNot(entity, name, wanted)}; ${allowed(choice)}`)
  }
  return [...picked]
}

/** The named field; null when it is not among the choices. */
export function pickOne(
  entity: Entity,
  name: string,
  choice: readonly EntityField[],
  { path, wanted }: { readonly path: string; readonly wanted: string },
  faults: Faults,
): EntityField | null {
  const field = choice.find((one) => one.name === name)
  if (field === undefined) faults.add(path, `${whyNot(entity, name, wanted)}; ${allowed(choice)}`)
  return field ?? null
}

/** Distinct values; null when every value matches. Stored texts contain no lone surrogate, so values with one are dropped. */
export function distinctValues(values: readonly string[]): readonly string[] | null {
  return values.length === 0 ? null : [...new Set(values.filter((value) => !hasHalfPair(value)))]
}

/** Sorted prefixes, without those that extend another one; null when every value matches. */
export function coveringPrefixes(prefixes: readonly string[]): readonly string[] | null {
  if (prefixes.length === 0) return null
  const kept: string[] = []
  for (const prefix of prefixes.filter((text) => !hasHalfPair(text)).sort()) {
    const shorter = kept.at(-1)
    if (shorter === undefined || !prefix.startsWith(shorter)) kept.push(prefix)
  }
  return kept[0] === '' ? null : kept
}
