import { expect, test } from 'vitest'
import { loadSettings } from '../config/load.ts'
import { settingsInForce } from '../config/settings-in-force.ts'
import { unsetAccess } from './unset-access.ts'

test.each([
  [{}, 'public from this machine, key from elsewhere', 'public from this machine, key from elsewhere'],
  [{ TIDEMARK_HOST: '0.0.0.0' }, 'key', 'key'],
  [{ TIDEMARK_ACCESS_CONSUMPTION: 'key' }, 'key', 'key'],
  [{ TIDEMARK_ACCESS_CONSUMPTION: 'public', TIDEMARK_HOST: '0.0.0.0' }, 'public', 'key'],
])('%j', (environment, consumption, metrics) => {
  const settings = loadSettings({ flags: {}, environment, file: null })
  const inForce = new Map(
    settingsInForce(settings, unsetAccess(settings)).map(({ setting, value }) => [setting, value]),
  )
  expect([inForce.get('access.consumption'), inForce.get('access.metrics')]).toEqual([consumption, metrics])
})
