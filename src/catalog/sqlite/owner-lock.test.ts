import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { takeOwnership } from './owner-lock.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-owner-'))
})
afterEach(() => rm(directory, { recursive: true }))

/** Another process that locks the folder as Tidemark does, until it is killed. */
async function otherOwner(): Promise<{ pid: number | undefined; kill(): Promise<void> }> {
  const script = `
    const { DatabaseSync } = require('@photostructure/sqlite')
    new DatabaseSync(process.argv[1]).exec('BEGIN EXCLUSIVE')
    console.log('owner')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', script, join(directory, 'owner.lock')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return {
    pid: child.pid,
    kill: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

test('a lock leaves no files next to owner.lock and owner.pid, even if its owner was killed', async () => {
  const other = await otherOwner()
  await other.kill()
  const ownership = takeOwnership(directory)
  expect(await readdir(directory)).toEqual(['owner.lock', 'owner.pid'])
  ownership.release()
})

test('a folder has one owner at a time', () => {
  const ownership = takeOwnership(join(directory, 'new', 'data'))
  expect(() => takeOwnership(join(directory, 'new', 'data'))).toThrow(
    `in use by another Tidemark process (process ${process.pid})`,
  )
  ownership.release()
  takeOwnership(join(directory, 'new', 'data')).release()
})

test('a killed owner does not block the next one', async () => {
  const other = await otherOwner()
  expect(() => takeOwnership(directory)).toThrow(
    'Stop that process first, or give this one its own folder with --data.',
  )
  await other.kill()
  const ownership = takeOwnership(directory)
  expect(await readFile(join(directory, 'owner.pid'), 'utf8')).toBe(`${process.pid}\n`)
  ownership.release()
})

test('a symlink planted as owner.pid is replaced, and its target stays unchanged', async () => {
  const other = join(directory, 'other')
  await writeFile(other, 'of somebody else')
  await symlink(other, join(directory, 'owner.pid'))
  const ownership = takeOwnership(directory)
  expect(await readFile(other, 'utf8')).toBe('of somebody else')
  expect(await readFile(join(directory, 'owner.pid'), 'utf8')).toBe(`${process.pid}\n`)
  ownership.release()
})
