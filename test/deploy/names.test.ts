// The files of deploy/ name only settings that exist.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { environmentName, settingEntries } from '../../src/config/settings.ts'

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url))
const files = readdirSync(deploy, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.(yaml|env)$|Dockerfile$/.test(name),
)
const known = new Set(settingEntries.map(([name]) => environmentName(name)))

test.each(files)('%s names existing settings only', (file) => {
  const named = readFileSync(join(deploy, file), 'utf8').match(/\bTIDEMARK_[A-Z_]+/g) ?? []
  expect(named.filter((name) => !known.has(name))).toEqual([])
})
