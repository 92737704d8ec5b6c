import { expect, test } from 'vitest'
import { loadSettings } from '../config/load.ts'
import { publicReading } from './open-access.ts'

const open = { TIDEMARK_ACCESS_CONSUMPTION: 'public' }

test.each<[Record<string, string>, string | null]>([
  [{}, null],
  [{ TIDEMARK_HOST: '0.0.0.0' }, null],
  [open, null],
  [{ ...open, TIDEMARK_HOST: 'localhost' }, null],
  [{ ...open, TIDEMARK_HOST: '127.0.0.9' }, null],
  [{ ...open, TIDEMARK_HOST: '::1' }, null],
  [{ ...open, TIDEMARK_HOST: '0.0.0.0' }, 'Reading is public on 0.0.0.0: '],
  [{ ...open, TIDEMARK_HOST: '127.example' }, 'Reading is public on 127.example: '],
  [{ ...open, TIDEMARK_SERVER_TRUST_PROXY: 'true' }, 'Reading is public behind a proxy (server.trustProxy): '],
])('the settings %j produce the warning %j', (environment, warning) => {
  const reported = publicReading(loadSettings({ flags: {}, environment, file: null }))
  if (warning === null) expect(reported).toBeNull()
  else expect(reported).toContain(warning)
})
