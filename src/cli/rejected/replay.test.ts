import { afterEach, expect, test } from 'vitest'
import { type Answers, closeServices, service, tidemark } from '../../../test/support/cli.ts'

afterEach(closeServices)

const replayPath = 'POST /admin/ingests/plant/rejected/replay'
const listPath = 'GET /admin/ingests/plant/rejected?limit=10000'
const listed = (...ids: readonly string[]): Answers => ({
  [listPath]: () => [200, { Items: ids.map((id) => ({ id })), NextToken: null }],
})
const answers: Answers = {
  ...listed('4', '5'),
  [replayPath]: () => [200, { replayed: 3, stored: 2, rejected: 1 }],
  [`${replayPath}/preview`]: () => {
    const fault = { code: 'wrong_type', field: 'V', message: 'V: expected a number, got "n/a"' }
    const Items = [
      { id: '4', before: '{"V":"1"}', after: '{"V":1}', code: null, field: null, message: null },
      { id: '5', before: '{"V":"n/a"}', after: '{"V":"n/a"}', ...fault },
    ]
    return [200, { rows: 2, stored: 1, rejected: 1, more: true, overwritten: [], unused: [], Items }]
  },
  'GET /admin/ingests/plant/rejected': () => [200, { Items: [{ row: '{"V":\n"x"}' }, { row: '' }], NextToken: null }],
}
const replay = ['rejected', 'replay', 'plant']

test('replays rows with changes into another ingest', async () => {
  const { url, seen } = await service(answers)
  const changes = ['--rename', 'value=V', '--set', 'T=pump 1,n=07,m=1.5,b=true,q="7"', '--convert', 'V=number']
  const { code, out } = await tidemark(url, [...replay, '--all', '--into', 'plant2', ...changes])
  expect({ code, out }).toEqual({
    code: 2,
    out: '2 rows are stored now in plant2, 1 is still rejected. The list shows them as they were pushed; --dry-run shows why they are rejected.\n',
  })
  const body = JSON.parse(seen.at(-1)!.slice(replayPath.length))
  expect(body).toEqual({
    ids: ['4', '5'],
    into: 'plant2',
    rename: { value: 'V' },
    set: { T: 'pump 1', n: '07', m: 1.5, b: true, q: '7' },
    convert: { V: 'number' },
  })
})

test('a dry run shows the outcome of the first rows, and replays nothing', async () => {
  const { url, seen } = await service(answers)
  const { out, code } = await tidemark(url, [...replay, '4', '5', '--convert', 'V=number', '--dry-run'])
  expect(code).toBe(2)
  expect(out).toMatchInlineSnapshot(`
    "4  {"V":"1"}
      -> {"V":1}
      would be stored
    5  {"V":"n/a"}
      would be rejected: V: expected a number, got "n/a" (wrong_type)
    Of the first 2 rows 1 would be stored, 1 would still be rejected. Nothing was changed.
    "
  `)
  expect(seen).toEqual([`${replayPath}/preview {"ids":["4","5"],"convert":{"V":"number"}}`])
})

test('a decimal comma in --set is sent as a string, which the service converts', async () => {
  const { url, seen } = await service(answers)
  await tidemark(url, [...replay, '--all', '--set', 'V=1\\,5', '--convert', 'V=decimal_comma'])
  expect(JSON.parse(seen.at(-1)!.slice(replayPath.length))).toEqual({
    ids: ['4', '5'],
    set: { V: '1,5' },
    convert: { V: 'decimal_comma' },
  })
})

/** An ingest in which a replay overwrites values and stores all rows, and whose rows do not have the property names given. */
const overwriting: Answers = {
  ...listed('3', '4', '5'),
  [replayPath]: () => [
    200,
    { replayed: 3, stored: 3, rejected: 0, unused: [{ of: 'rename', name: 'vlaue', likely: 'value' }] },
  ],
  [`${replayPath}/preview`]: () => {
    const overwritten = [{ name: 'V', rows: 2, first: '4' }]
    const unused = [{ of: 'drop', name: 'x', likely: null }]
    return [200, { rows: 3, stored: 3, rejected: 0, more: false, overwritten, unused, Items: [] }]
  },
}

