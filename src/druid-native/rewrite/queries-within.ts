import type { Expression } from '../expression/syntax.ts'
import type { DataSource, NativeQuery } from '../parse/native-query-types.ts'

/** A query and those that its data sources hold, the outer ones first. */
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

/** The names of the tables that a data source reads by itself, not through a query within it; null where it reads anything else. */
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

/** The expressions of one query, not of those within it. */
export function expressionsOf(query: NativeQuery): readonly PlacedExpression[] {
  const { dataSource, ...own } = query
  const condition = dataSource.kind === 'join' ? [{ expression: dataSource.condition, path: dataSource.path }] : []
  return [...condition, ...[...nodesIn(own)].filter(holdsExpression)]
}

/** The nodes of a tree, whatever they are. */
export function* nodesIn(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value
  for (const item of Object.values(value)) yield* nodesIn(item)
}

function holdsExpression(node: object): node is PlacedExpression {
  return 'expression' in node && node.expression !== null && 'path' in node && typeof node.path === 'string'
}
