// The tree of a query with resolved names and known types: plain data, written for an engine by `compile/` and read by the store's planner.
// Properties are computed from the tree: the columns that it names, whether it aggregates, and keys that identify equal expressions.

import { Zone } from '../../druid-time/zone.ts'
import type { Sql } from '../../lib/sql-text.ts'
import { widthOf } from '../functions/text-limits.ts'
import type { Place } from '../parse/sql-problem.ts'
import type { Join, OrderItem, Window } from '../parse/syntax.ts'
import type { ColumnPlace } from './engine-names.ts'
import type { PeriodParts } from './periods.ts'
import { type SqlType, wideString } from './types.ts'

/** An expression. */
export type Bound =
  | LiteralNode
  | TimeNode
  | IntervalNode
  | ColumnNode
  | WrittenNode
  | CallNode
  | AggregateNode
  | ScalarQueryNode

interface Node {
  readonly type: SqlType
  readonly place: Place
  /** The column or aggregate of texts or numbers that the node is, or is cast from. Where rows are selected, Druid makes filters of it. */
  readonly stored?: StoredColumn | undefined
}

export interface StoredColumn {
  readonly column: Bound
  readonly isCast: boolean
}

export type ConstantValue = string | number | bigint | boolean | null

export interface LiteralNode extends Node {
  readonly kind: 'literal'
  readonly value: ConstantValue
}

/** An instant; for a date, its midnight in local time. */
export interface TimeNode extends Node {
  readonly kind: 'time'
  readonly ms: number
}

export interface IntervalNode extends Node {
  readonly kind: 'interval'
  readonly isNegative: boolean
  readonly steps: PeriodParts
}

export interface ColumnNode extends Node {
  readonly kind: 'column'
  readonly at: ColumnPlace
  /** The name that the query uses. */
  readonly name: string
  /** The same instants as the files store them; only for the time of an entity. */
  readonly inFiles?: ColumnPlace | undefined
  /** Whether it comes only from VALUES. After such rows are grouped or limited, Druid evaluates nothing in advance, and it counts as an entity's column. */
  readonly isOfValues?: boolean | undefined
  /** Whether it is JSON that is stored as text. */
  readonly isJsonText?: boolean | undefined
}

/** SQL that is already written for the engine: a name of the engine's, or parts that only native queries have. */
export interface WrittenNode extends Node {
  readonly kind: 'written'
  readonly sql: Sql
}

/** A function call. Operators, conditions and CASE are functions too. */
export interface CallNode<Options = unknown> extends Node {
  readonly kind: 'call'
  readonly fn: EngineFunction<Options>
  readonly operands: readonly Bound[]
  readonly options: Options
}

/** Settings that apply to the whole query. */
export interface QuerySemantics {
  /** Whether overflow wraps around, as in Java, at the cost of speed; otherwise it ends the query. */
  readonly wraps: boolean
  /** The zone of time texts without one, and of buckets and parts of times. */
  readonly zone: Zone
}

/** How a function is written in the engine's SQL. */
export interface EngineFunction<Options = unknown> {
  /** Identifies the function. */
  readonly id: number
  write(operands: readonly Sql[], node: CallNode<Options>, meaning: QuerySemantics): Sql
}

/** An aggregate of a group, or over a window. */
export interface AggregateNode<Options = unknown> extends Node {
  readonly kind: 'aggregate'
  readonly fn: EngineAggregate<Options>
  readonly operands: readonly Bound[]
  readonly options: Options
  readonly distinct: boolean
  readonly orderBy: readonly OrderKey[]
  readonly filter: Bound | null
  readonly over: WindowNode | null
}

export interface EngineAggregate<Options = unknown> {
  readonly id: number
  /** `order` is the ORDER BY within the call, or empty. */
  write(operands: readonly Sql[], node: AggregateNode<Options>, order: Sql): WrittenAggregate
}

export interface WrittenAggregate {
  /** The call of the engine's aggregate, to which FILTER and OVER are added. */
  readonly call: Sql
  /** A second call, where one is not sufficient. */
  readonly also?: Sql
  /** Computes the result from the value of the call and that of the second call. */
  readonly finish?: (value: Sql, also: Sql) => Sql
}

