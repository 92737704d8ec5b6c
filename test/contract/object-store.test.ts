import { mkdir, mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nodeDisk } from '../../src/lib/node-disk.ts'
import { FileStore } from '../../src/object-store/file/file-store.ts'
import { StoreRefused } from '../../src/object-store/object-store.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { objectStoreContract } from './object-store.ts'

describe('FileStore', () => {
  objectStoreContract(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tidemark-objects-'))
    const remove = (): Promise<void> => rm(directory, { recursive: true })
    return { store: new FileStore(join(directory, 'copy'), nodeDisk), remove }
  })
})

test('a folder on a disk that is not mounted is an error, not an empty store', async () => {
  const store = new FileStore('/nowhere/to/be/found', nodeDisk)
  await expect(store.get('log/0')).rejects.toThrow('is its disk mounted?')
  await expect(store.putIfAbsent('log/0', Buffer.from('one'))).rejects.toThrow('is its disk mounted?')
})

const inFolder = (work: (directory: string) => Promise<void>): Promise<void> =>
  inScratchFolder('tidemark-objects-', async (directory) => work(join(directory, 'copy')))
const one = Buffer.from('one')

test('nothing is written below the mount point of a disk that disappears at run time', () =>
  inFolder(async (directory) => {
    const store = new FileStore(directory, nodeDisk)
    await store.putIfAbsent('log/0', one)
    await rename(directory, `${directory}-away`)
    await mkdir(join(directory, 'log'), { recursive: true })
    const away = 'does not contain the files written to it: is its disk mounted?'
    await expect(store.putIfAbsent('log/1', one)).rejects.toThrow(away)
    await expect(store.get('log/0')).rejects.toThrow(away)
    await expect(store.list('log/')[Symbol.asyncIterator]().next()).rejects.toThrow(away)
    expect(await readdir(join(directory, 'log'))).toEqual([])
    await rm(directory, { recursive: true })
    await rename(`${directory}-away`, directory)
    expect(await store.putIfAbsent('log/1', one)).toBe(true)
  }))

test('an object that is reported as stored survives a power failure, whichever process wrote it', () =>
  inFolder(async (directory) => {
    const ended = { ...nodeDisk, syncDirectory: () => Promise.reject(new Error('killed')) }
    await mkdir(join(directory, 'parts/1'), { recursive: true })
    const killed = new FileStore(directory, ended)
    await expect(killed.putIfAbsent('parts/1/a', one)).rejects.toThrow('killed')
    await writeFile(join(directory, 'parts/1/a'), one)
    await expect(killed.putIfAbsent('parts/1/a', one)).rejects.toThrow('killed')
    const synced: string[] = []
    const syncDirectory = async (path: string): Promise<void> => {
      synced.push(path)
      await nodeDisk.syncDirectory(path)
    }
    const store = new FileStore(`${directory}/`, { ...nodeDisk, syncDirectory })
    expect(await store.putIfAbsent('parts/1/a', one)).toBe(false)
    expect(synced).toEqual([join(directory, 'parts/1'), join(directory, 'parts'), directory])
    expect(await store.putIfAbsent('parts/1/b', one)).toBe(true)
    expect(synced.slice(3)).toEqual([join(directory, 'parts'), directory, join(directory, 'parts/1')])
  }))

test('a deleted folder is created again', () =>
  inFolder(async (directory) => {
    const store = new FileStore(directory, nodeDisk)
    await store.putIfAbsent('parts/1/a', one)
    await store.putIfAbsent('log/0', one)
    await rm(join(directory, 'parts'), { recursive: true })
    expect(await store.putIfAbsent('parts/1/b', one)).toBe(true)
    expect(await readdir(join(directory, 'parts/1'))).toEqual(['b'])
  }))

test('reading changes nothing; a write of another process removes unfinished uploads', () =>
  inFolder(async (directory) => {
    await new FileStore(directory, nodeDisk).putIfAbsent('log/0', one)
    const left = join(directory, 'log', '.unfinished-1')
    await writeFile(left, '')
    await utimes(left, 0, 0)
    const store = new FileStore(directory, nodeDisk)
    for await (const name of store.list('')) expect(name).toBe('log/0')
    expect(await readdir(join(directory, 'log'))).toEqual(['.unfinished-1', '0'])
    await store.putIfAbsent('log/1', one)
    expect(await readdir(join(directory, 'log'))).toEqual(['0', '1'])
  }))

test('an address that cannot be a folder is refused', () =>
  inFolder(async (directory) => {
    await writeFile(directory, '')
    const store = new FileStore(directory, nodeDisk)
    await expect(store.get('log/0')).rejects.toThrow(StoreRefused)
    await expect(store.list('log/')[Symbol.asyncIterator]().next()).rejects.toThrow(StoreRefused)
  }))
