import {
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeDisk, writeFully } from './node-disk.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'node-disk-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('nodeDisk', () => {
  test('opens no symbolic link, with or without a target', async () => {
    const path = join(folder, 'link')
    symlinkSync(join(folder, 'other'), path)
    await expect(nodeDisk.open(path, { create: true })).rejects.toThrow('EEXIST')
    writeFileSync(join(folder, 'other'), 'of somebody else')
    await expect(nodeDisk.open(path, { create: false })).rejects.toThrow('ELOOP')
  })

  test('writes, reads, truncates and deletes', async () => {
    const directory = join(folder, 'a', 'b')
    const path = join(directory, 'file')
    await nodeDisk.makeDirectory(directory)
    await nodeDisk.makeDirectory(directory)
    const file = await nodeDisk.open(path, { create: true })
    await file.write([Buffer.from('one'), Buffer.from(''), Buffer.from('two')], 0)
    await file.write([Buffer.from('three')], 6)
    await file.truncate(8)
    await file.sync()
    await nodeDisk.syncDirectory(directory)
    const buffer = Buffer.alloc(20)
    expect([await file.size(), await file.read(buffer, 3), await file.read(buffer, 8)]).toEqual([8, 5, 0])
    expect(buffer.toString('latin1', 0, 5)).toBe('twoth')
    await file.close()
    expect(readFileSync(path, 'latin1')).toBe('onetwoth')
    await nodeDisk.remove(path)
    expect(await nodeDisk.list(directory)).toEqual([])
  })

  test.runIf(process.platform === 'linux').each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])('opened with create %s, writes are synchronous: %s', async (create, syncsWrites) => {
    const path = join(folder, 'synced')
    if (!create) writeFileSync(path, 'what was there')
    const file = await nodeDisk.open(path, { create, syncsWrites })
    expect((flagsOf(path) & constants.O_DSYNC) !== 0).toBe(syncsWrites)
    await file.write([Buffer.from('one'), Buffer.from('two')], 0)
    await file.sync()
    await file.truncate(3)
    await file.sync()
    await file.sync()
    await file.close()
    expect(readFileSync(path, 'latin1')).toBe('one')
  })

  test('lists only files, sorted, and none for a missing folder', async () => {
    for (const name of ['b', 'a']) writeFileSync(join(folder, name), '')
    mkdirSync(join(folder, 'folder'))
    expect(await nodeDisk.list(folder)).toEqual(['a', 'b'])
    expect(await nodeDisk.list(join(folder, 'none'))).toEqual([])
  })

  test('refuses to create an existing file and to open a missing one', async () => {
    const path = join(folder, 'file')
    await expect(nodeDisk.open(path, { create: false })).rejects.toMatchObject({ code: 'ENOENT' })
    await (await nodeDisk.open(path, { create: true })).close()
    await expect(nodeDisk.open(path, { create: true })).rejects.toMatchObject({ code: 'EEXIST' })
  })
})

/** The flags with which this process has opened a file, as the system reports them. */
function flagsOf(path: string): number {
  const descriptor = readdirSync('/proc/self/fd').find((one) => {
    try {
      return readlinkSync(`/proc/self/fd/${one}`) === path
    } catch {
      return false
    }
  })
  const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1]
  return Number.parseInt(flags ?? '', 8)
}

describe('writeFully', () => {
  /** Writes at most `bytesMax` bytes per call. */
  function shortWriter(bytesMax: number) {
    const taken: number[] = []
    return {
      taken,
      async writev<T extends readonly NodeJS.ArrayBufferView[]>(buffers: T, position?: number) {
        const bytes = Buffer.concat(
          buffers.map((each) => new Uint8Array(each.buffer, each.byteOffset, each.byteLength)),
        )
        const part = bytes.subarray(0, bytesMax)
        for (const [index, byte] of part.entries()) taken[(position ?? 0) + index] = byte
        return { bytesWritten: part.length, buffers }
      },
    }
  }
  const buffers = ['ab', '', 'cde', 'f'].map((text) => Buffer.from(text))

  test.each([1, 2, 3, 4, 5, 6, 100])('continues after writes of at most %i bytes', async (bytesMax) => {
    const writer = shortWriter(bytesMax)
    await writeFully(writer, buffers, 0)
    expect(Buffer.from(writer.taken).toString()).toBe('abcdef')
  })

  test('throws when no bytes are written', async () => {
    await expect(writeFully(shortWriter(0), buffers, 0)).rejects.toThrow('took none')
  })
})
