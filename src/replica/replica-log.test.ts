import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { changedStore } from '../../test/support/changed-store.ts'
import { inScratchFolder } from '../../test/support/scratch-folder.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { FileStore } from '../object-store/file/file-store.ts'
import type { ObjectStore } from '../object-store/object-store.ts'
import { readLogEntry } from './read-log.ts'
import { encodeObject, logName } from './replica-format.ts'
import { ReplicaLog } from './replica-log.ts'
import { writeReplicaMark } from './replica-mark.ts'

const base = { epoch: 1, token: 'old', copy: 'copy', timeMs: 1 }
const journal = { kind: 'journal', pieces: [], marks: [] } as const
const moment = { kind: 'moment', validFromMs: 1, position: 0, journalFrom: 0 } as const

async function claimOf(store: ObjectStore, directory: string): Promise<ReplicaLog> {
  await mkdir(directory, { recursive: true })
  return ReplicaLog.claim({
    store,
    disk: nodeDisk,
    markPath: join(directory, 'replica.json'),
    url: 'file:///copy',
    timeMs: (atLeastMs = 0) => Math.max(2, atLeastMs),
    attempt: (work) => work(),
  })
}

/** A log of ten entries by an owner that is still running, and a folder restored from it. */
async function replicaOfAnother(directory: string): Promise<FileStore> {
  const store = new FileStore(join(directory, 'copy'), nodeDisk)
  for (let number = 0; number < 10; number++) {
    const name = `moments/00000000000${number}-000001`
    const written = number === 3 ? ({ ...moment, moment: name } as const) : journal
    await store.putIfAbsent(logName(number), encodeObject({ ...base, number, ...written }))
    if (number === 3) await store.putIfAbsent(name, Buffer.from('its files'))
  }
  const markPath = join(directory, 'replica.json')
  await writeReplicaMark(nodeDisk, markPath, { copy: 'copy', token: 'old', next: null, url: null })
  return store
}

test('a claim with a late list is appended to the end of the log while the owner deletes the oldest entries', () =>
  inScratchFolder('tidemark-claim-', async (directory) => {
    const store = await replicaOfAnother(directory)
    let isLate = true
    const late = changedStore(store, {
      async get(name) {
        if (isLate && name === logName(4)) {
          isLate = false
          for (const number of [0, 1, 2, 3, 4, 5]) await store.delete(logName(number))
        }
        return store.get(name)
      },
      async *list(prefix, after) {
        for await (const name of store.list(prefix, after)) if (!isLate || name <= logName(3)) yield name
      },
    })
    const log = await claimOf(late, directory)
    expect([log.epoch, log.before?.number, log.next]).toEqual([2, 9, 11])
    expect(await readLogEntry(store, 4)).toBeNull()
    expect((await readLogEntry(store, 10))?.entry).toMatchObject({ kind: 'claim', epoch: 2 })
  }))

test('entries name the newest moment before them', () =>
  inScratchFolder('tidemark-claim-', async (directory) => {
    const store = new FileStore(join(directory, 'copy'), nodeDisk)
    const log = await claimOf(store, directory)
    await log.append({ ...moment, moment: 'moments/000000000001-000001' })
    await log.append(journal)
    const again = await claimOf(store, directory)
    await again.append(journal)
    const named: unknown[] = []
    for (let number = 0; number < again.next; number++)
      named.push((await readLogEntry(store, number))?.entry.lastMoment)
    const first = 'moments/000000000001-000001'
    expect(named).toEqual([null, null, first, first, first])
  }))

const nothingListed = async function* (): AsyncIterable<string> {}

test('a late list that hides an existing replica without its oldest entries does not let another folder start one', () =>
  inScratchFolder('tidemark-claim-', async (directory) => {
    const store = new FileStore(join(directory, 'copy'), nodeDisk)
    const owner = await claimOf(store, join(directory, 'owner'))
    await owner.append(journal)
    await owner.append(journal)
    await store.delete(logName(0))
    const late = changedStore(store, { list: nothingListed })
    await expect(claimOf(late, join(directory, 'stranger'))).rejects.toThrow(
      'a replica was begun here (the object begun)',
    )
    await expect(claimOf(store, join(directory, 'stranger'))).rejects.toThrow(
      'holds the replica of another data folder',
    )
    await owner.append(journal)
    expect(await store.get(logName(0))).toBeNull()
  }))

test('of two services that start a replica at one place only one succeeds, even if the other is very slow', () =>
  inScratchFolder('tidemark-claim-', async (directory) => {
    const store = new FileStore(join(directory, 'copy'), nodeDisk)
    let isSlow = true
    const slow = changedStore(store, {
      async putIfAbsent(name, bytes) {
        if (isSlow) {
          isSlow = false
          const owner = await claimOf(store, join(directory, 'owner'))
          for (let count = 0; count < 3; count++) await owner.append(journal)
          for (const number of [0, 1]) await store.delete(logName(number))
        }
        return store.putIfAbsent(name, bytes)
      },
    })
    await expect(claimOf(slow, join(directory, 'stranger'))).rejects.toThrow('holds the replica of another data folder')
    expect(await store.get(logName(0))).toBeNull()
  }))

test('a claim that ended before it wrote the object "begun" writes it at the next attempt', () =>
  inScratchFolder('tidemark-claim-', async (directory) => {
    const store = new FileStore(join(directory, 'copy'), nodeDisk)
    const ending = changedStore(store, {
      async putIfAbsent(name, bytes) {
        if (name === 'begun') throw new Error('the process ended')
        return store.putIfAbsent(name, bytes)
      },
    })
    await expect(claimOf(ending, directory)).rejects.toThrow('the process ended')
    expect((await claimOf(changedStore(store, { list: nothingListed }), directory)).next).toBe(2)
    expect(await store.get('begun')).not.toBeNull()
  }))

test('a first entry abandoned by a killed service is not taken for the replica', () =>
  inScratchFolder('tidemark-claim-', async (directory) => {
    const store = new FileStore(join(directory, 'copy'), nodeDisk)
    const owner = await claimOf(store, join(directory, 'owner'))
    for (let count = 0; count < 2; count++) await owner.append(journal)
    for (const number of [0, 1]) await store.delete(logName(number))
    let hasBegun = false
    const ending = changedStore(store, {
      list: nothingListed,
      async get(name) {
        if (name === 'begun' && hasBegun) throw new Error('the process ended')
        return name === 'begun' ? null : store.get(name)
      },
      async putIfAbsent(name, bytes) {
        hasBegun = true
        return store.putIfAbsent(name, bytes)
      },
    })
    await expect(claimOf(ending, join(directory, 'stranger'))).rejects.toThrow('the process ended')
    expect(await store.get(logName(0))).not.toBeNull()
    const late = changedStore(store, { list: nothingListed })
    for (const folder of ['stranger', 'owner'])
      await expect(claimOf(late, join(directory, folder))).rejects.toThrow(
        'a replica was begun here (the object begun)',
      )
    expect((await claimOf(store, join(directory, 'owner'))).next).toBe(4)
  }))
