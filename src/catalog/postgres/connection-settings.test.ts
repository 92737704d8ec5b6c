import { expect, test } from 'vitest'
import { connectionSettings } from './connection-settings.ts'

test('parses an address into its parts', () => {
  expect(connectionSettings('postgres://tide%40x:p%2Fw%3A@db.example:6543/a%20b', '')).toEqual({
    host: 'db.example',
    port: 6543,
    user: 'tide@x',
    password: 'p/w:',
    database: 'a b',
    ssl: false,
  })
  expect(connectionSettings('postgresql://u@[::1]/d?sslmode=require', '')).toEqual({
    host: '::1',
    port: 5432,
    user: 'u',
    password: '',
    database: 'd',
    ssl: { rejectUnauthorized: false },
  })
  expect(connectionSettings('postgres://u@h/d?sslmode=verify-full', '').ssl).toEqual({})
})

test.each([
  ['', /is not an address/],
  ['mysql://u@h/d', /is not an address/],
  ['postgres:///d', /is not an address/],
  ['postgres://h/d', /names no user or no database/],
  ['postgres://u@h', /names no user or no database/],
  ['postgres://u:secret@h/d?sslmode=prefer', /sslmode of postgres.url is "prefer"/],
  ['postgres://u:secret@h/d?target=x', /the parameter "target"/],
])('%s is refused without revealing the password', (url, message) => {
  const open = () => connectionSettings(url, '')
  expect(open).toThrow(message)
  expect(open).not.toThrow(/secret/)
})
