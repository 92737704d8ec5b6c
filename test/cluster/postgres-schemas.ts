import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { ClusterCatalog } from '../../src/catalog/cluster-catalog.ts'
import { openPostgresCatalog, type PostgresCatalogOptions } from '../../src/catalog/postgres/postgres-catalog.ts'
import { addresses } from './addresses.ts'

/** A schema of the database under test that is used by nothing else. */
export interface TestSchema {
  readonly name: string
  open(change?: Partial<PostgresCatalogOptions>): Promise<ClusterCatalog>
  query(sql: string): Promise<readonly Record<string, unknown>[]>
  remove(): Promise<void>
}

export function testSchema(): TestSchema {
  const schema = `test_${randomBytes(6).toString('hex')}`
  const query = async (sql: string): Promise<readonly Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: addresses.postgresUrl, options: `-c search_path=${schema}` })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows
    } finally {
      await client.end()
    }
  }
  return {
    name: schema,
    open: (change = {}) =>
      openPostgresCatalog({
        url: addresses.postgresUrl,
        caFile: '',
        schema,
        connectionsMax: 6,
        timeoutMs: 10_000,
        ...change,
      }),
    query,
    remove: async () => {
      await query(`drop schema if exists ${schema} cascade`)
    },
  }
}
