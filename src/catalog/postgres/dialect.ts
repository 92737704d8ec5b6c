import {
  type DataTypeNode,
  type Dialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type Transaction,
} from 'kysely'
import type { CatalogLocks } from '../locks.ts'
import type { Tables } from '../schema.ts'
import type { Connections } from './connections.ts'

export function postgresDialect(connections: Connections): Dialect {
  return {
    createDriver: () => connections,
    createQueryCompiler: () => new Compiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
  }
}

/** Text compares by code point whatever the collation of the database, and integers have the range of SQLite's. */
const columnTypes = new Map<string, string>([
  ['text', 'text collate "C"'],
  ['integer', 'bigint'],
])

class Compiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    const type = typeof node.dataType === 'string' ? columnTypes.get(node.dataType) : undefined
    if (type === undefined) super.visitDataType(node)
    else this.append(type)
  }
}

const locks = { tables: 1, entities: 2 }

/** PostgreSQL advisory locks, separate for each schema. */
export const advisoryLocks: CatalogLocks = {
  creating: async (transaction) => {
    await alone(locks.tables).execute(transaction)
    // Two processes that create the schema at the same time would both find it missing.
    await sql`create schema if not exists ${sql.id(await schemaOf(transaction))}`.execute(transaction)
  },
  keeping: async (transaction) => {
    await sql`select pg_advisory_xact_lock_shared(hashtext(current_setting('search_path')), ${sql.lit(locks.entities)})`.execute(
      transaction,
    )
  },
  dropping: async (transaction) => {
    await alone(locks.entities).execute(transaction)
  },
}

function alone(lock: number) {
  return sql`select pg_advisory_xact_lock(hashtext(current_setting('search_path')), ${sql.lit(lock)})`
}

async function schemaOf(transaction: Transaction<Tables>): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_setting('search_path') as name`.execute(transaction)
  return rows[0]!.name
}
