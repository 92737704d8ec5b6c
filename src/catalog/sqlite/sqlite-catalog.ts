import { randomBytes as randomBytesOfSystem } from 'node:crypto'
import {
  type DatabaseConnection,
  type Dialect,
  Kysely,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import { isDiskFull } from '../../lib/disk.ts'
import { makePrivateFile } from '../../lib/private-files.ts'
import type { Catalog } from '../catalog.ts'
import { openCatalog } from '../open-catalog.ts'
import type { Tables } from '../schema.ts'
import { diskErrorOf, Statements } from './statements.ts'

export interface SqliteCatalogOptions {
  readonly path: string
  /** Changes nothing, and must be there. */
  readonly readOnly?: boolean
  readonly randomBytes?: (count: number) => Uint8Array
  /** A change that would make the file larger than so many pages is refused, as on a full disk. */
  readonly pagesMax?: number | undefined
}

export interface SqliteCatalog extends Catalog {
  /** How many rows have been changed through it so far, with those of a change that is under way. */
  readonly changes: () => number
  readonly isChanging: () => boolean
}

/**
 * Opens or makes the catalog's file. Several connections may have it open at once, in one process. Throws an Error when the file is
 * newer than the program; the catalog's methods throw Problem `unavailable` when the disk is full or fails.
 */
export async function openSqliteCatalog({
  path,
  readOnly = false,
  randomBytes = randomBytesOfSystem,
  pagesMax,
}: SqliteCatalogOptions): Promise<SqliteCatalog> {
  // Its owner's alone to read: it holds the secrets that tokens are signed with. SQLite gives its other files the same mode.
  if (!readOnly) makePrivateFile(path)
  const database = open(path, { readOnly, pagesMax })
  const dialect: Dialect = {
    createDriver: () => new Driver(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
  }
  const catalog = await openCatalog(new Kysely<Tables>({ dialect }), { randomBytes, readOnly })
  return { ...catalog, changes: () => database.changes, isChanging: () => database.isChanging }
}

/** On a full disk SQLite finds no room for its log, even where nothing is changed. */
function open(path: string, options: ConstructorParameters<typeof Statements>[1]): Statements {
  try {
    return new Statements(path, options)
  } catch (error) {
    if (!isDiskFull(diskErrorOf(error))) throw error
    const what = `The catalog ${path} cannot be opened: its disk is full.`
    throw new Error(`${what} Make room there, then start the service again; nothing is lost.`, { cause: error })
  }
}

class Driver extends SqliteDriver {
  readonly #database: Statements

  constructor(database: Statements) {
    super({ database })
    this.#database = database
  }

  override beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    return settings?.accessMode === 'read only' ? super.beginTransaction(connection) : this.#database.beginWriting()
  }

  override async rollbackTransaction(): Promise<void> {
    this.#database.rollBack()
  }
}
