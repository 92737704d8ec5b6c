import { lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openFileJournal } from '../journal/file/file-journal.ts'
import { openFileJournalCursor } from '../journal/file/file-journal-cursor.ts'
import { openJournalCopy } from '../journal/file/journal-copy.ts'
import type { Disk, DiskFile } from '../lib/disk.ts'
import { type FileMeasure, measureFile } from '../lib/durable-files.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import type { ServiceEvent } from '../observe/event.ts'
import { readContents } from './backup-contents.ts'
import { Backups } from './backups.ts'
import { restoreBackup } from './restore.ts'

const settings = { segmentBytes: 10_000, batchBytesMax: 10_000, pendingBytesMax: 100_000, apartBytesMin: 5000 }
const stored = [
  { path: 'store/1/sealed.parquet', bytesMax: null },
  { path: 'store/1/series.log', bytesMax: 7 },
]

let data: string
let target: string
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'tidemark-backups-'))
  target = join(data, 'backups')
  await mkdir(join(data, 'store/1'), { recursive: true })
  for (const { path } of stored) await writeFile(join(data, path), 'some content')
  const journal = await openFileJournal({ ...journalIn(nodeDisk, join(data, 'journal')), reachedPosition: 0 })
  for (let times = 0; times < 3; times++) await journal.append(entry)
  await journal.close()
})
afterEach(() => rm(data, { recursive: true }))

const body = Buffer.from('{"D":"2026-01-01"}')
const entry = {
  ...{ ingestId: 1, fieldsVersion: 1, subscriberId: 1, receivedMs: 1, idempotencyKey: null, rows: 1, body },
  format: 'json' as const,
}
const journalIn = (disk: Disk, directory: string) => ({ disk, directory, settings, observe: () => undefined })

/** The disk of this machine with one failing operation; a failing write writes half of its bytes first. Nothing is fsynced, to save time. */
class FaultyDisk {
  /** The number of open files. */
  open = 0
  readonly disk: Disk
  readonly #operation: string
  readonly #code: string
  readonly #after: number
  /** The number of these operations so far. */
  count = 0

  constructor(operation: string, code = '', after = Number.POSITIVE_INFINITY) {
    this.#operation = operation
    this.#code = code
    this.#after = after
    const { link, rename } = nodeDisk
    const guard = <P extends unknown[], R>(name: string, work: (...parameters: P) => Promise<R>) => {
      return async (...parameters: P): Promise<R> => {
        this.#fault(name)
        return work(...parameters)
      }
    }
    this.disk = {
      ...nodeDisk,
      link: guard('link', link),
      makeDirectory: guard('makeDirectory', (path: string) => mkdir(path, { recursive: true }).then(() => undefined)),
      rename: guard('rename', rename),
      syncDirectory: guard('syncDirectory', (_path: string) => Promise.resolve()),
      open: async (path, options) => {
        if (options.create) this.#fault('create')
        const file = await nodeDisk.open(path, options)
        this.open++
        return this.#wrap(file)
      },
    }
  }

  #wrap(file: DiskFile): DiskFile {
    return {
      size: () => file.size(),
      read: (buffer, offset) => file.read(buffer, offset),
      truncate: (size) => file.truncate(size),
      write: async (buffers, offset) => {
        const bytes = Buffer.concat(buffers)
        await file.write([bytes.subarray(0, bytes.length / 2)], offset)
        this.#fault('write')
        await file.write(buffers, offset)
      },
      sync: async () => {
        this.#fault('sync')
      },
      close: () => {
        this.open--
        return file.close()
      },
    }
  }

  #fault(operation: string): void {
    if (operation !== this.#operation || this.count++ !== this.#after) return
    throw Object.assign(new Error(`${this.#code}: planted`), { code: this.#code })
  }
}

interface World {
  readonly backups: Backups
  readonly events: ServiceEvent[]
  holds: number
  /** The position of the journal's end. */
  position: number
}

function open(
  disk: Disk,
  copyCatalog = (path: string) => writeFile(path, 'the catalog'),
  { sealedPosition, position } = { sealedPosition: 0, position: 3 },
): World {
  const events: ServiceEvent[] = []
  const world = { events, holds: 0, position }
  const backups = new Backups({
    disk,
    dataDirectory: data,
    directory: target,
    ownerName: 'owner',
    hold: async () => {
      world.holds++
      return { release: () => world.holds-- }
    },
    durablePosition: () => world.position,
    copyCatalog: async (path) => {
      await copyCatalog(path)
      const manifest = { sealedPosition, files: [], registries: [], counts: [] }
      return { manifest, acknowledgedPosition: 0 }
    },
    storedFiles: () => stored,
    keepKeys: async () => [],
    readJournal: () => openFileJournalCursor({ disk, directory: join(data, 'journal') }),
    newJournal: (directory, reachedPosition) => openJournalCopy({ disk, directory, settings, reachedPosition }),
    journalReadBytes: 30_000,
    reach: () => undefined,
    observe: (event) => events.push(event),
    nowMs: () => 0,
  })
  return Object.assign(world, { backups })
}

const refusals = { ENOSPC: 'disk of the backups is full', EIO: 'Check the disk of the backups' } as const

async function expectRefused(world: World, code: keyof typeof refusals): Promise<void> {
  const refused = world.backups.make()
  await expect(refused).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining(refusals[code]) })
  expect(world.events.map(({ kind }) => kind)).toEqual(['backupFailed'])
  expect(world.holds).toBe(0)
  expect(await readdir(target).catch(() => [])).toEqual([])
}