test('refuses to overwrite valid values without --yes', async () => {
  const { url, seen } = await service(overwriting)
  const refused = await tidemark(url, [...replay, '--all', '--set', 'V=null'])
  expect(refused).toEqual({
    code: 1,
    out: '',
    err:
      'tidemark: --set overwrites a good value of V in 2 of the 3 rows, the first of them 4. Nothing was changed. ' +
      '--field V chooses the rows where it is at fault, --set-missing V=... the rows without it; --yes overwrites.\n',
  })
  expect(seen).toEqual([listPath, `${replayPath}/preview {"ids":["3","4","5"],"set":{"V":null}}`])
  expect((await tidemark(url, [...replay, '--all', '--set', 'V=null', '--yes'])).code).toBe(0)
  expect((await tidemark(url, [...replay, '--all', '--set-missing', 'V=1.5', '--drop', 'a,b'])).code).toBe(0)
  expect(seen.slice(2)).toEqual([
    `${replayPath} {"set":{"V":null}}`,
    `${replayPath} {"drop":["a","b"],"set_missing":{"V":1.5}}`,
  ])
})

/** Previews two rows at a time; those with the ids in `good` have a good value. */
function previewing(good: ReadonlySet<string>, made: readonly string[]): Answers {
  const overwritten = (ids: readonly string[]) => {
    const found = ids.filter((id) => good.has(id))
    return found.length === 0 ? [] : [{ name: 'V', rows: found.length, first: found[0] }]
  }
  return {
    ...listed(...made),
    [`${replayPath}/preview`]: (body) => {
      const { ids }: { readonly ids: readonly string[] } = JSON.parse(body)
      const looked = ids.slice(0, 2)
      const rows = looked.length
      const more = ids.length > rows
      return [200, { rows, stored: rows, rejected: 0, more, overwritten: overwritten(looked), unused: [], Items: [] }]
    },
    [replayPath]: () => [200, { replayed: made.length, stored: made.length, rejected: 0 }],
  }
}

test.each([
  [['6'], 'V in 1 of the 7 rows, the first of them 6.'],
  [['1', '4', '7'], 'V in 3 of the 7 rows, the first of them 1.'],
])('checks all rows for valid values, however few one preview covers: %j', async (good, says) => {
  const { url, seen } = await service(previewing(new Set(good), ['1', '2', '3', '4', '5', '6', '7']))
  const { code, err } = await tidemark(url, [...replay, '--all', '--set', 'V=null'])
  expect([code, err]).toEqual([1, expect.stringContaining(says)])
  expect(seen.filter((asked) => asked.startsWith(`${replayPath} `))).toEqual([])
})

test('replays exactly the rows that were checked', async () => {
  const { url, seen } = await service(previewing(new Set(), ['1', '2', '3']))
  expect((await tidemark(url, [...replay, '--all', '--set', 'V=null'])).code).toBe(0)
  expect(seen.at(-1)).toBe(`${replayPath} {"ids":["1","2","3"],"set":{"V":null}}`)
})

test('reports names that no row has', async () => {
  const { url } = await service(overwriting)
  expect(await tidemark(url, [...replay, '--all', '--rename', 'vlaue=V'])).toEqual({
    code: 0,
    out: '3 rows are stored now, 0 are still rejected.\n',
    err: '--rename vlaue: none of the rows has it. "value" may be meant.\n',
  })
  const { code, out } = await tidemark(url, [...replay, '--all', '--drop', 'x', '--dry-run'])
  expect([code, out]).toEqual([
    0,
    [
      '--set overwrites a good value of V in 2 of the 3 rows, the first of them 4.',
      '--drop x: none of the rows has it.',
      'Of 3 rows 3 would be stored, 0 would still be rejected. Nothing was changed.\n',
    ].join('\n'),
  ])
})

test.each([
  [
    ['--convert', 'V=int'],
    '"int" is not a known conversion. There are: number, decimal_comma, text, boolean, iso, seconds, milliseconds, microseconds, nanoseconds.',
  ],
  [['--rename', 'V'], '--rename must be name=value, not "V".'],
  [['--set', 'V=1,5'], 'not "5". Write \\, for a comma within a value: V=1\\,5.'],
  [['--set', 'n=90071992547409931'], 'give it in quotes and convert it to a number'],
])('%j is refused', async (options, says) => {
  const { url, seen } = await service(answers)
  const { code, err } = await tidemark(url, [...replay, '--all', ...options])
  expect([code, err]).toEqual([64, expect.stringContaining(says)])
  expect(seen).toEqual([])
})

test('exports rows as they were pushed, one per line', async () => {
  const { url } = await service(answers)
  expect((await tidemark(url, ['rejected', 'export', 'plant', '--rows'])).out).toBe('{"V": "x"}\n')
})
