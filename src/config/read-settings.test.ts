import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readSettings } from './read-settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidemark-settings-'))
const path = join(folder, 'tidemark.json')
writeFileSync(path, '{"port": 7001, "data": "./there"}')
afterAll(() => rmSync(folder, { recursive: true }))

test.each([
  ['no file', {}, {}, { port: 8080, data: './data' }],
  ['a file named by the flag', { config: path }, {}, { port: 7001, data: './there' }],
  ['a file named by the environment', {}, { TIDEMARK_CONFIG: path }, { port: 7001, data: './there' }],
  ['a flag overrides the file', { config: path, data: './here' }, {}, { port: 7001, data: './here' }],
  ['--config overrides TIDEMARK_CONFIG', { config: path }, { TIDEMARK_CONFIG: 'nowhere' }, { port: 7001 }],
])('%s', async (_name, flags, environment, expected) => {
  expect(await readSettings(flags, environment)).toMatchObject(expected)
})

test('the error for a missing file names its path', async () => {
  const asked = readSettings({ config: join(folder, 'missing.json') }, {})
  await expect(asked).rejects.toThrow(/missing\.json \(from --config or TIDEMARK_CONFIG\) cannot be read/)
})
