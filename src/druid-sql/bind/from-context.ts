import type { Query } from '../parse/syntax.ts'
import type { ExpressionContext } from './expression-context.ts'
import type { Relation, Scope } from './scope.ts'
import type { SqlTable, SqlTables } from './tables.ts'
import type { BoundRows, FromNode, QueryColumn } from './tree.ts'

/** A common table, which FROM may name, with its own relation. */
export interface CommonTable {
  readonly relation: number
  readonly columns: readonly QueryColumn[]
}

/** The parts of the enclosing query that FROM needs. */
export interface FromContext {
  readonly tables: SqlTables
  readonly commonTables: ReadonlyMap<string, CommonTable>
  readonly parent: Scope | null
  readonly nextRelation: () => number
  readonly subquery: (query: Query, parent: Scope | null) => BoundRows
  readonly expressionContext: (scope: Scope, what: string) => ExpressionContext
}

/** The FROM of a SELECT; its node is null where there is none. */
export interface SelectFrom {
  readonly node: FromNode | null
  readonly relations: readonly Relation[]
  /** The entity, if FROM is a single entity and nothing else. */
  readonly table: SqlTable | null
}

export interface BoundFrom extends SelectFrom {
  readonly node: FromNode
}
