import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { expectSame, rowsOf } from '../../../../test/support/expect-rows.ts'
import { rounds } from '../../../../test/support/rounds.ts'
import { always, selection } from '../../../../test/support/selection.ts'
import type { ManifestCatalog, ManifestChange } from '../../../catalog/manifest.ts'
import { openSqliteCatalog } from '../../../catalog/sqlite/sqlite-catalog.ts'
import { loadSettings } from '../../../config/load.ts'
import type { Disk, DiskFile } from '../../../lib/disk.ts'
import { nodeDisk } from '../../../lib/node-disk.ts'
import { Pacer } from '../../../lib/pacer.ts'
import type { Plan } from '../../../model/plan.ts'
import type { RowBatch } from '../../../model/row-batch.ts'
import type { Reach } from '../../../observe/crash-point.ts'
import type { ServiceEvent } from '../../../observe/event.ts'
import { ActiveDeletions } from '../deletions/active-deletions.ts'
import { openStore } from '../open-store.ts'
import { Expiry } from './expiry.ts'
import { Removals } from './removals.ts'
import { Upkeep, type UpkeepParts } from './upkeep.ts'

const root = await mkdtemp(join(tmpdir(), 'tidemark-upkeep-'))
afterAll(() => rm(root, { recursive: true, force: true }))

const batchRows = 20
const replacing: ReadonlySet<number> = new Set()
const settings = {
  ...loadSettings({ flags: {}, environment: {}, file: null }).store,
  headRows: batchRows,
  dayRowsMin: 10,
  retryDelayMs: 1,
}

/** Rows of three series, on two days. */
function batch(first: number, rows = batchRows): RowBatch {
  const values = Array.from({ length: rows }, (_, index) => first + index)
  return {
    entityId: 1,
    rows,
    positions: Float64Array.from(values),
    fields: [
      { name: 'D', type: 'timestamp', role: 'time' },
      { name: 'T', type: 'string', role: 'tag' },
      { name: 'V', type: 'double', role: 'metric' },
    ],
    columns: [
      { type: 'timestamp', values: Float64Array.from(values, (value) => (value % 2) * 86_400_000 + value) },
      { type: 'string', dictionary: ['a', 'b', 'c'], codes: Int32Array.from(values, (value) => value % 3) },
      { type: 'double', values: Float64Array.from(values, (value) => value / 2) },
    ],
  }
}

const everything: Plan = { kind: 'select', selection: selection(), range: always }

const full = (): Error => Object.assign(new Error('no space left'), { code: 'ENOSPC' })

/** Fails operations from number `at` on, counted over all operations, until `times` of them have failed. */
class Faults {
  operations = 0
  #at: number
  #left: number
  #sealing = 0

  constructor(at: number, times: number) {
    this.#at = at
    this.#left = times
  }

  /** The next `times` operations fail. */
  fail(times: number): void {
    this.#at = this.operations
    this.#left = times
  }

  /** The next `times` seals fail to be recorded. */
  failSealing(times: number): void {
    this.#sealing = times
  }

