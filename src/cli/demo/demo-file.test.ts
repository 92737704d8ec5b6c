import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDemoFile, saveDemoFile } from './demo-file.ts'

const nowMs = Date.parse('2026-01-08T08:12:13Z')
let parent = ''
let folder = ''
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'tidemark-'))
  folder = join(parent, 'new', 'demo')
})
afterEach(() => rmSync(parent, { recursive: true }))

test('the first start creates keys and a week of history in a file that only its owner can read', async () => {
  const made = await openDemoFile(folder, nowMs)
  expect(made).toEqual({
    adminKey: expect.stringMatching(/^demo-admin-.{32}$/),
    key: null,
    seed: 1,
    historyStartMs: Date.parse('2026-01-01T08:12:00Z'),
  })
  expect(statSync(join(folder, 'demo.json')).mode & 0o777).toBe(0o600)
})

test('does not follow a planted symbolic link, whose target stays unchanged', async () => {
  const made = await openDemoFile(folder, nowMs)
  rmSync(join(folder, 'demo.json'))
  writeFileSync(join(parent, 'other'), 'of somebody else')
  symlinkSync(join(parent, 'other'), join(folder, 'demo.json'))
  await expect(saveDemoFile(folder, made)).rejects.toThrow('ELOOP')
  expect(readFileSync(join(parent, 'other'), 'utf8')).toBe('of somebody else')
})

test('later starts read the file of the first one, with changes saved since', async () => {
  const made = await openDemoFile(folder, nowMs)
  expect(await openDemoFile(folder, nowMs + 1_000_000)).toEqual(made)
  await saveDemoFile(folder, { ...made, key: 'k' })
  expect(await openDemoFile(folder, nowMs)).toEqual({ ...made, key: 'k' })
})

test.each(['', 'x', '{}', '{"adminKey":5}', '[]', 'null'])('a file with %j is not overwritten', async (text) => {
  await openDemoFile(folder, nowMs)
  writeFileSync(join(folder, 'demo.json'), text)
  await expect(openDemoFile(folder, nowMs)).rejects.toThrow('was not written by a demo')
})
