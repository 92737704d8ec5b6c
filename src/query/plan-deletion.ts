import type { ColumnType } from '../model/column.ts'
import type { DeletionCondition, DeletionMetric, DeletionSelection } from '../model/deletion.ts'
import { type Entity, type EntityField, fieldsOfRole } from '../model/entity.ts'
import { parseInstant } from '../model/instant.ts'
import { plainLong } from '../model/long.ts'
import { Faults } from './faults.ts'
import { readRange } from './range.ts'
import type { DeletionBody } from './requests.ts'
import { coveringPrefixes, distinctValues, pick, pickOne, readTags } from './selection.ts'

/** The rows of an entity that a deletion selects. Throws Problem `invalid_request` with all faults found. */
export function planDeletion(request: DeletionBody, entity: Entity, nowMs: number): DeletionSelection {
  const faults = new Faults()
  const [tag] = readTags(entity, request.id_name_field ?? null, faults)
  const { fromMs, toMs } = readRange(request, nowMs, faults)
  const selection = {
    tag: tag.name,
    ids: distinctValues(request.ids ?? []),
    prefixes: coveringPrefixes(request.prefixes ?? []),
    fromMs: Number.isFinite(fromMs) ? fromMs : null,
    toMs: Number.isFinite(toMs) ? toMs : null,
    metrics: readMetrics(entity, request.metrics ?? [], faults),
    where: request.where == null ? null : readWhere(entity, request.where, faults),
  }
  const { start_date, end_date, where } = request
  const isBounded = selection.ids !== null || selection.prefixes !== null
  if (!isBounded && [start_date, end_date, where].every((bound) => bound == null)) {
    faults.add('', 'No items are selected: give ids, prefixes, start_date, end_date or where')
  }
  if (request.reason.trim() === '') faults.add('reason', 'must say why')
  faults.throwIfAny()
  return selection
}

function readMetrics(entity: Entity, names: readonly string[], faults: Faults): readonly DeletionMetric[] | null {
  if (names.length === 0) return null
  const choice = fieldsOfRole(entity, 'metric')
  return pick(entity, names, choice, { path: 'metrics', wanted: 'a metric' }, faults).map(metricOf)
}

function readWhere(
  entity: Entity,
  { metric: name, op, value }: NonNullable<DeletionBody['where']>,
  faults: Faults,
): DeletionCondition | null {
  const choice = fieldsOfRole(entity, 'metric')
  const field = pickOne(entity, name, choice, { path: 'where.metric', wanted: 'a metric' }, faults)
  if (field === null) return null
  const metric = metricOf(field)
  const { read, form } = values[metric.type]
  const known = read(value)
  if (known !== null) return { metric, operator: op, value: known }
  faults.add('where.value', `the metric "${name}" is a ${field.type}: give ${form}`)
  return null
}

type Value = number | string | boolean
type ReadValue = (value: Value) => DeletionCondition['value'] | null

const values: Readonly<Record<ColumnType, { readonly read: ReadValue; readonly form: string }>> = {
  double: { read: (value) => (typeof value === 'number' ? value : null), form: 'a number' },
  long: { read: readLong, form: 'a whole number, beyond 2^53 as a string of digits' },
  string: { read: (value) => (typeof value === 'string' ? value : null), form: 'a text' },
  boolean: { read: (value) => (typeof value === 'boolean' ? value : null), form: 'true or false' },
  timestamp: { read: (value) => (typeof value === 'string' ? parseInstant(value) : null), form: 'a date-time' },
}

function readLong(value: Value): number | bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null
  const long = typeof value === 'string' ? plainLong(value) : null
  return long !== null && Number.isSafeInteger(Number(long)) ? Number(long) : long
}

function metricOf({ name, type }: EntityField): DeletionMetric {
  if (type === 'json') throw new Error(`the metric ${name} is of a type that no series has`)
  return { name, type }
}
