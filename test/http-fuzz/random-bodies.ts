// Bodies for each endpoint: valid ones from its schema and by hand, and mutations of them at the edges.
import type { Random } from '../support/random.ts'
import { chance, edgeGranularities, edgeNumbers, edgeText, edgeTimes, edgeValue, pick, Raw } from './edge-values.ts'

/** Existing names of the fuzzed data, and some that do not exist. */
export interface Names {
  readonly ingests: readonly string[]
  readonly entities: readonly string[]
  readonly tables: readonly string[]
  readonly subscribers: readonly string[]
  readonly ids: readonly string[]
  readonly batches: readonly string[]
}

export interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
}

/** A value for a property of a request, chosen by the property's name. */
function namedValue(random: Random, name: string, names: Names): unknown {
  switch (name) {
    case 'entity':
      return pick(random, [...names.entities, ...names.tables])
    case 'ingest':
    case 'alias':
      return pick(random, names.ingests)
    case 'entities':
      return [pick(random, names.tables)]
    case 'name':
      return pick(random, names.subscribers)
    case 'id_name_field':
      return pick(random, ['T', 'D', 'V', 'U', '', 'id'])
    case 'metric_name_field':
    case 'fields':
      return [pick(random, ['V', 'D', 'T', 'F', 'L'])]
    case 'ids':
    case 'prefixes':
    case 'itemsId':
      return [pick(random, names.ids), pick(random, names.ids)]
    case 'granularity':
      return pick(random, edgeGranularities)
    case 'start_date':
    case 'end_date':
    case 'date':
    case 'from':
    case 'until':
    case 'expires':
      return pick(random, edgeTimes)
    case 'retention':
      return pick(random, ['P90D', 'P1D', 'P36500D', 'P999999999Y', 'PT1H', null])
    case 'sql_query':
      return sqlText(random, names)
    case 'query_data':
      return nativeQuery(random, names)
    case 'add_fields':
      return [{ name: pick(random, ['F', 'L', 'V', '__time']), type: 'double', role: 'metric' }]
    default:
      return undefined
  }
}

const tooFar = 8

export function goodValue(random: Random, schema: Schema, names: Names, name = '', depth = 0): unknown {
  const named = namedValue(random, name, names)
  if (named !== undefined) return named
  if (depth > tooFar) return null
  const { anyOf, enum: choices, items, properties, type } = schema
  if ('const' in schema) return schema.const
  if (choices !== undefined) return pick(random, choices)
  if (anyOf !== undefined) return goodValue(random, pick(random, anyOf), names, name, depth + 1)
  const kind = typeof type === 'string' || type === undefined ? type : pick(random, type)
  if (properties !== undefined || kind === 'object') {
    const members: Record<string, unknown> = {}
    for (const [key, member] of Object.entries(properties ?? {})) {
      if (schema.required?.includes(key) || chance(random, 50))
        members[key] = goodValue(random, member, names, key, depth + 1)
    }
    return members
  }
  if (kind === 'array') {
    return Array.from({ length: random.below(3) }, () => goodValue(random, items ?? {}, names, name, depth + 1))
  }
  if (kind === 'integer' || kind === 'number') return random.below(5)
  if (kind === 'boolean') return chance(random, 50)
  return kind === 'null' ? null : pick(random, names.ids)
}

/** The same value with one part changed, added or removed. */
export function changed(random: Random, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Raw || chance(random, 10)) {
    return edgeValue(random)
  }
  if (Array.isArray(value)) {
    if (value.length === 0 || chance(random, 20)) return [...value, edgeValue(random)]
    const at = random.below(value.length)
    return value.map((item, index) => (index === at ? changed(random, item) : item))
  }
  const entries = Object.entries(value)
  if (entries.length === 0 || chance(random, 10)) return { ...value, [edgeText(random)]: edgeValue(random) }
  const at = random.below(entries.length)
  if (chance(random, 10)) return Object.fromEntries(entries.filter((_, index) => index !== at))
  return Object.fromEntries(entries.map(([key, item], index) => [key, index === at ? changed(random, item) : item]))
}

export function row(random: Random): Record<string, unknown> {
  const good = {
    D: pick(random, edgeTimes.slice(0, 8)),
    T: pick(random, ['a', 'b', 'c.d', '']),
    V: pick(random, edgeNumbers),
  }
  return chance(random, 70)
    ? good
    : { ...good, [pick(random, ['D', 'T', 'V', 'U', 'F', '__proto__'])]: edgeValue(random) }
}

function nativeQuery(random: Random, names: Names): unknown {
  const dataSource = pick(random, names.entities)
  const intervals = pick(random, [['2020/2030'], '2026-01-01/P1D', ['0001/9999'], ['-5000/5000'], []])
  const granularity = pick(random, [...edgeGranularities, { type: 'period', period: pick(random, edgeTimes) }])
  const metric = { type: 'doubleSum', name: 's', fieldName: pick(random, ['V', 'T', '__time', 'nothing']) }
  const base = { dataSource, intervals, granularity, aggregations: [metric] }
  const filter = { type: 'selector', dimension: 'T', value: edgeValue(random) }
  return pick(random, [
    { queryType: 'timeseries', ...base },
    { queryType: 'timeseries', ...base, filter },
    { queryType: 'topN', ...base, dimension: 'T', metric: 's', threshold: pick(random, edgeNumbers) },
    {
      queryType: 'groupBy',
      ...base,
      dimensions: ['T'],
      limitSpec: { type: 'default', limit: pick(random, edgeNumbers) },
    },
    { queryType: 'scan', dataSource, intervals, limit: pick(random, edgeNumbers), offset: pick(random, edgeNumbers) },
    { queryType: 'search', dataSource, intervals, query: { type: 'contains', value: edgeText(random) } },
    { queryType: 'timeBoundary', dataSource, bound: pick(random, ['minTime', 'maxTime', edgeText(random)]) },
    { queryType: 'segmentMetadata', dataSource, intervals },
    { queryType: 'dataSourceMetadata', dataSource },
  ])
}

function sqlText(random: Random, names: Names): string {
  const table = pick(random, names.entities)
  const text = `'${edgeText(random).replaceAll("'", "''")}'`
  const number = pick(random, edgeNumbers).text
  return pick(random, [
    'SELECT 1',
    `SELECT * FROM "${table}" LIMIT ${number}`,
    `SELECT T, COUNT(*) FROM "${table}" WHERE T = ${text} GROUP BY T`,
    `SELECT TIME_FLOOR(__time, ${text}) FROM "${table}"`,
    `SELECT * FROM "${table}" WHERE __time > TIMESTAMP ${text}`,
    `SELECT V + ${number} FROM "${table}"`,
    `SELECT * FROM INFORMATION_SCHEMA.COLUMNS`,
    edgeText(random),
  ])
}
