import { type Sql, sql } from '../../lib/sql-text.ts'
import { ownWords } from '../../sql-engine/sql-engine.ts'

/** Ends the query where it is reached; the caller is told the message. It is of no type: cast it where one is needed. */
export const failing = (message: string): Sql => sql`error(${sql.literal(`${ownWords}${message}`)})`
