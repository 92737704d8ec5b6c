import { afterEach, expect, test } from 'vitest'
import { closeServices, service, tidemark } from '../../test/support/cli.ts'

afterEach(closeServices)

test.each([
  [[], ''],
  [['--ids', 'a,b', '--fields', 'site'], '&ids=a,b&fields=site'],
  [['--quality', 'good,bad'], '&quality=good,bad'],
])('follow %j sends the options as query parameters', async (argv, asked) => {
  const { url, seen } = await service({})
  const { code, err } = await tidemark(url, ['follow', '--entity', 'plant', ...argv])
  expect([code, err]).toEqual([1, expect.stringContaining('Not without a key.')])
  expect(seen).toEqual([`GET /consumer/data/live?entity=plant${asked}`])
})