  checkSealing(): void {
    if (this.#sealing-- > 0) throw full()
  }

  /** Called before an operation that needs disk space. */
  check(): void {
    if (this.operations++ >= this.#at && this.#left-- > 0) throw full()
  }

  disk(): Disk {
    return {
      ...nodeDisk,
      open: async (path, options) => {
        if (options.create) this.check()
        return this.#file(await nodeDisk.open(path, options))
      },
      rename: async (from, to) => {
        this.check()
        await nodeDisk.rename(from, to)
      },
      syncDirectory: async (directory) => {
        this.check()
        await nodeDisk.syncDirectory(directory)
      },
    }
  }

  #file(file: DiskFile): DiskFile {
    return {
      size: () => file.size(),
      read: (buffer, offset) => file.read(buffer, offset),
      write: async (buffers, offset) => {
        this.check()
        await file.write(buffers, offset)
      },
      truncate: (size) => file.truncate(size),
      sync: async () => {
        this.check()
        await file.sync()
      },
      close: () => file.close(),
    }
  }

  manifest(real: ManifestCatalog): ManifestCatalog {
    return {
      ...real,
      load: () => real.load(),
      settle: () => real.settle(),
      commit: async (change: ManifestChange) => {
        this.check()
        if (change.seal !== null) this.checkSealing()
        await real.commit(change)
      },
    }
  }
}

let folders = 0

/** A store and its upkeep, on a disk that may fail. */
async function opened(
  faults: Faults,
  dayRowsMin = settings.dayRowsMin,
  reach: Reach = () => undefined,
  sleep?: UpkeepParts['sleep'],
) {
  const directory = join(root, String(++folders))
  await nodeDisk.makeDirectory(directory)
  const catalog = await openSqliteCatalog({ path: join(directory, 'catalog.sqlite') })
  const events: ServiceEvent[] = []
  const observe = (event: ServiceEvent): void => void events.push(event)
  const storeDirectory = join(directory, 'store')
  const manifest = await catalog.manifest.load()
  await nodeDisk.makeDirectory(storeDirectory)
  const whole = await openStore({
    disk: faults.disk(),
    directory: storeDirectory,
    settings,
    manifest,
    settle: () => catalog.manifest.settle(),
    replacing,
    isHeld: false,
    observe,
  })
  const { store, folder } = whole
  const stopping = new AbortController()
  let woken: () => void = () => undefined
  const removals = new Removals({
    removeFile: (file) => folder.remove(file),
    removeEntity: whole.removeEntity,
    isHeld: false,
    observe,
    reach: () => undefined,
  })
  const expiry = await Expiry.open({ ...catalog, observe, reach: () => undefined, signal: stopping.signal })
  const leave = (sinceMs: number): void => {
    expiry.sinceMs = () => sinceMs
  }
  /** From now on there is always an entity to drop. */
  const dropForEver = (): void => {
    Object.defineProperty(expiry, 'nextDropped', { get: () => 9 })
    expiry.remove = () => undefined
  }
  const upkeep = new Upkeep({
    ...whole,
    manifest: faults.manifest(catalog.manifest),
    deletions: catalog.deletions,
    standing: new ActiveDeletions([], []),
    removals,
    expiry,
    settings: { ...settings, dayRowsMin },
    observe,
    reach,
    signal: stopping.signal,
    changed: () => undefined,
    durablePosition: () => store.position,
    wake: () => woken(),
    ...(sleep === undefined ? {} : { sleep }),
  })
  const freeze = (first: number, rows = batchRows): void => {
    store.write(batch(first, rows))
    const position = first + rows
    upkeep.afterStep(position, 0, () => [{ ingestId: 1, validated: position, rejected: 0 }])
  }
  const seal = async (first: number, rows = batchRows): Promise<void> => {
    freeze(first, rows)
    const position = first + rows
    while (upkeep.isFull || upkeep.state.sealedPosition < position) {
      await new Promise<void>((resolve) => {
        woken = resolve
      })
    }
  }
  const stop = async (): Promise<void> => {
    stopping.abort(new Error('stopped'))
    await upkeep.stop()
    await removals.settle()
  }
  const whenWoken = (then: () => void): void => {
    woken = then
  }
  return {
    catalog,
    events,
    observe,
    storeDirectory,
    store,
    expiry,
    upkeep,
    freeze,
    seal,
    whenWoken,
    leave,
    dropForEver,
    stop,
  }
}

describe('after the pipeline has ended', () => {
  const rest = (upkeep: Upkeep, position: number): Promise<void> =>
    upkeep.sealRest(position, 0, () => [{ ingestId: 1, validated: position, rejected: 0 }])

  test('rows in memory and rows being sealed are all sealed', async () => {
    const { store, upkeep, freeze, stop } = await opened(new Faults(Number.POSITIVE_INFINITY, 0))
    freeze(0)
    freeze(batchRows, 3)
    await rest(upkeep, batchRows + 3)
    expect(upkeep.state).toMatchObject({ sealedPosition: batchRows + 3, rows: batchRows + 3 })
    expect((await rowsOf(store, everything)).length).toBe(batchRows + 3)
    await rest(upkeep, batchRows + 3)
    await stop()
  })

  test('a failing seal is not awaited', async () => {
    const faults = new Faults(Number.POSITIVE_INFINITY, 0)
    const { upkeep, freeze, stop } = await opened(faults)
    freeze(0, 3)
    faults.failSealing(Number.POSITIVE_INFINITY)
    await rest(upkeep, 3)
    expect(upkeep.state.sealedPosition).toBe(0)
    await stop()
  })
})

/** Seals four batches, which are then merged, on a disk that fails; then opens the store again. */
async function history(faults: Faults) {
  const { catalog, events, observe, storeDirectory, store, upkeep, seal, stop } = await opened(faults)
  for (let first = 0; first < 4 * batchRows; first += batchRows) {
    await seal(first)
    expect((await rowsOf(store, everything)).length).toBe(first + batchRows)
  }
  while (upkeep.state.files > 2 || events.at(-1)?.kind !== 'merged')
    await new Promise((resolve) => setTimeout(resolve, 1))
  await stop()
  const rows = await rowsOf(store, everything)
  const after = await catalog.manifest.load()
  const again = await openStore({
    disk: nodeDisk,
    directory: storeDirectory,
    settings,
    manifest: after,
    settle: () => catalog.manifest.settle(),
    replacing,
    isHeld: false,
    observe,
  })
  expectSame(everything, await rowsOf(again.store, everything), rows)
  await catalog.close()
  const names = (await readdir(join(storeDirectory, '1'))).filter((name) => name !== 'series.log')
  return { events, rows, after, names }
}

describe('upkeep', () => {
  test('merges the other files when one is damaged, and tries the damaged file once', async () => {
    const { catalog, events, storeDirectory, upkeep, seal, stop } = await opened(
      new Faults(Number.POSITIVE_INFINITY, 0),
    )
    await seal(0)
    const entity = join(storeDirectory, '1')
    const names = (await readdir(entity)).filter((name) => name.endsWith('.index'))
    // The file of one of the two days; the files of the other day are merged as usual.
    const path = join(entity, names[0]!)
    await writeFile(path, (await readFile(path)).fill(7, 200, 260))
    for (let first = batchRows; first < 6 * batchRows; first += batchRows) await seal(first)
    const merges = () => events.filter(({ kind }) => kind === 'merged').length
    while (merges() < 2) await new Promise((resolve) => setTimeout(resolve, 1))
    upkeep.work()
    await stop()
    expect(events.filter(({ kind }) => kind === 'mergeFailed').length).toBe(1)
    expect((await catalog.manifest.load()).files.some(({ name }) => `${name}.index` === names[0])).toBe(true)
    await catalog.close()
  })

  describe('a seal that is due during a merge', () => {
    const many = 30_000

    /** Merges four files of a day and freezes rows after the merge has begun; resolves when both are complete. */
    async function sealBesideMerge(faults: Faults, failures: number) {
      let begun = 0
      const { catalog, events, storeDirectory, store, upkeep, freeze, seal, stop } = await opened(
        faults,
        10,
        (step) => {
          if (step !== 'merge-chosen' || begun++ > 0) return
          // Apart from the merge's file, the next file made is that of these rows.
          freeze(4 * many)
          if (failures > 0) faults.failSealing(failures)
        },
      )
      for (let number = 0; number < 4; number++) await seal(number * many, many)
      const isDone = () =>
        upkeep.state.sealedPosition > 4 * many && events.filter(({ kind }) => kind === 'merged').length > 1
      while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 1))
      await stop()
      const { files } = await catalog.manifest.load()
      const names = (await readdir(join(storeDirectory, '1'))).filter((name) => name !== 'series.log')
      expect(names.sort()).toEqual(files.flatMap(({ name }) => [`${name}.index`, `${name}.parquet`]).sort())
      expect((await rowsOf(store, everything)).length).toBe(4 * many + batchRows)
      await catalog.close()
      return { kinds: events.map(({ kind }) => kind), begun }
    }

    test('runs during the merge', async () => {
      const { kinds } = await sealBesideMerge(new Faults(Number.POSITIVE_INFINITY, 0), 0)
      expect(kinds.filter((kind) => kind === 'sealed' || kind === 'merged')).toEqual([
        ...Array.from({ length: 5 }, () => 'sealed'),
        'merged',
        'merged',
      ])
    })

    test('makes the merge give way when the disk lacks space for both', async () => {
      const { kinds, begun } = await sealBesideMerge(new Faults(Number.POSITIVE_INFINITY, 0), 1)
      expect(kinds).toContain('sealFailed')
      expect(kinds).not.toContain('mergeFailed')
      expect(begun).toBe(3)
    })
  })