export interface WindowNode {
  readonly partitionBy: readonly Bound[]
  readonly orderBy: readonly OrderKey[]
  readonly frame: Window['frame']
}

/** A sort key: a value, or the number of an output column. */
export interface OrderKey extends Pick<OrderItem, 'descending' | 'nulls'> {
  readonly key: Bound | number
}

/** A query used as a value, or as the set in which a value is looked for. */
export interface ScalarQueryNode extends Node {
  readonly kind: 'query'
  readonly query: BoundRows
  readonly sought: { readonly operand: Bound; readonly item: Bound; readonly negated: boolean } | null
}

/** A column of a query's result. */
export interface QueryColumn {
  readonly name: string
  readonly type: SqlType
  /** Whether it is a column of an entity, possibly through subqueries and groups; otherwise it is computed. */
  readonly isStored?: boolean | undefined
  /** Whether it comes only from VALUES. Where such rows are joined, it counts as an entity's column. */
  readonly isOfValues?: boolean | undefined
  /** For a query that Druid runs before the enclosing one: whether the column alone identifies the query's groups, of which none is left out. */
  readonly ofQuery?: 'onlyKey' | 'other' | undefined
}

/** Rows of a FROM, a subquery or a side of UNION ALL. Their columns are c0, c1, ... in the engine. */
export type BoundRows =
  | QueryNode
  | SelectNode
  | SortNode
  | ProjectNode
  | ValuesNode
  | UnionNode
  | CatalogNode
  | AppendNode

interface Rows {
  readonly columns: readonly QueryColumn[]
}

/** Common tables and limits around other rows. */
export interface QueryNode extends Rows {
  readonly kind: 'query'
  readonly with: readonly { readonly relation: number; readonly rows: BoundRows }[]
  readonly rows: BoundRows
  readonly limit: bigint | null
  readonly offset: bigint | null
  /** Relation that materializes the limited rows: without it, the engine applies conditions of an enclosing join before the LIMIT (duckdb#22963). */
  readonly apart: number | null
}

export interface SelectNode extends Rows {
  readonly kind: 'select'
  readonly distinct: boolean
  readonly outputs: readonly Bound[]
  readonly from: FromNode | null
  readonly where: Bound | null
  /** Null where the query has no GROUP BY. */
  readonly groups: GroupsNode | null
  readonly having: Bound | null
  readonly orderBy: readonly OrderKey[]
}

export interface GroupsNode {
  /** Each key once. */
  readonly keys: readonly Bound[]
  /** One set, or those of GROUPING SETS. */
  readonly sets: readonly (readonly Bound[])[]
  /** Whether the query has ROLLUP, CUBE or GROUPING SETS. */
  readonly areSets: boolean
  /** Places where a key is the name of an output, which Druid does not accept. */
  readonly named: readonly Place[]
}

/** All columns of other rows, sorted. */
export interface SortNode extends Rows {
  readonly kind: 'sort'
  readonly rows: BoundRows
  readonly relation: number
  readonly orderBy: readonly OrderKey[]
}

export interface ProjectNode extends Rows {
  readonly kind: 'project'
  readonly rows: BoundRows
  readonly relation: number
  readonly outputs: readonly Bound[]
}

export interface ValuesNode extends Rows {
  readonly kind: 'values'
  readonly relation: number
  readonly lines: readonly (readonly Bound[])[]
}

export interface UnionNode extends Rows {
  readonly kind: 'union'
  readonly left: BoundRows
  readonly right: BoundRows
}

/** A table of INFORMATION_SCHEMA. */
export interface CatalogNode extends Rows {
  readonly kind: 'catalog'
  readonly lines: readonly (readonly (string | number | null)[])[]
}

/** The rows of several entities, one after the other. `places` has the entity's column for each output column; null where the entity has none. */
export interface AppendNode extends Rows {
  readonly kind: 'append'
  readonly parts: readonly { readonly entityId: number; readonly places: readonly (number | null)[] }[]
}

