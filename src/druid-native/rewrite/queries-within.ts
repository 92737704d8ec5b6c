import type { Expression } from '../expression/syntax.ts'
import type { DataSource, NativeQuery } from '../parse/native-query-types.ts'

/** A query and the queries in its data sources, outer ones first. */
export function* queriesWithin(query: NativeQuery): Generator<NativeQuery> {
  yield query
  yield* queriesOf(query.dataSource)
}

function* queriesOf(source: DataSource): Generator<NativeQuery> {
  if (source.kind === 'query') yield* queriesWithin(source.query)
  if (source.kind !== 'join') return
  yield* queriesOf(source.left)
  yield* queriesOf(source.right)
}

/** The tables that a data source reads directly, not through an inner query; null if it reads anything else. */
export function tablesOf(source: DataSource): readonly string[] | null {
  switch (source.kind) {
    case 'table':
      return [source.name]
    case 'union':
      return source.tables.map(({ name }) => name)
    case 'join':
      return tablesOf(source.left)
    default:
      return null
  }
}

export interface PlacedExpression {
  readonly expression: Expression
  readonly path: string
}

/** The expressions of a query, without those of inner queries. */
export function expressionsOf(query: NativeQuery): readonly PlacedExpression[] {
  const { dataSource, ...own } = query
  const condition = dataSource.kind === 'join' ? [{ expression: dataSource.condition, path: dataSource.path }] : []
  return [...condition, ...[...nodesIn(own)].filter(holdsExpression)]
}

/** All objects in a tree. */
export function* nodesIn(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value
  for (const item of Object.values(value)) yield* nodesIn(item)
}

function holdsExpression(node: object): node is PlacedExpression {
  return 'expression' in node && node.expression !== null && 'path' in node && typeof node.path === 'string'
}
