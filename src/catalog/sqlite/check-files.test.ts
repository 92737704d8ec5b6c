import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Catalog } from '../catalog.ts'
import { checkSqliteFile, checkSqliteLog } from './check-files.ts'
import { openSqliteCatalog } from './sqlite-catalog.ts'

const directory = await mkdtemp(join(tmpdir(), 'tidemark-log-'))
const path = join(directory, 'catalog.sqlite')
const copied = join(directory, 'copy.sqlite')
afterAll(() => rm(directory, { recursive: true }))

const sealTo = (catalog: Catalog, position: number): Promise<void> =>
  catalog.manifest.commit({ add: [], remove: [], registries: [], seal: { position, counts: [], journalEnd: 0 } })

let log: Buffer

/** The state after a kill: the last connection has not cleaned up. */
beforeAll(async () => {
  const catalog = await openSqliteCatalog({ path })
  // So that each seal changes one page.
  await catalog.manifest.noteJournalEnd(0)
  const database = new DatabaseSync(path)
  database.exec('PRAGMA wal_checkpoint(RESTART)')
  for (let position = 1; position <= 5; position++) await sealTo(catalog, position)
  log = await readFile(`${path}-wal`)
  await copyFile(path, copied)
  database.close()
  await catalog.close()
})

async function faultOf(bytes: Uint8Array): Promise<string | null> {
  await writeFile(`${copied}-wal`, bytes)
  return checkSqliteLog(`${copied}-wal`)
}

/** The size of the log with the recorded commits; older frames follow it in the file. */
const soundBytes = (): number => 32 + 5 * 4120

test('a log is valid as written, followed by older frames, and truncated at any point', async () => {
  expect(log.length).toBeGreaterThan(soundBytes())
  expect(await faultOf(log)).toBeNull()
  expect(checkSqliteLog(join(directory, 'absent'))).toBeNull()
  for (let end = 0; end <= soundBytes(); end += 331) expect(await faultOf(log.subarray(0, end)), `${end}`).toBeNull()
})

test('a flipped bit before the last commits is reported as damage, although SQLite itself ignores it', async () => {
  const isInHeader = (at: number): boolean => at < 32 || (at - 32) % 4120 < 24
  for (let at = 0; at < 32 + 4 * 4120; at++) {
    if (!isInHeader(at) && at % 97 !== 0) continue
    const bytes = Buffer.from(log)
    bytes[at] = bytes[at]! ^ 4
    expect(await faultOf(bytes), `byte ${at}`).toContain(`${copied}-wal is damaged`)
  }
  const bytes = Buffer.from(log)
  bytes[32 + 2 * 4120 + 500]! ^= 4
  await writeFile(`${copied}-wal`, bytes)
  expect(checkSqliteFile(copied)).toEqual([])
  const catalog = await openSqliteCatalog({ path: copied })
  expect((await catalog.manifest.load()).sealedPosition).toBe(2)
  await catalog.close()
})

test('a flipped bit in the last transaction is not damage: its write may have been interrupted at any point', async () => {
  for (let at = 32 + 4 * 4120; at < soundBytes(); at += 97) {
    const bytes = Buffer.from(log)
    bytes[at] = bytes[at]! ^ 4
    expect(await faultOf(bytes), `byte ${at}`).toBeNull()
  }
})