export type FromNode =
  | { readonly kind: 'entity'; readonly entityId: number; readonly relation: number }
  /** Items of a metadata entity. */
  | {
      readonly kind: 'items'
      readonly entityId: number
      readonly relation: number
      /** The number of columns. */
      readonly columns: number
      /** Whether the query renames them, which it can do only for all at once. */
      readonly renames: boolean
    }
  | { readonly kind: 'common'; readonly of: number; readonly relation: number }
  | { readonly kind: 'rows'; readonly rows: BoundRows; readonly relation: number }
  | { readonly kind: 'unnest'; readonly array: Bound; readonly relation: number }
  /** One relation with all named columns and the values computed in addition to them. */
  | { readonly kind: 'widened'; readonly from: FromNode; readonly outputs: readonly Bound[]; readonly relation: number }
  | {
      readonly kind: 'join'
      readonly type: Join['type']
      readonly left: FromNode
      readonly right: FromNode
      readonly on: readonly Bound[]
    }

let functions = 0

/** A function, defined by its SQL in the engine. */
export function engineFunction<Options = null>(write: EngineFunction<Options>['write']): EngineFunction<Options> {
  functions += 1
  return { id: functions, write }
}

export function engineAggregate<Options = null>(write: EngineAggregate<Options>['write']): EngineAggregate<Options> {
  functions += 1
  return { id: functions, write }
}

/** A call of a function. Unless its type has a width, a text is taken to be at most as long as all its operands together. */
export function called<Options = null>(
  place: Place,
  type: SqlType,
  fn: EngineFunction<Options>,
  operands: readonly Bound[],
  ...[options]: null extends Options ? [] : [Options]
): Bound {
  const isWide = type.kind === 'string' && type.width === undefined && operands.length > 0
  const width = isWide ? wideString(operands.reduce((sum, operand) => sum + widthOf(operand.type), 0)) : type
  return { kind: 'call', type: width, place, fn: fn as EngineFunction, operands, options: options ?? null }
}

/** The options of a call of this function; undefined for anything else. */
export function optionsOf<Options>(node: Bound, fn: EngineFunction<Options>): Options | undefined {
  return node.kind === 'call' && node.fn.id === fn.id ? (node.options as Options) : undefined
}

export const literal = (place: Place, type: SqlType, value: ConstantValue): LiteralNode => ({
  kind: 'literal',
  type,
  place,
  value,
})

/** Whether Druid's filters ignore a cast of a column to this type. */
export const isCastAway = ({ kind }: SqlType): boolean => kind === 'long' || kind === 'double' || kind === 'string'

/** A column or aggregate, not cast; undefined where its values are neither texts nor numbers. */
export const storedColumn = (column: Bound): StoredColumn | undefined =>
  isCastAway(column.type) ? { column, isCast: false } : undefined

/** The column of VALUES that the node is; undefined for anything computed. */
export const columnOfValues = (node: Bound): StoredColumn | undefined =>
  node.kind === 'column' && node.isOfValues === true ? storedColumn(node) : undefined

/** The direct parts of an expression. A query within it is not a part. */
export function partsOf(node: Bound): readonly Bound[] {
  switch (node.kind) {
    case 'call':
      return node.operands
    case 'aggregate': {
      const { operands, filter, over, orderBy } = node
      return [
        ...operands,
        ...(filter === null ? [] : [filter]),
        ...keysOf(orderBy),
        ...(over === null ? [] : partsOfWindow(over)),
      ]
    }
    case 'query':
      return node.sought === null ? [] : [node.sought.operand]
    default:
      return []
  }
}

const partsOfWindow = ({ partitionBy, orderBy }: WindowNode): readonly Bound[] => [...partitionBy, ...keysOf(orderBy)]

const keysOf = (orderBy: readonly OrderKey[]): readonly Bound[] =>
  orderBy.flatMap(({ key }) => (typeof key === 'number' ? [] : [key]))

