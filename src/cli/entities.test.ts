import { afterEach, describe, expect, test } from 'vitest'
import { closeServices, service, tidemark } from '../../test/support/cli.ts'

afterEach(closeServices)

const entity = (name: string, first_date: string | null) => ({ entity: name, ingests: [name], fields: [], first_date })

// The clock of these tests begins in 1970.
describe('retain, when items could expire', () => {
  /** Runs `entities retain` on an entity whose first item is at this time. */
  async function retained(argv: readonly string[], first: string | null) {
    const { url, seen } = await service({
      'GET /consumer/data/entities': () => [200, [entity('other', '1900-01-01T00:00:00.000Z'), entity('plant', first)]],
      'PATCH /admin/entities/plant': () => [200, {}],
    })
    const ran = await tidemark(url, ['entities', 'retain', 'plant', ...argv])
    return { ...ran, isSent: seen.some((request) => request.startsWith('PATCH')) }
  }

  // Whole UTC days expire, as in the service.
  test.each(['P1D', 'PT12H'])('refuses %s without --yes if an item would expire', async (retention) => {
    const first = '1969-12-30T23:59:59.999Z'
    const { code, err, isSent } = await retained([retention], first)
    expect([code, isSent]).toEqual([1, false])
    expect(err).toContain(
      `plant has items since ${first}. Items before 1969-12-31T00:00:00.000Z would expire now, for good`,
    )
  })

  test.each<[argv: readonly string[], first: string | null]>([
    [['P1D'], '1969-12-31T00:00:00.000Z'],
    [['P1D'], null],
    [['PT12H'], '1969-12-31T08:00:00.000Z'],
    [['P1D', '--yes'], '1960-01-01T00:00:00.000Z'],
    [['none'], '1960-01-01T00:00:00.000Z'],
  ])('accepts %j if no item would expire, or with --yes: first item at %s', async (argv, first) => {
    expect(await retained(argv, first)).toMatchObject({ code: 0, isSent: true })
  })
})

// Expired hours cannot be restored either.
describe('retain, when hours could expire', () => {
  /** Runs `entities retain` on an entity whose first hour is this one. */
  async function retained(argv: readonly string[], hours_from: string | null) {
    const { url, seen } = await service({
      'GET /consumer/data/entities': () => [200, [{ ...entity('plant', null), hours_from }]],
      'PATCH /admin/entities/plant': () => [200, {}],
    })
    const ran = await tidemark(url, ['entities', 'retain', 'plant', ...argv])
    return { ...ran, isSent: seen.some((request) => request.startsWith('PATCH')) }
  }

  test.each<[argv: readonly string[], expiring: string]>([
    [['--hours', 'none'], 'They'],
    [['none', '--hours', 'none'], 'They'],
    [['--hours', 'P30D'], 'Hours before 1969-12-02T00:00:00.000Z'],
  ])('refuses %j without --yes if an hour would expire', async (argv, expiring) => {
    const first = '1969-01-01T05:00:00.000Z'
    const { code, err, isSent } = await retained(argv, first)
    expect([code, isSent]).toEqual([1, false])
    expect(err).toContain(`plant has hours since ${first}. ${expiring} would expire now, for good`)
  })

  test.each<[argv: readonly string[], first: string | null]>([
    [['--hours', 'P30D'], '1969-12-02T00:00:00.000Z'],
    [['--hours', 'P30D', '--yes'], '1969-01-01T05:00:00.000Z'],
    [['--hours', 'ever'], '1969-01-01T05:00:00.000Z'],
    [['--hours', 'none'], null],
  ])('accepts %j if no hour would expire, or with --yes: first hour at %s', async (argv, first) => {
    expect(await retained(argv, first)).toMatchObject({ code: 0, isSent: true })
  })
})
