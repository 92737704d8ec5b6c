import type { Sql } from '../../lib/sql-text.ts'
import type { Query } from '../parse/syntax.ts'
import type { ExpressionContext, QueryColumn } from './expression-context.ts'
import type { ItemUses } from './item-uses.ts'
import type { Relation, Scope } from './scope.ts'
import type { SqlTable, SqlTables } from './tables.ts'

/** A query that may be named in FROM: a common table, under its own relation name. */
export interface CommonTable {
  readonly relation: number
  readonly columns: readonly QueryColumn[]
}

/** What FROM needs of the query around it. */
export interface FromContext {
  readonly tables: SqlTables
  readonly commonTables: ReadonlyMap<string, CommonTable>
  readonly parent: Scope | null
  readonly nextRelation: () => number
  /** Notes that the query reads the table. */
  readonly use: (table: SqlTable) => void
  /** Is told where it reads items of metadata, and under which conditions. */
  readonly items: ItemUses
  /** Notes that it reads INFORMATION_SCHEMA. */
  readonly useCatalog: () => void
  readonly subquery: (
    query: Query,
    parent: Scope | null,
  ) => { readonly sql: Sql; readonly columns: CommonTable['columns'] }
  readonly expressionContext: (scope: Scope, what: string) => ExpressionContext
}

export interface BoundFrom {
  readonly sql: Sql
  readonly relations: readonly Relation[]
  /** The entity, where FROM is one and nothing else. */
  readonly table: SqlTable | null
}
