import { afterEach, expect, test } from 'vitest'
import { closeServices, service, tidemark } from '../../test/support/cli.ts'

afterEach(closeServices)

const entity = (name: string, first_date: string | null) => ({ entity: name, ingests: [name], fields: [], first_date })

// The clock of these tests begins in 1970.
test.each<[argv: readonly string[], first: string | null, isAsked: boolean]>([
  [['plant', 'P1D'], '1969-12-30T23:59:59.999Z', false],
  [['plant', 'P1D'], '1969-12-31T00:00:00.000Z', true],
  [['plant', 'P1D'], null, true],
  // Whole UTC days leave, as the service does it.
  [['plant', 'PT12H'], '1969-12-31T08:00:00.000Z', true],
  [['plant', 'PT12H'], '1969-12-30T23:59:59.999Z', false],
  [['plant', 'P1D', '--yes'], '1960-01-01T00:00:00.000Z', true],
  [['plant', 'none'], '1960-01-01T00:00:00.000Z', true],
])('retain %j where the first item is of %s', async (argv, first, isAsked) => {
  const { url, seen } = await service({
    'GET /consumer/data/entities': () => [200, [entity('other', '1900-01-01T00:00:00.000Z'), entity('plant', first)]],
    'PATCH /admin/entities/plant': () => [200, {}],
  })
  const { code, err } = await tidemark(url, ['entities', 'retain', ...argv])
  expect(seen.some((request) => request.startsWith('PATCH'))).toBe(isAsked)
  expect(code).toBe(isAsked ? 0 : 1)
  if (!isAsked)
    expect(err).toContain(
      `plant has items since ${first}. Those before 1969-12-31T00:00:00.000Z would expire now, for good`,
    )
})
