import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MemoryFolder } from '../../../../test/support/memory-files.ts'
import { columnOf } from '../../../../test/support/random-rows.ts'
import { newPacer } from '../../../../test/support/sealed-files.ts'
import type { Disk } from '../../../lib/disk.ts'
import { nodeDisk } from '../../../lib/node-disk.ts'
import type { EntityField } from '../../../model/entity.ts'
import type { RowsFile } from '../../../model/rows-file.ts'
import { EmbeddedStore } from '../embedded-store.ts'
import { sealRows } from '../sealing/sealer.ts'
import { Snapshots } from './snapshots.ts'

const fields: readonly EntityField[] = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
]
const never = new AbortController().signal
const filesMax = 4

let directory: string
let store: EmbeddedStore
let snapshots: Snapshots
let position: number
let removals: Promise<void>[]

/** Records its removals. */
const disk: Disk = {
  ...nodeDisk,
  remove: (path) => {
    const removal = nodeDisk.remove(path)
    removals.push(removal)
    return removal
  },
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-deltas-'))
  store = new EmbeddedStore()
  position = 0
  removals = []
  let names = 0
  snapshots = new Snapshots({
    store,
    folder: { disk, directory, newName: () => String(names++), filesMax },
    describe: ({ info }) => ({ path: info.name, checkedBy: null, fields: [] }),
    sliceMs: 5,
    removalFailed: (path, error) => {
      throw new Error(path, { cause: error })
    },
  })
})
afterEach(async () => {
  await settled()
  rmSync(directory, { recursive: true })
})

function write(rows: number): void {
  const at = (row: number): number => position + row
  const positions = Float64Array.from({ length: rows }, (_, row) => at(row))
  const columns = [
    columnOf('timestamp', [...positions]),
    columnOf(
      'string',
      [...positions].map((value) => `t${value % 3}`),
    ),
    columnOf('double', [...positions]),
  ]
  store.write({ entityId: 1, rows, positions, fields, columns })
  position += rows
}

async function seal(): Promise<void> {
  const frozen = store.freeze(position)
  const folder = new MemoryFolder((id) => store.registry(id), { pageRows: 8, hasRollups: false, hasTails: false })
  const options = { folder, dayRowsMin: 1, sinceMs: () => null, pacer: newPacer(), reach: () => undefined }
  store.switchFiles({ add: await sealRows(frozen, options), remove: [], frozen, gone: () => undefined })
}

const onDisk = (): string[] => readdirSync(directory)
/** Resolves when all removals are complete. */
const settled = () => Promise.all(removals)

test('writes nothing before a snapshot is taken, nor when there are no new rows', async () => {
  write(10)
  expect(onDisk()).toEqual([])
  const first = await snapshots.take([1], never)
  const second = await snapshots.take([1], never)
  expect(first.entities).toEqual(second.entities)
  expect(first.entities[0]?.files).toMatchObject([
    { fields: ['__time', 'T', 'V', '@position'], firstMs: 0, lastMs: 9, isDistinct: false },
  ])
  expect(onDisk()).toHaveLength(1)
})

test('snapshots keep few files, and each row is in exactly one of them', async () => {
  const duckdb = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await duckdb.connect()
  const rowsOf = async ({ path }: RowsFile): Promise<readonly (readonly unknown[])[]> => {
    const columns = 'epoch_ms(__time)::INTEGER, T, V::INTEGER, "@position"::INTEGER'
    return (await connection.runAndReadAll(`SELECT ${columns} FROM '${path}'`)).getRows()
  }
  for (let round = 0; round < 200; round++) {
    write(1 + (round % 7) * (round % 5))
    const { entities, release } = await snapshots.take([1], never)
    const { files } = entities[0]!
    expect(files.length).toBeLessThanOrEqual(filesMax)
    const rows = await Promise.all(files.map(rowsOf))
    for (const [file, { firstMs, lastMs }] of files.entries()) {
      const times = rows[file]!.map(([ms]) => Number(ms))
      expect([firstMs, lastMs]).toEqual([Math.min(...times), Math.max(...times)])
    }
    const inOrder = rows.flat().toSorted(([left], [right]) => Number(left) - Number(right))
    expect(inOrder).toEqual(Array.from({ length: position }, (_, row) => [row, `t${row % 3}`, row, row]))
    release()
  }
  connection.closeSync()
  duckdb.closeSync()
  await settled()
  expect(onDisk().length).toBeLessThanOrEqual(filesMax)
})

test('files of sealed rows are deleted when no reader uses them', async () => {
  write(10)
  const read = await snapshots.take([1], never)
  await seal()
  snapshots.prune()
  await settled()
  expect(onDisk()).toHaveLength(1)
  read.release()
  await settled()
  expect(onDisk()).toEqual([])
  const after = await snapshots.take([1], never)
  expect(after.entities[0]?.files).toMatchObject([{ isDistinct: true }])
})

test('an entity without rows has no file', async () => {
  expect((await snapshots.take([7], never)).entities).toEqual([{ entityId: 7, files: [] }])
})

test('an aborted snapshot leaves no file behind', async () => {
  write(100_000)
  const controller = new AbortController()
  const taken = snapshots.take([1], controller.signal)
  controller.abort(new Error('gone'))
  await expect(taken).rejects.toThrow('gone')
  expect(onDisk()).toEqual([])
  expect((await snapshots.take([1], never)).entities[0]?.files).toHaveLength(1)
})
