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
    ['none', 0, ampleBudget, 'memory'],
    ['a short one', 1, ampleBudget, 'memory'],
    ['one of about its room', 10, ampleBudget, 'memory'],
    ['a longer one', 30, ampleBudget, 'file'],
    ['a longer one without room', 30, { ...ampleBudget, memoryBytes: 0 }, 'file'],
    ['a short one without room', 1, { ...ampleBudget, memoryBytes: 0 }, 'memory'],
  ])('%s is kept whole', async (_name, pieces, budget, kind) => {
    const { stored, text } = await store(pieces, budget)
    expect(stored.body.kind).toBe(kind)
    expect(stored.bytes).toBe(text.length)
    expect((await bodyOf(openAnswer(stored))).equals(text)).toBe(true)
    expect(await readdir(directory)).toEqual([])
  })

  test('that has no room is refused, and leaves nothing behind', async () => {
    const refused = store(100, { memoryBytes: mebibyte, fileBytes: 2 * mebibyte })
    await expect(refused).rejects.toMatchObject({ code: 'overloaded', retryable: true })
    expect(await readdir(directory)).toEqual([])
  })

  test('over the limit is refused while it is written', async () => {
    await expect(store(100, ampleBudget, 5_000_000)).rejects.toMatchObject({ code: 'result_too_large' })
    expect(await readdir(directory)).toEqual([])
  })

  test('that is cut fails instead of ending early', async () => {
    const { stored } = await store(30, ampleBudget)
    if (stored.body.kind !== 'file') throw new Error('it is in a file')
    await truncate(stored.body.path, 1_234_567)
    await expect(bodyOf(openAnswer(stored))).rejects.toThrow('the file of an answer has 1234567 bytes, not 3000000')
  })

  test('has its file no more from the moment it is opened', async () => {
    const { stored } = await store(30, ampleBudget)
    expect(await readdir(directory)).toHaveLength(1)
    const answer = openAnswer(stored)
    expect(await readdir(directory)).toEqual([])
    answer.release()
  })

  test('is released in the midst of a read', async () => {
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
const failed = { name: 'Error', message: expect.stringContaining('see to its disk: EIO') }

describe('a disk that refuses', () => {
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
    '%s number %i with %s leaves nothing of the answer, and takes the next one',
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

  test('tells what it refused first, when the file cannot be let go either', async () => {
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

test('what was left behind is removed, and the folder made', async () => {
  const spool = join(directory, 'spool')
  await clearSpool(spool)
  await writeFile(join(spool, 'left-behind'), 'x')
  await clearSpool(spool)
  expect(await readdir(spool)).toEqual([])
  expect((await stat(spool)).isDirectory()).toBe(true)
  await rm(spool, { recursive: true })
})

test('answers that wait for their readers leave less room for others', async () => {
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

describe('an answer that crosses threads', () => {
  const answerOf = (...texts: string[]): AnswerData => {
    const chunks = texts.map((text) => new Uint8Array(Buffer.from(text)))
    return { rows: 1, bytes: chunks.reduce((sum, { length }) => sum + length, 0), body: { kind: 'memory', chunks } }
  }

  test('goes as a text where it is short, byte for byte, and its memory stays', async () => {
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
    ['a long one', answerOf('x'.repeat(16 * 1024 + 1))],
    ['one in several chunks', answerOf('[', ']')],
    ['an empty one', answerOf()],
  ])('%s goes as it is', (_name, answer) => {
    const spare: ArrayBuffer[] = []
    expect(packed(answer, (memory) => spare.push(...memory))).toBe(answer)
    expect(spare).toEqual([])
  })

  test('is written into the memory of one that was short', () => {
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
