import { afterEach, expect, test } from 'vitest'
import { closeServices, service, tidemark, unreachableUrl } from '../../test/support/cli.ts'

afterEach(closeServices)

const unreachable = await unreachableUrl()

test('exports the rejected rows of all pages, one per line', async () => {
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

test('exports lines without a time with the time they were received, and reports the precision', async () => {
  const row = { id: '1', batch: 'b', index: 0, field: 'load', code: 'wrong_type', message: 'm', precision: 's' }
  const received = '2026-01-01T00:01:01.500Z'
  const Items = [
    { ...row, received, row: 'a load="41"' },
    { ...row, received, row: 'b load="41" 1767225660' },
  ]
  const { url } = await service({ 'GET /admin/ingests/plant/rejected': () => [200, { Items, NextToken: null }] })
  const { out, err } = await tidemark(url, ['rejected', 'export', 'plant', '--rows'])
  expect(out).toBe('a load="41" 1767225661\nb load="41" 1767225660\n')
  expect(err).toBe('The times of these lines are in seconds: push them with --precision s.\n')
})

test.each([
  [[], 'Give the ids of the rows to discard'],
  [['7', '--all'], 'Ids, filters (--batch, --code, --field) and --all exclude each other.'],
  [['--code', 'wrong_type', '--all'], 'Ids, filters (--batch, --code, --field) and --all exclude each other.'],
])('discard %j is refused as incomplete or ambiguous', async (words, asked) => {
  const { code, err } = await tidemark(unreachable, ['rejected', 'discard', 'plant', ...words])
  expect([code, err]).toEqual([64, expect.stringContaining(asked)])
})

test.each([
  [['discard', 'plant', '999'], 'No rejected row of plant has the id 999.'],
  [['replay', 'plant', '999'], 'No rejected row of plant has the id 999.'],
  [['replay', 'plant', '999', '--dry-run'], 'No rejected row of plant has the id 999.'],
  [['discard', 'plant', '998', '999'], 'No rejected row of plant has one of the 2 ids.'],
])('%j of unknown rows fails', async (words, said) => {
  const { url } = await service({
    'DELETE /admin/ingests/plant/rejected': () => [200, { discarded: 0 }],
    'POST /admin/ingests/plant/rejected/replay': () => [200, { replayed: 0, stored: 0, rejected: 0 }],
    'POST /admin/ingests/plant/rejected/replay/preview': () => [
      200,
      { rows: 0, stored: 0, rejected: 0, more: false, Items: [] },
    ],
  })
  const { code, err } = await tidemark(url, ['rejected', ...words])
  expect([code, err]).toEqual([1, expect.stringContaining(said)])
})

test('an empty list names the filters that were applied', async () => {
  const { url } = await service({
    'GET /admin/ingests/plant/rejected?code=wrong_type&field=nosuch&limit=21': () => [
      200,
      { Items: [], NextToken: null },
    ],
    'GET /admin/ingests/plant/rejected?limit=21': () => [200, { Items: [], NextToken: null }],
  })
  const list = ['rejected', 'list', 'plant']
  expect((await tidemark(url, [...list, '--code', 'wrong_type', '--field', 'nosuch'])).out).toBe(
    'No rejected row matches --code wrong_type --field nosuch.\n',
  )
  expect((await tidemark(url, list)).out).toBe('No row is rejected.\n')
})

test('reports how many rows were discarded', async () => {
  const { url } = await service({ 'DELETE /admin/ingests/plant/rejected': () => [200, { discarded: 1 }] })
  expect((await tidemark(url, ['rejected', 'discard', 'plant', '7'])).out).toBe('1 row is discarded.\n')
})

test('lists rejected rows with their ids, numbered from 1, below the summary', async () => {
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

    id  received  batch  row  field  code        message  text
    7   now       b        1  V      wrong_type  no       {"V":"x"}
    "
  `)
  expect(seen).toHaveLength(3)
})

test.each([
  ['discard', 'DELETE /ingests/plant/rejected', { discarded: 1 }],
  ['replay', 'POST /admin/ingests/plant/rejected/replay', { replayed: 1, stored: 1, rejected: 0 }],
])('%s with a filter sends the ids of the matching rows of all pages', async (what, asked, answer) => {
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

test('a list fits the width of the terminal, and is complete with --wide or when piped', async () => {
  const row = {
    id: '1',
    received: '2026-01-01T00:00:00.000Z',
    batch: 'YlYFwVfTBrTkKJkf2SZd3g',
    index: 4,
    row: `{"D":"2026-01-01T00:00:00Z","T":"boiler.temp","V":"${'x'.repeat(400)}"}`,
    field: 'V',
    code: 'wrong_type',
    message: 'V: expected a number, got a text; see what the pusher of this row meant by it, and mend it',
  }
  const { url } = await service({
    'GET /admin/ingests/plant/rejected?code=wrong_type&limit=21': () => [200, { Items: [row], NextToken: null }],
  })
  const list = ['rejected', 'list', 'plant', '--code', 'wrong_type']
  const shown = await tidemark(url, list, '', 'k', 80)
  expect(shown.out).toMatchInlineSnapshot(`
    "id  received                  row  field  code
    1   2026-01-01T00:00:00.000Z    5  V      wrong_type
        batch: YlYFwVfTBrTkKJkf2SZd3g
        message: V: expected a number, got a text; see what the pusher of this row
        meant by it, and mend it
        text: {"D":"2026-01-01T00:00:00Z","T":"boiler.temp","V":"xxxxxxxxxxxxxxxxxxx
        xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
    "
  `)
  expect(shown.err).toBe('Some values are cut (…): --wide shows them in full.\n')
  const whole = await tidemark(url, list)
  expect(whole.out).toContain(`${row.batch}    5  V      wrong_type  ${row.message}  ${row.row}\n`)
  expect(await tidemark(url, [...list, '--wide'], '', 'k', 80)).toEqual(whole)
})

test("a replay with --mine is refused, and explains how to correct one's own rows", async () => {
  const { code, err } = await tidemark(unreachable, ['rejected', 'replay', 'line 3', '--all', '--mine'])
  expect([code, err]).toEqual([
    64,
    expect.stringContaining('tidemark rejected export "line 3" --mine --rows > mend.ndjson'),
  ])
})
