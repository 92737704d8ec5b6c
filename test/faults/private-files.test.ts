// Every file that a service writes is readable by its own user only, whatever the umask.
import { chmod, lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { restoreBackup } from '../../src/admin/restore.ts'
import { nodeDisk } from '../../src/lib/node-disk.ts'
import { callOk, makeIngest } from '../support/api.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tidemark-private-'))
})
afterEach(() => rm(root, { recursive: true }))

const environment = {
  TIDEMARK_STORE_HEAD_ROWS: '100',
  TIDEMARK_JOURNAL_APART_BYTES: '4096',
  TIDEMARK_SPOOL_MEMORY_BYTES: '4096',
}

/** Entries of a folder that are open to others, or closed to their owner. */
async function openIn(folder: string): Promise<readonly string[]> {
  const names = ['.', ...(await readdir(folder, { recursive: true }))]
  const modes = names.map(async (name) => {
    const { mode } = await lstat(join(folder, name)).catch(() => ({ mode: 0o600 }))
    const wanted = (mode & 0o040000) === 0 ? 0o600 : 0o700
    return (mode & 0o777) === wanted ? null : `${name} ${(mode & 0o777).toString(8)}`
  })
  return (await Promise.all(modes)).filter((each) => each !== null)
}

test('files and folders are private to the user, and those of an older version become so at the start', async () => {
  const data = join(root, 'data')
  const before = process.umask(0)
  try {
    const server = await ServerProcess.start({ dataDirectory: data, environment })
    expect(server.log).not.toContain('permissions tightened')
    const key = await makeIngest(server.url, adminKey, { alias: 'plant' })
    for (let push = 0; push < 4; push++) {
      const rows = Array.from({ length: push === 2 ? 200 : 60 }, (_, row) => ({ D: push * 1000 + row, T: 'a', V: row }))
      await callOk(server.url, 'POST', '/ingests/plant/data?wait=true', { key, body: rows })
    }
    await callOk(server.url, 'POST', '/ingests/plant/data?wait=true', { key, body: [{ T: 'no time' }] })
    const sql = { sql_query: 'SELECT COUNT(CHAR_LENGTH(T)) AS n FROM plant' }
    expect(await callOk(server.url, 'POST', '/consumer/data/sql-query', { body: sql })).toEqual([{ n: 380 }])
    const { path } = await callOk<{ path: string }>(server.url, 'POST', '/admin/backups', { key: adminKey })
    expect((await readdir(data, { recursive: true })).join()).toMatch(/-shm.*-wal.*deltas\/.*parquet.*series\.log/s)
    expect(await openIn(data)).toEqual([])
    await server.stop()
    await restoreBackup({ backup: path, data: join(root, 'restored') }, { disk: nodeDisk, reach: () => undefined })
    expect(await openIn(join(root, 'restored'))).toEqual([])
    for (const name of ['.', 'catalog.sqlite', 'journal', 'store']) await chmod(join(data, name), 0o755)
    const again = await ServerProcess.start({ dataDirectory: data, environment })
    expect(again.log).toContain('permissions tightened')
    expect(await openIn(data)).toEqual([])
    await again.stop()
  } finally {
    process.umask(before)
  }
}, 120_000)
