import { DatabaseSync } from '@photostructure/sqlite'

/** What SQLite finds wrong with the structure of a catalog's file that nobody has open; empty when it is sound. */
export function checkSqliteFile(path: string): readonly string[] {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const rows = database.prepare('PRAGMA integrity_check').all()
    return rows.map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok')
  } finally {
    database.close()
  }
}
