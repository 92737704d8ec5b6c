import { afterEach, expect, test } from 'vitest'
import { closeServices, service, tidemark } from '../../test/support/cli.ts'

afterEach(closeServices)

const page = (Items: readonly unknown[], NextToken: string | null = null) => ({ Items, NextToken })
const made = (path: string) => ({ path, made: '2026-01-01T12:00:00.000Z', bytes: 2048, files: 7 })

/** The lines of a table, without the blanks that pad its last column. */
const linesOf = (out: string): readonly string[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd())

test('lists backups of all pages', async () => {
  const { url, seen } = await service({
    'GET /admin/backups': () => [200, page([made('/data/backups/b')], 'next')],
    'GET /admin/backups?NextToken=next': () => [200, page([made('/data/backups/a')])],
  })
  const { code, out } = await tidemark(url, ['backups'])
  expect([code, seen.length]).toEqual([0, 2])
  expect(out.trimEnd().split('\n')).toEqual([
    'made                      bytes  files  path',
    '2026-01-01T12:00:00.000Z   2048      7  /data/backups/b',
    '2026-01-01T12:00:00.000Z   2048      7  /data/backups/a',
  ])
  expect(JSON.parse((await tidemark(url, ['backups', '--json'])).out)).toEqual([
    made('/data/backups/b'),
    made('/data/backups/a'),
  ])
})

test('reports that there are no backups', async () => {
  const { url } = await service({ 'GET /admin/backups': () => [200, page([])] })
  expect((await tidemark(url, ['backups'])).out).toContain('There is no backup.')
})

test('settings hide secrets and show which values are not defaults', async () => {
  const setting = { allowed: '', description: '', secret: false, usual: true }
  const items = [
    { ...setting, setting: 'adminKey', value: null, secret: true, usual: false },
    { ...setting, setting: 'cors.origins', value: ['a', 'b'], usual: false },
    { ...setting, setting: 'port', value: 8080 },
  ]
  const { url } = await service({ 'GET /admin/settings': () => [200, page(items)] })
  const { code, out } = await tidemark(url, ['settings'])
  expect(code).toBe(0)
  expect(linesOf(out)).toEqual([
    'setting       value     default',
    'adminKey      (secret)  no',
    'cors.origins  a,b       no',
    'port          8080      yes',
  ])
})

test.each(['backups', 'settings', 'storage', 'audit'])(
  '%s with a key that lacks the right prints the reason',
  async (command) => {
    const { url } = await service({})
    const { code, err } = await tidemark(url, [command])
    expect(code).toBe(1)
    expect(err).toContain('Not without a key.')
  },
)

test('storage shows the files, rows and bytes of each entity', async () => {
  const dates = { first_date: '2026-01-01T00:00:00.000Z', last_date: null }
  const { url } = await service({
    'GET /admin/storage': () => [200, page([{ entity: 'plant', files: 2, rows: 30, bytes: 4000, ...dates }])],
  })
  const { code, out } = await tidemark(url, ['storage'])
  expect(code).toBe(0)
  expect(linesOf(out)).toEqual([
    'entity  files  rows  bytes  first                     last',
    'plant       2    30   4000  2026-01-01T00:00:00.000Z',
  ])
})
