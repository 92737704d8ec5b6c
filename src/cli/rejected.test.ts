import { afterEach, expect, test } from 'vitest'
import { closeServices, service, tidemark, unreachableUrl } from '../../test/support/cli.ts'

afterEach(closeServices)

const unreachable = await unreachableUrl()

test('rejected rows are exported line by line, of all pages', async () => {
  const row = (id: string): object => ({
    id,
    batch: 'b',
    index: 0,
    row: '{"D":\n1}',
    field: 'D',
    code: 'c',
    message: 'm',
  })
  const { url } = await service({
    'GET /admin/ingests/plant/rejected': () => [200, { Items: [row('1'), row('2')], NextToken: 'more' }],
    'GET /admin/ingests/plant/rejected?NextToken=more': () => [200, { Items: [row('3')], NextToken: null }],
  })
  const { code, out } = await tidemark(url, ['rejected', 'export', 'plant'])
  expect([code, out]).toEqual([0, ['1', '2', '3'].map((id) => `${JSON.stringify(row(id))}\n`).join('')])
})

test.each([[[]], [['7', '--all']]])('discarding %j asks what is meant', async (words) => {
  const { code, err } = await tidemark(unreachable, ['rejected', 'discard', 'plant', ...words])
  expect([code, err]).toEqual([64, expect.stringContaining('Give the ids of the rows to discard')])
})

test('says how many rows are discarded', async () => {
  const { url } = await service({ 'DELETE /admin/ingests/plant/rejected': () => [200, { discarded: 1 }] })
  expect((await tidemark(url, ['rejected', 'discard', 'plant', '7'])).out).toBe('1 row is discarded.\n')
})

test('rejected rows are shown with their ids, counted from 1, below their summary', async () => {
  const kind = { code: 'wrong_type', field: 'V', count: 2, first: 'then', last: 'now', example: '7' }
  const row = { id: '7', batch: 'b', index: 0, row: '{"V":"x"}', field: 'V', code: 'wrong_type', message: 'no' }
  const { url, seen } = await service({
    'GET /ingests/plant/rejected/summary': () => [200, [kind]],
    'GET /ingests/plant/rejected?limit=21': () => [200, { Items: [], NextToken: 'more' }],
    'GET /ingests/plant/rejected?limit=21&NextToken=more': () => {
      return [200, { Items: [{ ...row, received: 'now' }], NextToken: null }]
    },
  })
  expect((await tidemark(url, ['rejected', 'plant', '--mine'])).out).toMatchInlineSnapshot(`
    "rows  code        field  first  last
       2  wrong_type  V      then   now

    id  received  row  field  code        message  text
    7   now         1  V      wrong_type  no       {"V":"x"}
    "
  `)
  expect(seen).toHaveLength(3)
})

test.each([
  ['discard', 'DELETE /ingests/plant/rejected', { discarded: 1 }],
  ['replay', 'POST /admin/ingests/plant/rejected/replay', { replayed: 1, stored: 1, rejected: 0 }],
])('%s of the rows that a filter lets in', async (what, asked, answer) => {
  const mine = what === 'discard' ? ['--mine'] : []
  const list = `GET ${what === 'discard' ? '' : '/admin'}/ingests/plant/rejected?code=wrong_type&field=V&limit=10000`
  const { url, seen } = await service({
    [list]: () => [200, { Items: [{ id: '7' }], NextToken: 'more' }],
    [`${list}&NextToken=more`]: () => [200, { Items: [{ id: '9' }], NextToken: null }],
    [asked]: () => [200, answer],
  })
  const { code } = await tidemark(url, ['rejected', what, 'plant', '--code', 'wrong_type', '--field', 'V', ...mine])
  expect(code).toBe(0)
  expect(seen.filter((request) => !request.startsWith('GET'))).toEqual([
    `${asked} {"ids":["7"]}`,
    `${asked} {"ids":["9"]}`,
  ])
})
