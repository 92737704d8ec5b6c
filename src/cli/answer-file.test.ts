import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeAnswerFile as writeAt } from './answer-file.ts'

let folder = ''
let file = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-answer-'))
  file = join(folder, 'answer')
})
afterEach(() => rmSync(folder, { recursive: true }))

const writeAnswerFile = (path: string, answer: AsyncIterable<Uint8Array>): Promise<void> =>
  writeAt(path, answer, Date.now())

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half')
  throw new Error('broke off')
}

test('a file appears only after all of it is written', async () => {
  await writeAnswerFile(file, chunks('one,', 'two'))
  expect(readFileSync(file, 'utf8')).toBe('one,two')
  expect(readdirSync(folder)).toEqual(['answer'])
  await writeAnswerFile(file, chunks())
  expect(readFileSync(file, 'utf8')).toBe('')
})

test('replacing a file keeps its permissions, including those that the umask would remove', async () => {
  writeFileSync(file, 'older')
  for (const mode of [0o600, 0o640, 0o666]) {
    chmodSync(file, mode)
    await writeAnswerFile(file, chunks('newer'))
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['newer', mode])
  }
})

test('a FIFO stays a FIFO, and its reader receives the chunks', async () => {
  execFileSync('mkfifo', [file])
  const [read] = await Promise.all([readFile(file, 'utf8'), writeAnswerFile(file, chunks('one,', 'two'))])
  expect(read).toBe('one,two')
  const [part] = await Promise.all([
    readFile(file, 'utf8'),
    expect(writeAnswerFile(file, broken())).rejects.toThrow('broke off'),
  ])
  expect(part).toBe('half')
  expect(lstatSync(file).isFIFO()).toBe(true)
})

test.each([
  ['a file', 'older'],
  ['a file that does not exist yet', null],
])('a link to %s stays a link, also through a second link in a linked directory', async (_, older) => {
  mkdirSync(join(folder, 'real'))
  symlinkSync('real', join(folder, 'linked'))
  symlinkSync('there', join(folder, 'real/next'))
  symlinkSync('linked/next', file)
  const behind = join(folder, 'real/there')
  if (older !== null) writeFileSync(behind, older)
  await writeAnswerFile(file, chunks('newer'))
  expect(readFileSync(behind, 'utf8')).toBe('newer')
  await expect(writeAnswerFile(file, broken())).rejects.toThrow('broke off')
  expect(readFileSync(behind, 'utf8')).toBe('newer')
  expect([lstatSync(file).isSymbolicLink(), lstatSync(join(folder, 'real/next')).isSymbolicLink()]).toEqual([
    true,
    true,
  ])
})

/** A gate that a writer waits for until the test opens it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

test('concurrent writers of one file each write it completely, and the last one to finish wins', async () => {
  const [started, end] = [gate(), gate()]
  async function* slow(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('first ')
    started.open()
    await end.opened
    yield Buffer.from('writer')
  }
  const slower = writeAnswerFile(file, slow())
  await started.opened
  await expect(writeAnswerFile(file, broken())).rejects.toThrow('broke off')
  await writeAnswerFile(file, chunks('second'))
  expect(readFileSync(file, 'utf8')).toBe('second')
  end.open()
  await slower
  expect(readFileSync(file, 'utf8')).toBe('first writer')
  expect(readdirSync(folder)).toEqual(['answer'])
})

test('errors name the path: a link cycle, a directory, a missing directory', async () => {
  symlinkSync('ring', join(folder, 'ring'))
  for (const path of [join(folder, 'ring'), folder, join(folder, 'none/answer')]) {
    await expect(writeAnswerFile(path, chunks('one'))).rejects.toThrow(`${path} cannot be written: `)
  }
})

test('temporary files of killed commands are deleted after an hour', async () => {
  const hour = 60 * 60 * 1000
  const nowMs = Date.now()
  const parts = [
    'answer.0123abcd.part',
    'answer.89abcdef.part',
    'answer.part',
    'answer.0123abcde.part',
    'other.0123abcd.part',
  ]
  for (const name of parts) {
    writeFileSync(join(folder, name), 'half')
    const writtenS = (nowMs - (name === 'answer.89abcdef.part' ? hour - 1000 : hour + 1000)) / 1000
    utimesSync(join(folder, name), writtenS, writtenS)
  }
  await writeAt(file, chunks('whole'), nowMs)
  expect(readdirSync(folder).toSorted()).toEqual(['answer', ...parts.slice(1)].toSorted())
})
