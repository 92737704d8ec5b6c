import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { checkHistory } from '../../../../test/support/data-at-rest.ts'
import { smallLocalFolder } from '../../../../test/support/local-folder.ts'
import { rounds } from '../../../../test/support/rounds.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-deletions-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('rows that are deleted and shown again, among pushes, seals, merges and restarts, are answered as the model does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), (seed) =>
      checkHistory(seed, { folder: (store, draw) => smallLocalFolder(directory, store, draw), deletes: true }),
    ),
    { numRuns: rounds(150) },
  )
})
