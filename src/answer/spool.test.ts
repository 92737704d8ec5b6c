import { mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodyOf } from '../../test/support/in-process.ts'
import { seededRandom } from '../../test/support/random.ts'
import { type DiskOperation, SimulatedDisk } from '../../test/support/simulated-disk.ts'
import type { Disk } from '../lib/disk.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { type AnswerData, openAnswer, packed } from './answer-data.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { SpareChunks } from './spare-chunks.ts'
import { clearSpool, Spool, type SpoolBudget } from './spool.ts'
import { UnsentAnswers } from './unsent-answers.ts'

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-spool-'))
})

afterAll(() => rm(directory, { recursive: true }))

const mebibyte = 1024 * 1024
let names = 0

/** Writes an answer of 100 kB pieces, each of one letter, and flushes to the file after a piece if that is due. */
async function store(
  pieces: number,
  budget: SpoolBudget,
  resultBytes = 1e9,
  disk: Disk = nodeDisk,
): Promise<{ stored: AnswerData; text: Buffer }> {
  const chunks = new ChunkWriter(resultBytes)
  const spool = new Spool(chunks, budget, { disk, newPath: () => join(directory, `answer-${++names}`) })
  const text = Buffer.concat(Array.from({ length: pieces }, (_, index) => Buffer.alloc(100_000, 97 + (index % 26))))
  try {
    for (let at = 0; at < text.length; at += 100_000) {
      chunks.reserve(100_000, 1_000_000)
      chunks.chunk.set(text.subarray(at, at + 100_000), chunks.at)
      chunks.at += 100_000
      if (spool.isDue) await spool.flushToFile()
    }
    const body = await spool.finish()
    return { stored: { rows: pieces, bytes: chunks.bytes, body }, text }
  } catch (error) {
    await spool.discard()
    throw error
  }
}

const ampleBudget = { memoryBytes: mebibyte, fileBytes: 100 * mebibyte }

describe('an answer', () => {
  test.each([
    ['an empty answer', 0, ampleBudget, 'memory'],
    ['a short answer', 1, ampleBudget, 'memory'],
    ['an answer of about its memory budget', 10, ampleBudget, 'memory'],
    ['a longer answer', 30, ampleBudget, 'file'],
    ['a longer answer without a memory budget', 30, { ...ampleBudget, memoryBytes: 0 }, 'file'],
    ['a short answer without a memory budget', 1, { ...ampleBudget, memoryBytes: 0 }, 'memory'],
  ])('%s is stored completely', async (_name, pieces, budget, kind) => {
    const { stored, text } = await store(pieces, budget)
    expect(stored.body.kind).toBe(kind)
    expect(stored.bytes).toBe(text.length)
    expect((await bodyOf(openAnswer(stored))).equals(text)).toBe(true)
    expect(await readdir(directory)).toEqual([])
  })

  test('over the file budget is refused, and leaves no file', async () => {
    const refused = store(100, { memoryBytes: mebibyte, fileBytes: 2 * mebibyte })
    await expect(refused).rejects.toMatchObject({ code: 'overloaded', retryable: true })
    expect(await readdir(directory)).toEqual([])
  })

  test('over the size limit is refused while it is written', async () => {
    await expect(store(100, ampleBudget, 5_000_000)).rejects.toMatchObject({ code: 'result_too_large' })
    expect(await readdir(directory)).toEqual([])
  })

  test('with a truncated file fails instead of ending early', async () => {
    const { stored } = await store(30, ampleBudget)
    if (stored.body.kind !== 'file') throw new Error('it is in a file')
    await truncate(stored.body.path, 1_234_567)
    await expect(bodyOf(openAnswer(stored))).rejects.toThrow('the file of an answer has 1234567 bytes, not 3000000')
  })

  test('has its file removed when it is opened', async () => {
    const { stored } = await store(30, ampleBudget)
    expect(await readdir(directory)).toHaveLength(1)
    const answer = openAnswer(stored)
    expect(await readdir(directory)).toEqual([])
    answer.release()
  })

  test('can be released during a read', async () => {
    let released = 0
    const answer = openAnswer((await store(30, ampleBudget)).stored, () => released++)
    const chunks = answer.chunks as AsyncIterable<Uint8Array>
    const reader = chunks[Symbol.asyncIterator]()
    await reader.next()
    const second = reader.next()
    answer.release()
    answer.release()
    expect((await second).done).toBe(false)
    await expect(reader.next()).rejects.toThrow('released')
    expect(released).toBe(1)
  })
})

const full = { name: 'Problem', code: 'overloaded', retryable: true, retryAfterS: 5 }
const failed = { name: 'Error', message: expect.stringContaining('check its disk: EIO') }