  describe('accumulating files', () => {
    test('are merged although there are always rows to seal', async () => {
      let merged: () => void = () => undefined
      const { catalog, upkeep, freeze, whenWoken, stop } = await opened(
        new Faults(Number.POSITIVE_INFINITY, 0),
        10,
        (step) => {
          if (step === 'merge-readers-switched') merged()
        },
        () =>
          new Promise((resolve) => {
            merged = resolve
          }),
      )
      const seals = 100
      let rows = 0
      let filesMax = 0
      await new Promise<void>((resolve) => {
        const freezeNext = (): void => {
          filesMax = Math.max(filesMax, upkeep.state.files)
          if (rows === seals * batchRows) resolve()
          else if (!upkeep.isFull) {
            freeze(rows)
            rows += batchRows
          }
        }
        whenWoken(freezeNext)
        freezeNext()
      })
      // Two days, each with 32 files and the few sealed while it waits for the merge of the other day.
      expect(filesMax).toBeLessThan(80)
      await stop()
      await catalog.close()
    })

    test('are merged in every second slice while more files wait than are merged, else in one of many', async () => {
      const questions = 20
      let asked = 0
      let before = 0
      let isMerging = false
      /** For each merge, the numbers of query slices between two slices of the merge. A busy machine makes some of them lower. */
      const between: number[][] = []
      const { catalog, events, expiry, seal, stop } = await opened(
        new Faults(Number.POSITIVE_INFINITY, 0),
        10,
        (step) => {
          if (step === 'merge-chosen') between.push([])
          isMerging = step === 'merge-chosen'
          before = Number.NEGATIVE_INFINITY
        },
      )
      // A merge reads this whenever it resumes.
      Object.defineProperty(expiry, 'nextDropped', {
        get: () => {
          if (isMerging && Number.isFinite(before)) between.at(-1)!.push(asked - before)
          before = asked
          return null
        },
      })
      const ending = new AbortController()
      const ask = async (): Promise<void> => {
        for (const pacer = new Pacer({ sliceMs: 1, signal: ending.signal }); ; asked++) await pacer.rest()
      }
      const many = 30_000
      for (let number = 0; number < 4; number++) await seal(number * many, many)
      const asking = Array.from({ length: questions }, ask)
      const merges = () => events.filter(({ kind }) => kind === 'merged').length
      while (merges() < 2) await new Promise((resolve) => setTimeout(resolve, 1))
      ending.abort()
      await Promise.allSettled(asking)
      const usual = between.map((slices) => slices.toSorted((one, other) => one - other)[slices.length >> 1]!)
      expect(usual.map((slices) => (slices < questions ? slices : 'many'))).toEqual([1, 'many'])
      await stop()
      await catalog.close()
    })
  })

