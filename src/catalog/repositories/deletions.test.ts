import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inScratchFolder } from '../../../test/support/scratch-folder.ts'
import { openSqliteCatalog } from '../sqlite/sqlite-catalog.ts'

test('a reader that missed a forgotten change is too old, whatever its clock and settings', async () => {
  await inScratchFolder('deletions-', async (directory) => {
    const catalog = await openSqliteCatalog({ path: join(directory, 'catalog.db') })
    const { deletions } = catalog
    const selection = { tag: 'T', ids: ['a'], prefixes: null, fromMs: null, toMs: null, metrics: null, where: null }
    const asked = { entityId: 1, selection, reason: 'wrong', subscriber: 'ana', rows: 1 }
    for (const createdMs of [1000, 2000, 3000]) await deletions.create({ ...asked, createdMs, position: createdMs }, [])
    await deletions.forgetChanges(1500)
    expect(await deletions.hasChanged(1, 1, 900)).toBe(false)
    await deletions.forgetChanges(2500)
    expect((await deletions.changes()).map(({ id }) => id)).toEqual([2, 3])
    const isTooOld = (changeId: number): Promise<boolean> => deletions.hasChanged(1, changeId, 900)
    expect([await isTooOld(0), await isTooOld(1), await isTooOld(2)]).toEqual([true, true, false])
    await catalog.close()
  })
})
