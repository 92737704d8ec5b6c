import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tidemark } from '../../test/support/cli.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-restore-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

// The clock of these tests begins in 1970.
test.each<[argv: readonly string[], code: number, said: RegExp]>([
  [
    ['verify', 'DIR'],
    64,
    /is not the address of a replica, such as file:\/\/\/\.\.\. or s3:\/\/\.\.\.\. .* give --data \//,
  ],
  [['restore', 'DIR', '--data', 'DIR/new'], 1, /is not a backup: .*, or the address of a replica such as file:\/\/\//],
  [['restore', 'DIR', '--data', 'DIR/new', '--at', '2026-01-01'], 64, /--at is for a replica/],
  [['restore', 'file://DIR', '--data', 'DIR/new', '--at', '10:00'], 64, /--at 10:00 is not a date\./],
  [['restore', 'file://DIR', '--data', 'DIR/new', '--at', '2026-01-01'], 1, /^--at 2026-01-01 is in the future: /],
  [['restore', 'file://DIR', '--data', 'DIR/new', '--at', '1969-01-01'], 1, /^tidemark: There is no replica /],
])('%j exits with %i', async (argv, code, said) => {
  const ran = await tidemark(
    '',
    argv.map((word) => word.replace('DIR', folder)),
  )
  expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(said)])
})
