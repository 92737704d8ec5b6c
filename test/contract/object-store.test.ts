import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nodeDisk } from '../../src/lib/node-disk.ts'
import { FileStore } from '../../src/object-store/file/file-store.ts'
import { objectStoreContract } from './object-store.ts'

describe('FileStore', () => {
  objectStoreContract(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tidemark-objects-'))
    const remove = (): Promise<void> => rm(directory, { recursive: true })
    return { store: new FileStore(join(directory, 'copy'), nodeDisk), remove }
  })
})

test('a disk that is not mounted is no empty copy', async () => {
  const store = new FileStore('/nowhere/to/be/found', nodeDisk)
  await expect(store.get('log/0')).rejects.toThrow('is its disk mounted?')
  await expect(store.putIfAbsent('log/0', Buffer.from('one'))).rejects.toThrow('is its disk mounted?')
})
