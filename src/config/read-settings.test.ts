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
  ['a file by the flag', { config: path }, {}, { port: 7001, data: './there' }],
  ['a file by the environment', {}, { TIDEMARK_CONFIG: path }, { port: 7001, data: './there' }],
  ['a flag before the file', { config: path, data: './here' }, {}, { port: 7001, data: './here' }],
  ['the flag before the environment', { config: path }, { TIDEMARK_CONFIG: 'nowhere' }, { port: 7001 }],
])('%s', async (_name, flags, environment, expected) => {
  expect(await readSettings(flags, environment)).toMatchObject(expected)
})

test('a file that is not there is named', async () => {
  const asked = readSettings({ config: join(folder, 'missing.json') }, {})
  await expect(asked).rejects.toThrow(/missing\.json \(from --config or TIDEMARK_CONFIG\) cannot be read/)
})