  describe('a purge', () => {
    const mixed = 1000
    const secondDay = 86_400_000
    const inTimeMs = 60_000

    test('of a damaged file is refused, and sealing continues', async () => {
      const { catalog, events, storeDirectory, upkeep, seal, leave, stop } = await opened(
        new Faults(Number.POSITIVE_INFINITY, 0),
        mixed,
      )
      await seal(0)
      leave(secondDay)
      const entity = join(storeDirectory, '1')
      const [name] = (await readdir(entity)).filter((one) => one.endsWith('.parquet'))
      const path = join(entity, name!)
      await writeFile(path, (await readFile(path)).fill(7, 8))
      const refused = upkeep.purge(1, batchRows, inTimeMs)
      await seal(batchRows)
      await expect(refused).rejects.toMatchObject({ code: 'damaged_data' })
      expect(events.find(({ kind }) => kind === 'mergeFailed')).toMatchObject({
        message: expect.stringContaining(name!),
      })
      await seal(2 * batchRows)
      await expect(upkeep.purge(1, 3 * batchRows, inTimeMs)).rejects.toMatchObject({ code: 'damaged_data' })
      await seal(3 * batchRows)
      expect((await catalog.manifest.load()).sealedPosition).toBe(4 * batchRows)
      await stop()
      await catalog.close()
    })

    test('completes although entities are dropped continuously', async () => {
      const { catalog, store, upkeep, seal, leave, dropForEver, stop } = await opened(
        new Faults(Number.POSITIVE_INFINITY, 0),
        mixed,
      )
      await seal(0)
      leave(secondDay)
      dropForEver()
      await upkeep.purge(1, batchRows, inTimeMs)
      expect((await rowsOf(store, everything)).length).toBe(batchRows / 2)
      await stop()
      await catalog.close()
    })

    test('completes when it is requested just as earlier work ends', async () => {
      const most = 30
      for (let turns = 0; turns < most; turns += Math.ceil(most / rounds(most))) {
        const { catalog, store, upkeep, seal, leave, stop } = await opened(
          new Faults(Number.POSITIVE_INFINITY, 0),
          mixed,
        )
        await seal(0)
        leave(secondDay)
        // The only work is to find out that there is none.
        upkeep.work()
        for (let turn = 0; turn < turns; turn++) await Promise.resolve()
        await upkeep.purge(1, batchRows, inTimeMs)
        expect((await rowsOf(store, everything)).length, `after ${turns} turns`).toBe(batchRows / 2)
        await stop()
        await catalog.close()
      }
    })

    test('is refused when the disk lacks space to rewrite the file, and completes when it has space', async () => {
      const faults = new Faults(Number.POSITIVE_INFINITY, Infinity)
      const { catalog, store, upkeep, seal, leave, stop } = await opened(faults, mixed)
      await seal(0)
      leave(secondDay)
      faults.fail(1)
      await expect(upkeep.purge(1, batchRows, inTimeMs)).rejects.toMatchObject({ code: 'unavailable' })
      expect((await rowsOf(store, everything)).length).toBe(batchRows)
      await upkeep.purge(1, batchRows, inTimeMs)
      expect((await rowsOf(store, everything)).length).toBe(batchRows / 2)
      await stop()
      await catalog.close()
    })

    test('is refused after its time limit when rows in memory cannot be sealed, and completes when they can', async () => {
      const faults = new Faults(Number.POSITIVE_INFINITY, Infinity)
      const { catalog, store, upkeep, freeze, seal, leave, stop } = await opened(faults, mixed)
      await seal(0)
      leave(secondDay)
      faults.failSealing(Number.POSITIVE_INFINITY)
      freeze(batchRows)
      await expect(upkeep.purge(1, 2 * batchRows, 10)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('limits.queryTimeMs'),
      })
      faults.failSealing(0)
      await upkeep.purge(1, 2 * batchRows, inTimeMs)
      expect((await rowsOf(store, everything)).length).toBe(batchRows)
      await stop()
      await catalog.close()
    })
  })

  test('seals at its row limit, merges small files, and keeps exactly the files of the manifest', async () => {
    const { rows, after, names, events } = await history(new Faults(Number.POSITIVE_INFINITY, 0))
    expect(rows.length).toBe(80)
    expect(after).toMatchObject({ sealedPosition: 80, counts: [{ ingestId: 1, validated: 80, rejected: 0 }] })
    expect(names.sort()).toEqual(after.files.flatMap(({ name }) => [`${name}.index`, `${name}.parquet`]).sort())
    expect(events.filter(({ kind }) => kind === 'sealed').length).toBe(4)
  })

  test('a full disk loses and duplicates no rows, whichever operation fails', async () => {
    const whole = new Faults(Number.POSITIVE_INFINITY, 0)
    await history(whole)
    for (let at = 0; at < whole.operations; at += Math.ceil(whole.operations / rounds(20))) {
      const { rows, after, names, events } = await history(new Faults(at, 1 + (at % 4)))
      expect(rows.length, `operation ${at}`).toBe(80)
      expect(after.sealedPosition).toBe(80)
      expect(after.files.reduce((sum, file) => sum + file.rows, 0)).toBe(80)
      expect(names.length, `operation ${at}`).toBe(2 * after.files.length)
      expect(events.some(({ kind }) => kind === 'sealFailed' || kind === 'mergeFailed')).toBe(true)
    }
  })
})
