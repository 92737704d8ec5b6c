import type { EngineField, EngineTable } from '../sql-engine.ts'

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
const name = (value: string): string => `"${value.replaceAll('"', '""')}"`

/** A statement over its entities: each is a common table of the rows in its files, which only this query sees. */
export function withTables(statement: string, tables: readonly EngineTable[]): string {
  if (tables.length === 0) return statement
  const definitions = tables.map((table) => `entity_${table.entityId} AS NOT MATERIALIZED (${rowsOf(table)})`)
  return `WITH ${definitions.join(', ')} ${statement}`
}

function rowsOf({ fields, files, sinceMs }: EngineTable): string {
  if (files.length === 0) {
    return `SELECT ${fields.map((field, index) => `CAST(NULL AS ${engineTypes[field.type]}) AS c${index}`).join(', ')} WHERE FALSE`
  }
  const time = fields[0]!
  const groups = new Map<string, { paths: string[]; held: ReadonlySet<string> }>()
  for (const { path, fields: held } of files) {
    const key = JSON.stringify(held)
    const group = groups.get(key) ?? { paths: [], held: new Set(held) }
    group.paths.push(path)
    groups.set(key, group)
  }
  const parts = [...groups.values()].map(({ paths, held }) => {
    const items = fields.map((field, index) => `${column(field, held.has(field.name))} AS c${index}`)
    const kept = sinceMs === null ? '' : ` WHERE ${name(time.name)} >= make_timestamptz(${BigInt(sinceMs)} * 1000)`
    return `SELECT ${items.join(', ')} FROM read_parquet([${paths.map(text).join(', ')}])${kept}`
  })
  return parts.join(' UNION ALL ')
}

const engineTypes = { double: 'DOUBLE', long: 'BIGINT', boolean: 'BIGINT', timestamp: 'TIMESTAMP', string: 'VARCHAR' }

function column({ name: field, type }: EngineField, isHeld: boolean): string {
  return `CAST(${isHeld ? name(field) : 'NULL'} AS ${engineTypes[type]})`
}
