import { afterEach, expect, test } from 'vitest'
import { closeServices, service, tidemark } from '../../test/support/cli.ts'

afterEach(closeServices)

const kinds = [{ kind: 'rejected_rows', over: 100, within: 'PT5M' }, { kind: 'disk_low' }]
const hook = { name: 'rows', url: 'https://a.example/', kinds, secret_set: null, created: '2026-01-01T00:00:00.000Z' }

test('puts a hook with its kinds, and reads the secret from standard input', async () => {
  const { url, seen } = await service({ 'PUT /admin/hooks/rows': () => [201, hook] })
  const put = ['hooks', 'put', 'rows', 'https://a.example/', '--on', 'rejected_rows over=100 within=PT5M']
  const { code, out } = await tidemark(url, [...put, '--on', '{"kind":"disk_low"}', '--secret-file', '-'], 'hidden\n')
  expect(code).toBe(0)
  expect(out).toBe(
    'rows receives rejected_rows over=100 within=PT5M; disk_low. Its events are not signed: --secret-file gives it a secret.\n',
  )
  expect(JSON.parse(seen[0]!.replace('PUT /admin/hooks/rows ', ''))).toEqual({
    url: 'https://a.example/',
    kinds,
    secret: 'hidden',
  })
  expect((await tidemark(url, ['hooks', 'put', 'rows', 'https://a.example/', '--on', '{no'])).code).toBe(64)
})

test('lists hooks and their deliveries, and deletes a hook', async () => {
  const delivery = {
    ...{ id: '7', kind: 'disk_low', time: hook.created, event: {}, state: 'waiting', attempts: 2 },
    ...{ next: null, ended: null, status: 500, error: 'the answer was 500' },
  }
  const { url } = await service({
    'GET /admin/hooks': () => [200, { Items: [hook], NextToken: null }],
    'GET /admin/hooks/rows/deliveries?limit=100': () => [200, { Items: [delivery], NextToken: null }],
    'DELETE /admin/hooks/rows': () => [204, ''],
  })
  expect((await tidemark(url, ['hooks', 'list'])).out).toContain('rejected_rows over=100 within=PT5M; disk_low')
  expect((await tidemark(url, ['hooks', 'deliveries', 'rows'])).out).toContain('the answer was 500')
  expect((await tidemark(url, ['hooks', 'delete', 'rows'])).out).toBe('rows is deleted.\n')
})

test('a refusal that refers to its errors is printed with all of them', async () => {
  const errors = [
    { path: 'kinds[0].kind', message: 'must be disk_low' },
    { path: 'kinds[0].over', message: 'must be a whole number' },
  ]
  const detail = 'kinds[0].kind must be disk_low (and 1 more, see errors).'
  const { url } = await service({
    'PUT /admin/hooks/rows': () => [400, { code: 'invalid_request', detail, retryable: false, errors }],
  })
  const { err } = await tidemark(url, ['hooks', 'put', 'rows', 'https://a.example/', '--on', 'full'])
  expect(err).toContain('kinds[0].kind: must be disk_low; kinds[0].over: must be a whole number')
  expect(err).not.toContain('see errors')
})
