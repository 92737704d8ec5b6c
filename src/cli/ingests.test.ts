import { afterEach, expect, test } from 'vitest'
import { closeServices, service, tidemark } from '../../test/support/cli.ts'

afterEach(closeServices)

const ingest = {
  alias: 'plant',
  kind: 'series',
  entity: 'plant',
  fields: [],
  counters: { received: 0, stored: 0, rejected: 0, pending: 0 },
}

test.each([
  ['active', null, null],
  ['blocked', 'audit', 'It is blocked. Reason: audit\n'],
  ['blocked', null, 'It is blocked. Reason: none was given\n'],
])('an ingest that is %s (%s) is shown with the reason', async (state, reason, line) => {
  const { url } = await service({ 'GET /admin/ingests/plant': () => [200, { ...ingest, state, reason }] })
  const { out } = await tidemark(url, ['ingests', 'show', 'plant'])
  expect(out.includes('It is blocked')).toBe(line !== null)
  if (line !== null) expect(out.endsWith(line)).toBe(true)
})
