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
  /** Opens an existing catalog without changing it. */
  readonly readOnly?: boolean
  readonly randomBytes?: (count: number) => Uint8Array
  /** Maximum size of the file in pages; a change that would exceed it is refused, as on a full disk. */
  readonly pagesMax?: number | undefined
}

export interface SqliteCatalog extends Catalog {
  /** The number of rows changed through it so far, including those of a transaction in progress. */
  readonly changes: () => number
  readonly isChanging: () => boolean
}

/**
 * Opens or creates the catalog's file. One process may open it several times at once. Throws an Error when the file is newer than the program. The
 * catalog's methods throw Problem `unavailable` when the disk is full or fails.
 */
export async function openSqliteCatalog({
  path,
  readOnly = false,
  randomBytes = randomBytesOfSystem,
  pagesMax,
}: SqliteCatalogOptions): Promise<SqliteCatalog> {
  // Readable only by its owner: it contains the secrets that tokens are signed with. SQLite gives its other files the same mode.
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

/** On a full disk SQLite has no space for its log, even if nothing is changed. */
function open(path: string, options: ConstructorParameters<typeof Statements>[1]): Statements {
  try {
    return new Statements(path, options)
  } catch (error) {
    if (!isDiskFull(diskErrorOf(error))) throw error
    const what = `The catalog ${path} cannot be opened: its disk is full.`
    throw new Error(`${what} Free some space there, then start the service again; nothing is lost.`, { cause: error })
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
