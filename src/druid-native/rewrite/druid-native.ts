// Rewrites a validated native query for Druid: entities become their data sources, and hidden columns can neither be named nor returned.

import { visibleFilter } from '../../algebra/hidden-in-druid.ts'
import { rowDeletions } from '../../algebra/hidden-rows.ts'
import { laterOrigin } from '../../druid-time/native-granularity.ts'
import { parseWithLongs } from '../../lib/json-with-longs.ts'
import { dataSourceName, nullsColumn, positionColumn } from '../../model/druid-row.ts'
import type { Entity } from '../../model/entity.ts'
import { parseGranularity } from '../../model/granularity.ts'
import { formatInstant, msPerDay } from '../../model/instant.ts'
import { invalidRequest, Problem } from '../../model/problem.ts'
import type { Column } from '../compile/relation.ts'
import { isEmpty, isNode, Json, listOf, memberOf, type Node, nodeOf, unsupported } from '../parse/json-reader.ts'
import type { NativeQuery } from '../parse/native-query-types.ts'
import { readNativeBody } from '../parse/read-body.ts'
import { readIntervals, readZone } from '../parse/read-common.ts'
import { readDataSource } from '../parse/read-data-source.ts'
import { readNativeQuery } from '../parse/read-query.ts'
import { columnsOf } from './check-query.ts'
import { readsSegments, sinceSegments, visibleRowsFilter } from './expired-rows.ts'
import { withComparedValues, withFinalFields } from './final-fields.ts'
import { numbersOf, withoutNulls } from './number-filters.ts'
import { needsVisibleRows, replacedRows, visibleRows } from './visible-rows.ts'

/** The context members that affect the result; all others are dropped. */
const contextNames = [
  'skipEmptyBuckets',
  'grandTotal',
  'sortByDimsFirst',
  'serializeDateTimeAsLong',
  'resultAsArray',
  'minTopNThreshold',
] as const

const common = ['queryType', 'intervals', 'filter', 'virtualColumns', 'descending', 'granularity'] as const
const aggregating = ['aggregations', 'postAggregations', 'limit'] as const

/** The members sent to Druid, by query type. */
const members: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['timeseries', aggregating],
  ['topN', [...aggregating, 'dimension', 'threshold', 'metric']],
  ['groupBy', ['aggregations', 'postAggregations', 'dimensions', 'having', 'limitSpec', 'subtotalsSpec']],
  ['scan', ['columns', 'resultFormat', 'batchSize', 'limit', 'offset', 'order', 'orderBy']],
  ['search', ['query', 'limit', 'searchDimensions', 'sort']],
  ['timeBoundary', ['bound']],
  ['segmentMetadata', ['toInclude', 'merge', 'analysisTypes', 'lenientAggregatorMerge']],
  ['dataSourceMetadata', []],
])

/** Cap on topN thresholds, for which Druid allocates memory. More rows would be rejected anyway, by Druid in inner queries and here in a result. */
const innerRowsMax = 100_000

export interface ForDruid {
  /** The entities that the caller may read. */
  readonly entities: readonly Entity[]
  readonly clusterName: string
  /** Row limit of a result. */
  readonly rowsMax: number
}

/**
 * Rewrites the query in a request's body; returns its tree and the query for Druid. Throws Problems `invalid_request` and
 * `unsupported_native_query` with the path of the error, and `unknown_entity` for a data source that is not one of the entities.
 */
export async function druidNative(
  body: Uint8Array,
  { entities, clusterName, rowsMax }: ForDruid,
): Promise<{ readonly tree: NativeQuery; readonly query: object }> {
  const tree = readNativeBody(body)
  refuseHidden(tree)
  const whole = parseWithLongs(new TextDecoder().decode(body))
  const data = memberOf(whole, 'query_data')
  refuseHidden(data)
  const queryType = memberOf(whole, 'query_type')
  const rewriting = new Rewriting(new Map(entities.map((entity) => [entity.name, entity])), clusterName, rowsMax)
  return { tree, query: await rewriting.whole({ ...(isNode(data) ? data : {}), queryType }) }
}

