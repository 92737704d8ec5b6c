import type { ColumnType } from '../../model/column.ts'
import { isFree, outOfRoom, widthOf } from '../functions/text-room.ts'
import { type SqlText, sql } from './sql-text.ts'
import { engineType, type SqlType } from './types.ts'

/** Instants leave the engine as numbers. */
const milliseconds = (at: SqlText): SqlText => sql`CAST(epoch_ms(${at}) AS DOUBLE)`

/** A column of the answer in one of the types that answers have; null where it cannot leave. */
export function toOutput(type: SqlType, column: SqlText): { readonly type: ColumnType; readonly sql: SqlText } | null {
  switch (type.kind) {
    case 'long':
    case 'double':
    case 'boolean':
      return { type: type.kind, sql: sql`CAST(${column} AS ${engineType(type)})` }
    case 'string':
      return { type: 'string', sql: isFree(widthOf(type)) ? sql`CAST(${column} AS VARCHAR)` : outOfRoom(column) }
    case 'timestamp':
      return { type: 'timestamp', sql: milliseconds(column) }
    case 'date':
      return { type: 'timestamp', sql: milliseconds(sql`CAST(${column} AS TIMESTAMP)`) }
    case 'null':
      return { type: 'string', sql: column }
    case 'json':
    case 'array':
      return { type: 'string', sql: sql`CAST(to_json(${column}) AS VARCHAR)` }
    case 'interval':
    case 'sketch':
    case 'quantiles':
      return null
  }
}
