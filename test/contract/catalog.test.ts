import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { openSqliteCatalog } from '../../src/catalog/sqlite/sqlite-catalog.ts'
import { catalogContract } from './catalog.ts'
import { manifestTests } from './manifest.ts'

async function make() {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-catalog-'))
  const path = join(directory, 'catalog.sqlite')
  return {
    open: () => openSqliteCatalog({ path }),
    run: async (sql: string) => {
      const database = new DatabaseSync(path)
      database.exec(sql)
      database.close()
    },
    remove: () => rm(directory, { recursive: true }),
  }
}

catalogContract('SQLite', make, manifestTests)