const measured = ({ bytes, checksum }: FileMeasure): FileMeasure => ({ bytes, checksum })

async function expectMade({ backups, holds }: World): Promise<void> {
  const { path } = await backups.make()
  const { files, position } = await readContents(path)
  expect(position).toBe(3)
  for (const file of files) expect(await measureFile(join(path, file.path))).toMatchObject(measured(file))
  expect(files.map((file) => file.path)).toEqual([
    'catalog.sqlite',
    ...stored.map((file) => file.path),
    expect.stringMatching(/^journal\/0+\.journal$/),
  ])
  expect(holds).toBe(0)
}

describe('a disk that refuses one operation of a backup', () => {
  test.each(['create', 'write', 'sync', 'link', 'makeDirectory', 'syncDirectory', 'rename'])(
    'any failed %s leaves nothing of the backup, is reported, and lets the next backup succeed',
    async (operation) => {
      const sound = new FaultyDisk(operation)
      await expectMade(open(sound.disk))
      expect(sound.count).toBeGreaterThan(0)
      // The code of a failed fsync makes no difference, so one is enough.
      for (const code of operation === 'sync' ? (['EIO'] as const) : (['ENOSPC', 'EIO'] as const)) {
        for (let after = 0; after < sound.count; after++) {
          const faulty = new FaultyDisk(operation, code, after)
          const world = open(faulty.disk)
          await rm(target, { recursive: true, force: true })
          // The second to last write is the mark at the end of the journal. On a full disk, the backup is made without it.
          const isMark = operation === 'write' && code === 'ENOSPC' && after === sound.count - 2
          await (isMark ? expectMade(world) : expectRefused(world, code))
          expect(faulty.open).toBe(0)
          await expectMade(world)
        }
      }
    },
  )
})

test.each(['an empty folder', 'a folder that is not there yet'])(
  'a restore into a link to %s fills the target of the link',
  async (what) => {
    const { path } = await open(nodeDisk).backups.make()
    const [folder, link] = [join(data, 'disk'), join(data, 'link')]
    if (what === 'an empty folder') await mkdir(folder)
    await symlink('disk', link)
    await restoreBackup({ backup: path, data: link }, { disk: nodeDisk, reach: () => undefined })
    expect(await readdir(folder)).toContain('catalog.sqlite')
    expect((await lstat(link)).isSymbolicLink()).toBe(true)
    await rm(folder, { recursive: true })
    await rm(link)
  },
)

test('a backup contains the complete push within which the last seal ended', async () => {
  const directory = join(data, 'journal')
  const journal = await openFileJournal({ ...journalIn(nodeDisk, directory), reachedPosition: 0 })
  await journal.append({ ...entry, rows: 4 })
  await journal.append(entry)
  await journal.close()
  const { backups } = open(nodeDisk, undefined, { sealedPosition: 5, position: 8 })
  const { path } = await backups.make()
  const reader = openFileJournalCursor({ disk: nodeDisk, directory: join(path, 'journal') })
  const entries = await reader.read(5, 8, 1000)
  expect(entries.map(({ position, rows }) => [position, rows])).toEqual([
    [3, 4],
    [7, 1],
  ])
  await reader.close()
})

test.each(['ENOSPC', 'EIO'] as const)(
  'a catalog that cannot be copied (%s) leaves nothing of the backup',
  async (code) => {
    let fails = true
    const world = open(nodeDisk, async (path) => {
      await writeFile(path, 'half')
      if (fails) throw Object.assign(new Error(`${code}: planted`), { code })
      await writeFile(path, 'the catalog')
    })
    await expectRefused(world, code)
    fails = false
    await expectMade(world)
  },
)

test('large entries, stored in separate files, are copied in order with the small ones', async () => {
  const sizes = [10, 6000, 10, 20, 200_000, 10, 7000, 8000, 10]
  const journal = await openFileJournal({ ...journalIn(nodeDisk, join(data, 'journal')), reachedPosition: 0 })
  for (const size of sizes) await journal.append({ ...entry, body: Buffer.from(`"${'x'.repeat(size)}"`) })
  const world = open(nodeDisk)
  world.position = journal.durablePosition
  const { path } = await world.backups.make()
  expect(await bodiesOf(join(path, 'journal'))).toEqual(await bodiesOf(join(data, 'journal')))
  await journal.close()
})

async function bodiesOf(directory: string): Promise<readonly string[]> {
  const reader = openFileJournalCursor({ disk: nodeDisk, directory })
  const entries = await reader.read(0, 12, Number.POSITIVE_INFINITY)
  await reader.close()
  return entries.map(({ position, body: { length } }) => `${position}: ${length} bytes`)
}