/** The first value that `find` returns for the node or one of its parts. With `leave` it skips a node and its parts. */
function firstWithin<Found>(node: Bound, find: (node: Bound) => Found | null | 'leave'): Found | null {
  const found = find(node)
  if (found === 'leave') return null
  if (found !== null) return found as Found
  for (const part of partsOf(node)) {
    const within = firstWithin(part, find)
    if (within !== null) return within
  }
  return null
}

const isOfGroup = (node: Bound): boolean => node.kind === 'aggregate' && node.over === null

/** Whether it aggregates the rows of a group. */
export const hasAggregate = (node: Bound): boolean =>
  firstWithin(node, (one) => (isOfGroup(one) ? true : null)) !== null

export const hasWindow = (node: Bound): boolean =>
  firstWithin(node, (one) => (isOfGroup(one) ? 'leave' : one.kind === 'aggregate' ? true : null)) !== null

/** The first column of these relations that is neither grouped by nor inside an aggregate. */
export function looseColumn(node: Bound, relations: ReadonlySet<number>, keys: ReadonlySet<string>): ColumnNode | null {
  return firstWithin(node, (one) => {
    if (isOfGroup(one) || (keys.size > 0 && keys.has(keyOf(one)))) return 'leave'
    return one.kind === 'column' && relations.has(one.at.relation) ? one : null
  })
}

/** The columns that an expression names, with repetitions. */
export const columnsIn = (node: Bound): readonly ColumnNode[] =>
  node.kind === 'column' ? [node] : partsOf(node).flatMap(columnsIn)

const known = new WeakMap<Bound, string>()

/** The same for equal expressions, wherever they are in the query. */
export function keyOf(node: Bound): string {
  let key = known.get(node)
  if (key === undefined) {
    key = keyed(node)
    known.set(node, key)
  }
  return key
}

function keyed(node: Bound): string {
  switch (node.kind) {
    case 'literal':
      return `${typeof node.value} ${typeKey(node.type)} ${plainKey(node.value)}`
    case 'time':
    case 'interval':
      return plainKey([node.kind, node.type.kind, node.kind === 'time' ? node.ms : [node.isNegative, node.steps]])
    case 'column':
      return `r${node.at.relation}.${node.at.column}${node.isJsonText === true ? ' json' : ''}`
    case 'written':
      return `written ${node.sql.text} ${plainKey(node.sql.parameters)}`
    case 'call':
      return `${node.fn.id} ${typeKey(node.type)}(${node.operands.map(keyOf).join(',')})${optionsKey(node.options)}`
    case 'aggregate': {
      const { fn, operands, distinct, filter, orderBy, over, options } = node
      const parts = [
        operands.map(keyOf),
        distinct,
        filter && keyOf(filter),
        orderKeys(orderBy),
        over && windowKey(over),
      ]
      return `${fn.id}${plainKey(parts)}${optionsKey(options)}`
    }
    case 'query':
      return `query ${queryKey(node)}`
  }
}

const windowKey = ({ partitionBy, orderBy, frame }: WindowNode): unknown => [
  partitionBy.map(keyOf),
  orderKeys(orderBy),
  frame,
]

const orderKeys = (orderBy: readonly OrderKey[]): unknown =>
  orderBy.map(({ key, descending, nulls }) => [typeof key === 'number' ? key : keyOf(key), descending, nulls])

let queries = 0
const queryKeys = new WeakMap<BoundRows, number>()

/** Every query is different from all others. */
function queryKey({ query }: ScalarQueryNode): number {
  const known = queryKeys.get(query)
  if (known !== undefined) return known
  queries += 1
  queryKeys.set(query, queries)
  return queries
}

const typeKey = (type: SqlType): string => (type.kind === 'array' ? `${typeKey(type.element)}[]` : type.kind)

const optionsKey = (options: unknown): string => (options === null ? '' : plainKey(options))

/** Leaves out places, so that equal parts of a query have equal keys. */
function plainKey(value: unknown): string {
  // Written as JSON, so that a caller's text cannot end its own quotes.
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (value instanceof Zone) return value.name
  if (Array.isArray(value)) return `[${value.map(plainKey).join()}]`
  return `{${Object.entries(value)
    .map(([name, one]) => (name === 'place' ? '' : `${name}:${plainKey(one)}`))
    .join()}}`
}

