import { acknowledgedPositionOf } from '../catalog/acknowledged-position.ts'
import { copySqliteCatalog } from '../catalog/sqlite/copy-catalog.ts'
import { openSqliteCatalog } from '../catalog/sqlite/sqlite-catalog.ts'

/** Copies the catalog as it is at one moment, and says what the copy holds. */
export async function copyCatalog(from: string, to: string) {
  await copySqliteCatalog(from, to)
  const copy = await openSqliteCatalog({ path: to, readOnly: true })
  try {
    return { manifest: await copy.manifest.load(), acknowledgedPosition: (await acknowledgedPositionOf(copy)) ?? 0 }
  } finally {
    await copy.close()
  }
}
