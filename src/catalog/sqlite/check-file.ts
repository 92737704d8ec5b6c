import { DatabaseSync } from '@photostructure/sqlite'

/** Whether a catalog was ever made in a file that nobody has open. Throws what SQLite throws where it is none of its files. */
export function holdsTables(path: string): boolean {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table'").all().length > 0
  } finally {
    database.close()
  }
}

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