class Rewriting {
  readonly #entities: ReadonlyMap<string, Entity>
  readonly #clusterName: string
  readonly #rowsMax: number

  constructor(entities: ReadonlyMap<string, Entity>, clusterName: string, rowsMax: number) {
    this.#entities = entities
    this.#clusterName = clusterName
    this.#rowsMax = rowsMax
  }

  /**
   * The outermost query. Scans and searches are limited to one row more than allowed, which is enough to reject the result. In unpublished rows a
   * search stops counting hits when it has as many values as its limit, so it is sent without its own limit, and its result is cut afterwards.
   */
  async whole(query: Node): Promise<Node> {
    const limit = Number(query['limit'] ?? 0)
    const most = this.#rowsMax + 1
    const rewritten = await this.query(query)
    if (query['queryType'] === 'search') return { ...rewritten, limit: most }
    if (query['queryType'] !== 'scan') return rewritten
    return { ...rewritten, limit: limit === 0 ? most : Math.min(limit, most) }
  }

  async query(query: Node): Promise<Node> {
    const type = String(query['queryType'])
    const readsTable = type === 'timeBoundary' || readsSegments(type)
    const kept = [...common, ...(members.get(type) ?? [])].filter((name) => query[name] !== undefined)
    const source = query['dataSource']
    const entities = this.#entitiesIn(source)
    const hidden = readsSegments(type) ? nothingHidden : this.#hidden(query, entities)
    const numbers = numbersOf(query, await this.#typedColumns(query, entities))
    const written = (name: string): unknown => {
      const value = plain(query[name])
      if (name === 'postAggregations') return withFinalFields(value, query['aggregations'])
      if (name === 'granularity') return withLaterOrigin(value)
      if (name === 'having') return withComparedValues(value, query['aggregations'])
      return name === 'filter' || name === 'aggregations' ? withoutNulls(value, numbers) : value
    }
    return {
      ...Object.fromEntries(kept.map((name) => [name, written(name)])),
      ...(type === 'topN' ? { threshold: this.#threshold(query) } : {}),
      ...(await this.#shown(type, query, entities)),
      ...(readsSegments(type)
        ? sinceSegments(query, entities)
        : visibleRowsFilter(query, entities, hidden.filter, written('filter'))),
      ...(type === 'groupBy' && isOverNoTime(query) ? overNothing : {}),
      dataSource: hidden.source ?? (await this.#source(source, { readsTable, intervals: innerIntervals(query) })),
      context: { ...contextOf(query['context']), ...(needsWholeGroups(query) ? wholeGroups : {}) },
    }
  }

  /** How rows hidden by deletions of the query's own entities are excluded: by an additional filter, or by a data source without them. */
  #hidden(query: Node, entities: readonly Entity[]): HiddenParts {
    const [entity] = entities.filter((one) => one.hidden !== undefined)
    if (entity === undefined) return nothingHidden
    if (memberOf(leftmost(query['dataSource']), 'type') === 'union') {
      throw unsupported(
        'query_data.dataSource',
        'a union with an entity that has deleted rows (query each entity separately)',
      )
    }
    // The sides of a join are queries of their own.
    if (memberOf(query['dataSource'], 'type') === 'join') return nothingHidden
    const isBoundary = query['queryType'] === 'timeBoundary'
    if (entity.duplicates === 'replace' && !isBoundary) return nothingHidden
    if (!needsVisibleRows(query, entity))
      return { ...nothingHidden, filter: visibleFilter(rowDeletions(entity.hidden ?? [])) }
    if (!isBoundary) return { ...nothingHidden, source: visibleRows(entity, this.#clusterName, innerIntervals(query)) }
    throw unsupported('query_data.filter', 'a timeBoundary by a metric that was deleted in some rows (use timeseries)')
  }

  #threshold(query: Node): number {
    return Math.min(Number(query['threshold']), Math.max(this.#rowsMax, innerRowsMax) + 1)
  }

  /** Adds the columns to return if the query does not specify any. */
  async #shown(type: string, query: Node, entities: readonly Entity[]): Promise<Node> {
    if (entities.length === 0) return {}
    if (type === 'scan' && isEmpty(query['columns'])) {
      const computed = listOf(query['virtualColumns']).map((column) => memberOf(column, 'name'))
      return { columns: [...(await this.#columns(query)).map(({ name }) => name), ...computed] }
    }
    if (type === 'search' && isEmpty(query['searchDimensions'])) {
      const texts = (await this.#columns(query)).filter((column) => column.type === 'STRING')
      return { searchDimensions: texts.map(({ name }) => name) }
    }
    const { type: included } = isNode(query['toInclude']) ? query['toInclude'] : { type: 'all' }
    if (type === 'segmentMetadata' && included === 'all') {
      return { toInclude: { type: 'list', columns: (await this.#columns(query)).map(({ name }) => name) } }
    }
    return {}
  }

  /** The columns of the data source with their types. Fields of entities are known without reading the data source. */
  async #typedColumns(query: Node, entities: readonly Entity[]): Promise<Parameters<typeof numbersOf>[1]> {
    const type = memberOf(query['dataSource'], 'type')
    if (type === 'inline' || type === 'query' || type === 'join') return this.#columns(query)
    return entities.flatMap((entity) => entity.fields)
  }

  /** The columns of both sides of a join, or of all entities of a union. */
  #columns(query: Node): Promise<readonly Column[]> {
    const json = new Json(query['dataSource'], 'query_data.dataSource')
    const source = readDataSource(json, ({ value, path }) => readNativeQuery(value, path))
    return columnsOf(source, [...this.#entities.values()])
  }

  async #source(source: unknown, use: SourceUse): Promise<unknown> {
    if (typeof source === 'string') return this.#table(source, use)
    if (!isNode(source)) throw invalidRequest('query_data.dataSource', 'must be a name or an object')
    switch (source['type']) {
      case 'union':
        return {
          type: 'union',
          dataSources: await Promise.all(
            listOf(source['dataSources']).map((one) => this.#source(one, { readsTable: true })),
          ),
        }
      case 'query':
        return { type: 'query', query: await this.query(nodeOf(source['query'])) }
      case 'join': {
        const joined = { readsTable: use.readsTable, isJoined: true }
        return {
          ...Object.fromEntries(Object.entries(source).map(([name, value]) => [name, plain(value)])),
          left: await this.#source(source['left'], joined),
          right: await this.#source(source['right'], joined),
        }
      }
      case 'inline':
        return plain(source)
      default:
        return this.#table(String(source['name']), use)
    }
  }

  #table(name: string, { readsTable, isJoined = false, intervals }: SourceUse): unknown {
    const entity = this.#entity(name)
    if (entity.duplicates === 'replace' && !readsTable) return replacedRows(entity, this.#clusterName, intervals)
    if (isJoined && entity.hidden !== undefined) return visibleRows(entity, this.#clusterName, intervals)
    return { type: 'table', name: dataSourceName(this.#clusterName, entity.id) }
  }

  /** The entities that the query itself reads, without those of inner queries. */
  #entitiesIn(source: unknown): readonly Entity[] {
    if (typeof source === 'string') return [this.#entity(source)]
    if (!isNode(source)) return []
    if (source['type'] === 'union') return listOf(source['dataSources']).flatMap((one) => this.#entitiesIn(one))
    if (source['type'] === 'join') return this.#entitiesIn(source['left'])
    if (source['type'] === 'query' || source['type'] === 'inline') return []
    return [this.#entity(String(source['name']))]
  }

  #entity(name: string): Entity {
    const entity = this.#entities.get(name)
    if (entity !== undefined) return entity
    const message = `there is no entity ${JSON.stringify(name)}`
    throw new Problem('unknown_entity', message, { errors: [{ path: 'query_data.dataSource', message }] })
  }
}

/** How a query reads a data source. */
interface SourceUse {
  /** Whether it reads rows as they were pushed. */
  readonly readsTable: boolean
  readonly isJoined?: boolean
  /** Intervals of the query itself; absent if a part of the data source is read for all time. */
  readonly intervals?: unknown
}

interface HiddenParts {
  readonly filter: object | null
  readonly source: object | null
}

/** The first part of a data source: the left side of a join. */
const leftmost = (source: unknown): unknown =>
  memberOf(source, 'type') === 'join' ? leftmost(memberOf(source, 'left')) : source

const nothingHidden: HiddenParts = { filter: null, source: null }

/** Prevents Druid from losing parts of array groups and of subtotals when it applies limits early. */
const wholeGroups = { applyLimitPushDown: false }

const needsWholeGroups = (query: Node): boolean =>
  query['queryType'] === 'groupBy' &&
  (listOf(query['subtotalsSpec']).length > 0 ||
    listOf(query['dimensions']).some((dimension) => String(memberOf(dimension, 'outputType')).startsWith('ARRAY')))

function contextOf(context: unknown): Node {
  const kept = contextNames.filter((name) => memberOf(context, name) !== undefined)
  return Object.fromEntries(kept.map((name) => [name, memberOf(context, name)]))
}

/** Druid breaks off its response to a groupBy over empty intervals. A day with a filter that matches no rows has the same result. */
const overNothing = { intervals: ['1970-01-01/P1D'], filter: { type: 'false' } }

function isOverNoTime(query: Node): boolean {
  const intervals = readIntervals(new Json(query['intervals'], 'query_data.intervals'))
  return intervals.every(({ startMs, endMs }) => startMs === endMs)
}

/** The intervals that an inner query must read. Undefined means all time; also used for empty intervals, where Druid may break off. */
const innerIntervals = (query: Node): unknown =>
  query['intervals'] == null || isOverNoTime(query) ? undefined : plain(query['intervals'])

/** Gives granularities of several hours an origin, so that Druid also rounds down before 1970. */
function withLaterOrigin(value: unknown): unknown {
  const granularity = typeof value === 'string' ? { type: 'period', period: hoursOf(value) } : value
  if (!isNode(granularity) || granularity['type'] !== 'period' || !isEmpty(granularity['origin'])) return value
  const zone = readZone(new Json(granularity['timeZone'], 'query_data.granularity.timeZone'))
  const origin = laterOrigin(String(granularity['period']), zone)
  return origin === null ? value : { ...granularity, origin: formatInstant(origin) }
}

/** The period of a named granularity shorter than a day, in hours; null for any other. */
function hoursOf(name: string): string | null {
  const named = parseGranularity(name)
  return named?.kind === 'uniform' && named.widthMs < msPerDay ? `PT${named.widthMs / 3_600_000}H` : null
}

/** Throws if a hidden column is named, in any spelling. */
function refuseHidden(value: unknown): void {
  if (value === positionColumn || value === nullsColumn) {
    throw invalidRequest('query_data', `there is no column ${JSON.stringify(value)}`)
  }
  if (value instanceof Map) for (const entry of value) refuseHidden(entry)
  else if (Array.isArray(value)) for (const item of value) refuseHidden(item)
  else if (isNode(value)) for (const item of Object.values(value)) refuseHidden(item)
}

/**
 * Prepares a value for Druid. Bigints become strings of digits, which Druid accepts in place of numbers. Lone surrogates, which no stored text
 * contains, become the replacement character that they would be stored as.
 */
function plain(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value)
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return value.map(plain)
  if (!isNode(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [wellFormed(name), plain(item)]))
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}
