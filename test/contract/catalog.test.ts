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
    age: async () => {
      const database = new DatabaseSync(path)
      database.exec("insert into migrations select max(number) + 1, '9999-from-the-future' from migrations")
      database.close()
    },
    remove: () => rm(directory, { recursive: true }),
  }
}

catalogContract('SQLite', make, manifestTests)
