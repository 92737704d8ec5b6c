import { expect, test } from 'vitest'
import { loadSettings } from './load.ts'
import { settingEntries } from './settings.ts'
import { settingsInForce } from './settings-in-force.ts'

const environment = {
  TIDEMARK_ADMIN_KEY: 'an-admin-key-that-nobody-sees',
  TIDEMARK_LIMITS_RESULT_ROWS: '77',
  TIDEMARK_DRUID_ROUTER: 'http://somebody:hidden-word@hidden-word@druid:8888',
}
const inForce = settingsInForce(loadSettings({ flags: {}, environment, file: null }))
const found = (name: string) => inForce.find(({ setting }) => setting === name)

test('lists every setting with its current value', () => {
  expect(inForce.map(({ setting }) => setting)).toEqual(settingEntries.map(([name]) => name))
  expect(found('limits.resultRows')).toMatchObject({ value: 77, usual: false, secret: false })
  expect(found('port')).toMatchObject({ value: 8080, usual: true })
  expect(found('cors.origins')).toMatchObject({ value: [], usual: true })
})

test('shows no secret, and no password in a URL', () => {
  expect(found('adminKey')).toMatchObject({ value: null, usual: false, secret: true })
  expect(found('druid.router')).toMatchObject({ value: 'http://druid:8888' })
  expect(JSON.stringify(inForce)).not.toMatch(/nobody-sees|hidden-word/)
})