describe('a disk failure', () => {
  test.each<[DiskOperation, number, string, object]>([
    ['create', 0, 'ENOSPC', full],
    ['create', 0, 'EIO', failed],
    ['beginWrite', 0, 'ENOSPC', full],
    ['write', 0, 'ENOSPC', full],
    ['write', 0, 'EDQUOT', full],
    ['write', 0, 'EIO', failed],
    ['write', 1, 'ENOSPC', full],
    ['write', 1, 'EIO', failed],
    ['close', 0, 'ENOSPC', full],
    ['close', 0, 'EIO', failed],
  ])(
    '%s number %i with %s leaves nothing of the answer, and the next one is stored',
    async (operation, after, code, error) => {
      const disk = new SimulatedDisk(seededRandom(1))
      disk.failOnce(operation, code, after)
      await expect(store(40, ampleBudget, 1e9, disk.mount())).rejects.toMatchObject(error)
      expect(await disk.mount().list(directory)).toEqual([])
      const { stored, text } = await store(40, ampleBudget, 1e9, disk.mount())
      if (stored.body.kind !== 'file') throw new Error('it is in a file')
      expect(disk.contents(stored.body.path).equals(text)).toBe(true)
    },
  )

  test('is reported, even when closing and removing the file fail too', async () => {
    const disk = new SimulatedDisk(seededRandom(1))
    disk.failOnce('write', 'ENOSPC')
    disk.failOnce('close', 'EIO')
    disk.failOnce('remove', 'EIO')
    await expect(store(40, ampleBudget, 1e9, disk.mount())).rejects.toMatchObject(full)
    expect(await disk.mount().list(directory)).toHaveLength(1)
    await clearSpool(directory, disk.mount())
    expect(await disk.mount().list(directory)).toEqual([])
  })
})

test('clearing the spool creates its folder and removes leftover files', async () => {
  const spool = join(directory, 'spool')
  await clearSpool(spool)
  await writeFile(join(spool, 'left-behind'), 'x')
  await clearSpool(spool)
  expect(await readdir(spool)).toEqual([])
  expect((await stat(spool)).isDirectory()).toBe(true)
  await rm(spool, { recursive: true })
})

test('answers not yet sent reduce the budget of others', async () => {
  const unsent = new UnsentAnswers({ answerMemoryBytes: 100, memoryBytes: 250, fileBytes: 5_000_000 })
  const inMemory = (): AnswerData => ({ rows: 1, bytes: 90, body: { kind: 'memory', chunks: [] } })
  expect(unsent.budget()).toEqual({ memoryBytes: 100, fileBytes: 5_000_000 })
  const first = unsent.open(inMemory())
  const second = unsent.open(inMemory())
  expect(unsent.budget().memoryBytes).toBe(70)
  const third = unsent.open(inMemory())
  expect(unsent.budget().memoryBytes).toBe(0)
  const inFile = unsent.open((await store(30, ampleBudget)).stored)
  expect(unsent.budget()).toEqual({ memoryBytes: 0, fileBytes: 2_000_000 })
  for (const answer of [first, second, third, inFile]) answer.release()
  expect(unsent.budget()).toEqual({ memoryBytes: 100, fileBytes: 5_000_000 })
})

describe('an answer passed between threads', () => {
  const answerOf = (...texts: string[]): AnswerData => {
    const chunks = texts.map((text) => new Uint8Array(Buffer.from(text)))
    return { rows: 1, bytes: chunks.reduce((sum, { length }) => sum + length, 0), body: { kind: 'memory', chunks } }
  }

  test('is passed as a string if short, byte for byte, and its memory can be reused', async () => {
    const text = `[{"T":"søppel 🚮 ${String.fromCharCode(0, 127, 255)}"}]`
    const spare: ArrayBuffer[] = []
    const answer = answerOf(text)
    const short = packed(answer, (memory) => spare.push(...memory))
    expect(short.body.kind).toBe('short')
    expect(spare).toEqual([answer.body.kind === 'memory' ? answer.body.chunks[0]!.buffer : null])
    const released: number[] = []
    const opened = openAnswer(short, (memory) => released.push(memory.length))
    expect((await bodyOf(opened)).toString()).toBe(text)
    opened.release(true)
    opened.release(true)
    expect(released).toEqual([0])
  })

  test.each([
    ['a long answer', answerOf('x'.repeat(16 * 1024 + 1))],
    ['an answer in several chunks', answerOf('[', ']')],
    ['an empty answer', answerOf()],
  ])('%s is passed as it is', (_name, answer) => {
    const spare: ArrayBuffer[] = []
    expect(packed(answer, (memory) => spare.push(...memory))).toBe(answer)
    expect(spare).toEqual([])
  })

  test('is written into the memory of an earlier short answer', () => {
    const spares = new SpareChunks(0)
    const write = (): Uint8Array => {
      const chunks = new ChunkWriter(1000, spares)
      chunks.reserve(10)
      chunks.chunk[chunks.at++] = 120
      return chunks.finish()[0]!
    }
    const first = write()
    spares.give([first.buffer])
    expect(write().buffer).toBe(first.buffer)
    expect(write().buffer).not.toBe(first.buffer)
  })
})
