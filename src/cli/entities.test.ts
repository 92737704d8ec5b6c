import { afterEach, expect, test } from 'vitest'
import { closeServices, service, tidemark } from '../../test/support/cli.ts'

afterEach(closeServices)

const entity = (name: string, first_date: string | null) => ({ entity: name, ingests: [name], fields: [], first_date })

// The clock of these tests begins in 1970.
test.each<[argv: readonly string[], first: string | null, isAsked: boolean]>([
  [['plant', 'P1D'], '1969-12-30T23:59:59.999Z', false],
  [['plant', 'P1D'], '1969-12-31T00:00:00.000Z', true],
  [['plant', 'P1D'], null, true],
  // Whole UTC days expire, as in the service.
  [['plant', 'PT12H'], '1969-12-31T08:00:00.000Z', true],
  [['plant', 'PT12H'], '1969-12-30T23:59:59.999Z', false],
  [['plant', 'P1D', '--yes'], '1960-01-01T00:00:00.000Z', true],
  [['plant', 'none'], '1960-01-01T00:00:00.000Z', true],
])('retain %j is refused without --yes if items would expire: first item at %s', async (argv, first, isAsked) => {
  const { url, seen } = await service({
    'GET /consumer/data/entities': () => [200, [entity('other', '1900-01-01T00:00:00.000Z'), entity('plant', first)]],
    'PATCH /admin/entities/plant': () => [200, {}],
  })
  const { code, err } = await tidemark(url, ['entities', 'retain', ...argv])
  expect(seen.some((request) => request.startsWith('PATCH'))).toBe(isAsked)
  expect(code).toBe(isAsked ? 0 : 1)
  if (!isAsked)
    expect(err).toContain(
      `plant has items since ${first}. Items before 1969-12-31T00:00:00.000Z would expire now, for good`,
    )
})

// Expired hours do not come back either.
test.each<[argv: readonly string[], first: string | null, told: string | null]>([
  [['--hours', 'none'], '1969-01-01T05:00:00.000Z', 'They would expire now, for good'],
  [['none', '--hours', 'none'], '1969-01-01T05:00:00.000Z', 'They would expire now, for good'],
  [['--hours', 'P30D'], '1969-01-01T05:00:00.000Z', 'Hours before 1969-12-02T00:00:00.000Z would expire now, for good'],
  [['--hours', 'P30D'], '1969-12-02T00:00:00.000Z', null],
  [['--hours', 'P30D', '--yes'], '1969-01-01T05:00:00.000Z', null],
  [['--hours', 'ever'], '1969-01-01T05:00:00.000Z', null],
  [['--hours', 'none'], null, null],
])('retain %j is refused without --yes if hours would expire: first hour at %s', async (argv, hours_from, told) => {
  const { url, seen } = await service({
    'GET /consumer/data/entities': () => [200, [{ ...entity('plant', null), hours_from }]],
    'PATCH /admin/entities/plant': () => [200, {}],
  })
  const { code, err } = await tidemark(url, ['entities', 'retain', 'plant', ...argv])
  expect(seen.some((request) => request.startsWith('PATCH'))).toBe(told === null)
  expect(code).toBe(told === null ? 0 : 1)
  if (told !== null) expect(err).toContain(`plant has hours since ${String(hours_from)}. ${told}`)
})
