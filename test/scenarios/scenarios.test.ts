import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { parseScenario } from '../support/scenario.ts'
import { runCheck, type Store } from '../support/scenario-world.ts'

/** Every scenario runs on each of these stores. */
const stores: readonly (readonly [name: string, open: () => Store])[] = [
  ['embedded', () => new EmbeddedStore()],
  ['embedded, in chunks of two rows', () => new EmbeddedStore({ chunkRows: 2 })],
]

const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.scenario'))

describe.each(stores)('%s', (_, open) => {
  describe.each(files)('%s', (file) => {
    const checks = parseScenario(readFileSync(`${import.meta.dirname}/${file}`, 'utf8'))
    test.each(checks.map((check) => [check.title, check] as const))('%s', async (_title, check) => {
      const { answered, expected } = await runCheck(check, open())
      expect(answered).toBe(expected)
    })
  })
})