/** The rows that others directly consist of. */
function rowsIn(rows: BoundRows): readonly BoundRows[] {
  switch (rows.kind) {
    case 'query':
      return [...rows.with.map((one) => one.rows), rows.rows]
    case 'select':
      return rows.from === null ? [] : fromsIn(rows.from).flatMap((from) => (from.kind === 'rows' ? [from.rows] : []))
    case 'sort':
    case 'project':
      return [rows.rows]
    case 'union':
      return [rows.left, rows.right]
    default:
      return []
  }
}

/** All parts of a FROM, including itself. */
export function fromsIn(from: FromNode): readonly FromNode[] {
  switch (from.kind) {
    case 'join':
      return [from, ...fromsIn(from.left), ...fromsIn(from.right)]
    case 'widened':
      return [from, ...fromsIn(from.from)]
    default:
      return [from]
  }
}

/** The expressions of these rows, without those of rows within them. */
function expressionsOf(rows: BoundRows): readonly Bound[] {
  switch (rows.kind) {
    case 'select': {
      const { outputs, from, where, groups, having, orderBy } = rows
      const conditions = [where, having].filter((one) => one !== null)
      const ofFrom = from === null ? [] : fromsIn(from).flatMap(expressionsOfFrom)
      return [...outputs, ...conditions, ...(groups?.keys ?? []), ...keysOf(orderBy), ...ofFrom]
    }
    case 'sort':
      return keysOf(rows.orderBy)
    case 'project':
      return rows.outputs
    case 'values':
      return rows.lines.flat()
    default:
      return []
  }
}

function expressionsOfFrom(from: FromNode): readonly Bound[] {
  switch (from.kind) {
    case 'unnest':
      return [from.array]
    case 'widened':
      return from.outputs
    case 'join':
      return from.on
    default:
      return []
  }
}

function addQueriesIn(node: Bound, queries: BoundRows[]): void {
  if (node.kind === 'query') queries.push(node.query)
  for (const part of partsOf(node)) addQueriesIn(part, queries)
}

/** All rows that a query consists of, itself first: those of FROM, of common tables, and of queries within expressions. */
export function allRows(rows: BoundRows): readonly BoundRows[] {
  const inner = [...rowsIn(rows)]
  for (const node of expressionsOf(rows)) addQueriesIn(node, inner)
  return [rows, ...inner.flatMap(allRows)]
}

/** The ids of the series entities that a query reads. */
export function entityIdsOf(all: readonly BoundRows[]): readonly number[] {
  const ids = all.flatMap((rows) => {
    if (rows.kind === 'append') return rows.parts.map(({ entityId }) => entityId)
    const froms = rows.kind === 'select' && rows.from !== null ? fromsIn(rows.from) : []
    return froms.flatMap((from) => (from.kind === 'entity' ? [from.entityId] : []))
  })
  return [...new Set(ids)]
}

/** The columns that a query names, with repetitions. */
export const columnsOf = (all: readonly BoundRows[]): readonly ColumnNode[] =>
  all.flatMap((rows) => expressionsOf(rows).flatMap(columnsIn))

/** Places where a GROUP BY names an output, which Druid does not accept. */
export const namedKeysOf = (all: readonly BoundRows[]): readonly Place[] =>
  all.flatMap((rows) => (rows.kind === 'select' ? (rows.groups?.named ?? []) : []))

/** Whether rows are grouped by an array or several sets of columns: Druid does not merge partial groups of these when it limits them early. */
export const needsWholeGroups = (all: readonly BoundRows[]): boolean =>
  all.some((rows) => {
    if (rows.kind !== 'select') return false
    const distinct = [...(rows.groups?.keys ?? []), ...(rows.distinct ? rows.outputs : [])]
    return rows.groups?.areSets === true || distinct.some(({ type }) => type.kind === 'array')
  })
