// Rows are rejected, found, corrected, validated again and discarded, by an operator and by their pusher.
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TidemarkClient } from '../../src/client/client.ts'
import { call, callOk, makeIngest } from '../support/api.ts'
import { adminKey } from '../support/server-process.ts'
import { expectSound, expectSoundEverywhere, openWorld, type World } from './support/portal.ts'

const hostile = '<script>alert(1)</script> "\' مرحبا 🌊'
let world: World
let pusherKey: string

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 8, minute)).toISOString()

async function push(rows: readonly unknown[]): Promise<void> {
  await callOk(world.server.url, 'POST', '/ingests/plant/data?wait=true', { key: pusherKey, body: rows })
}

const select = (): Promise<readonly Record<string, unknown>[]> =>
  callOk(world.server.url, 'POST', '/consumer/data/select', { body: { entity: 'plant' } })

const rejected = async (): Promise<readonly { code: string; field: string }[]> =>
  (
    await callOk<{ Items: { code: string; field: string }[] }>(
      world.server.url,
      'GET',
      '/admin/ingests/plant/rejected',
      { key: adminKey },
    )
  ).Items

async function open(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Ingests', exact: true }).click()
  await page.getByRole('heading', { name: 'Ingests', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'plant' }).click()
  await page.getByRole('heading', { name: 'Rejected rows', exact: true }).waitFor()
}

beforeAll(async () => {
  world = await openWorld()
  pusherKey = await makeIngest(world.server.url, adminKey, { alias: 'plant' })
  await push([
    { D: at(0), T: 'boiler.temp', V: 81.5 },
    { D: at(1), T: 'boiler.temp', V: 'warm' },
    { D: at(2), T: hostile, V: hostile },
    { D: 'yesterday', T: 'boiler.temp', V: 1 },
    { T: 'boiler.temp', V: 3 },
  ])
  await push(Array.from({ length: 3 }, (_, index) => ({ D: at(10 + index), T: 'boiler.temp', V: index, quality: 100 })))
})
afterAll(() => world.close())

test('an operator sees rejected rows, adds the missing field, and the rows are stored', async () => {
  const page = await world.enter()
  await open(page)
  await page.getByRole('link', { name: 'unknown field' }).waitFor()
  await page.getByText('<script>alert(1)</script>').first().waitFor()
  await page
    .getByRole('row', { name: /"warm"/ })
    .getByText('row 2 of its batch')
    .waitFor()
  await expectSoundEverywhere(page)
  await page.getByRole('button', { name: 'Add the field and replay…' }).click()
  await page.getByRole('dialog').getByLabel('Type').selectOption('long')
  await expectSound(page)
  await page.getByRole('button', { name: 'Add it and validate again' }).click()
  await page.getByText('3 rows are stored now').waitFor()
  expect((await select()).map((row) => row['quality'])).toEqual([null, 100, 100, 100])
  await page.getByRole('link', { name: 'wrong type' }).click()
  await page.getByRole('cell', { name: 'Mend…' }).nth(1).waitFor()
  expect(page.url()).toContain('code=wrong_type')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save all 2 as NDJSON' }).click(),
  ])
  const saved = await readFile(await download.path(), 'utf8')
  expect(
    saved
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).V),
  ).toEqual(['warm', hostile])
})

test('a field that was added by a row is marked as such', async () => {
  const key = await makeIngest(world.server.url, adminKey, { alias: 'opened', unknown: 'add' })
  const row = { D: at(0), T: 'boiler.temp', V: 81.5, quality: 100 }
  await callOk(world.server.url, 'POST', '/ingests/opened/data?wait=true', { key, body: [row] })
  const page = await world.enter()
  await page.getByRole('link', { name: 'Ingests', exact: true }).click()
  await page.getByRole('heading', { name: 'Ingests', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'opened' }).click()
  await page.getByText('become fields when a first row has them').waitFor()
  await page.getByRole('row', { name: /^quality .* added by a row$/ }).waitFor()
  expect(await page.getByText('added by a row').count()).toBe(1)
  await expectSound(page)
})

test('a pusher corrects a rejected row, and the row is stored', async () => {
  const page = await world.enter(pusherKey)
  await open(page)
  await page.getByRole('link', { name: 'wrong type' }).click()
  await page.getByRole('row', { name: /warm/ }).getByRole('button', { name: 'Mend…' }).click()
  const text = page.getByRole('textbox', { name: 'The row' })
  await text.fill(JSON.stringify({ D: at(1), T: 'boiler.temp', V: 'hot' }))
  await page.getByRole('button', { name: 'Push it again' }).click()
  await page.getByText('It was rejected again').waitFor()
  await text.fill('{"D":')
  expect(await page.getByRole('button', { name: 'Push it again' }).isDisabled()).toBe(true)
  await text.fill(JSON.stringify({ D: at(1), T: 'boiler.temp', V: 82.25 }))
  await expectSoundEverywhere(page)
  await page.getByRole('button', { name: 'Push it again' }).click()
  await page.getByText('The mended row is stored.').waitFor()
  expect((await select()).map((row) => row['V'])).toContain(82.25)
  expect((await rejected()).filter(({ code }) => code === 'wrong_type')).toHaveLength(1)
  await page.getByRole('link', { name: 'Show all' }).click()
  await page.getByRole('button', { name: 'Receipt' }).last().click()
  await page.getByRole('dialog').getByText('5 rows').waitFor()
  // The date of the fourth row cannot be parsed.
  await page.getByRole('dialog').getByText('Row 4: D: expected').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('checkbox', { name: 'Choose all that are shown' }).check()
  await page.getByRole('button', { name: /^Discard 3 rows/ }).click()
  await page.getByRole('button', { name: 'Discard for good' }).click()
  await page.getByText('No rejected rows').waitFor()
  expect(await rejected()).toEqual([])
})

test('a rejected line is saved as a line, and a corrected line keeps the time of its arrival', async () => {
  const key = await makeIngest(world.server.url, adminKey, { alias: 'points', lines: { tag: '{measurement}.{field}' } })
  const client = new TidemarkClient({ url: world.server.url, key })
  const { batch } = await client.pushLines('points', 'tank level="41"', { precision: 's' })
  await expect.poll(async () => (await client.receipt('points', batch)).pending).toBe(0)
  const page = await world.enter(key)
  await page.getByRole('link', { name: 'Ingests', exact: true }).click()
  await page.getByRole('heading', { name: 'Ingests', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'points' }).click()
  await page.getByRole('link', { name: 'wrong type' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save all 1 as lines' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('points-rejected.lp')
  expect(await readFile(await download.path(), 'utf8')).toMatch(/^tank level="41" \d{10}\n$/)
  await page.getByText('push them with --precision s').waitFor()
  await page.getByRole('button', { name: 'Mend…' }).click()
  const text = page.getByRole('textbox', { name: 'The row' })
  await page.getByText('It is a line whose time is in seconds.').waitFor()
  await text.fill((await text.inputValue()).replaceAll('"', ''))
  await page.getByRole('button', { name: 'Push it again' }).click()
  await page.getByText('The mended row is stored.').waitFor()
  const body = { entity: 'points' }
  const rows = await callOk<{ D: string }[]>(world.server.url, 'POST', '/consumer/data/select', { body })
  expect(rows).toMatchObject([{ T: 'tank.level', V: 41 }])
  expect(Math.abs(Date.parse(rows[0]!.D) - Date.now())).toBeLessThan(3_600_000)
  expect((await client.rejected('points', {}, 'own')).Items).toEqual([])
})

test('an operator blocks an ingest with a reason, unblocks it, creates an ingest and deletes it', async () => {
  const page = await world.enter()
  await open(page)
  await page.getByRole('button', { name: 'Block…' }).click()
  await page.getByLabel('Reason, shown to callers who push').fill(hostile)
  await page.getByRole('button', { name: 'Block', exact: true }).click()
  await page.getByText(hostile).waitFor()
  const refused = await call<{ detail: string }>(world.server.url, 'POST', '/ingests/plant/data', {
    key: pusherKey,
    body: [],
  })
  expect([refused.status, refused.body.detail.includes(hostile)]).toEqual([423, true])
  await page.getByRole('button', { name: 'Unblock…' }).click()
  await page.getByRole('button', { name: 'Unblock', exact: true }).click()
  await page.getByRole('button', { name: 'Block…', exact: true }).waitFor()
  await push([{ D: at(30), T: 'boiler.temp', V: 1 }])

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Ingests', exact: true }).click()
  await page.getByRole('button', { name: 'New ingest' }).click()
  await page.getByLabel('Alias').fill('second')
  await page.getByRole('button', { name: 'Another field' }).click()
  await page.getByLabel('Name of field 4').fill('unit')
  await page.getByLabel('Type of field 4').selectOption('string')
  await page.getByLabel('Role of field 4').selectOption('dimension')
  await expectSoundEverywhere(page)
  await page.getByRole('button', { name: 'Make it' }).click()
  await page.getByRole('heading', { name: 'Ingests / second' }).waitFor()
  const made = await callOk<{ fields: { name: string; role: string }[] }>(
    world.server.url,
    'GET',
    '/admin/ingests/second',
    { key: adminKey },
  )
  expect(made.fields.map(({ name, role }) => `${name} ${role}`)).toEqual([
    'D time',
    'T tag',
    'V metric',
    'unit dimension',
  ])
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete it, keep its data' }).click()
  await page.getByRole('heading', { name: 'Ingests', exact: true }).waitFor()
  expect((await call(world.server.url, 'GET', '/admin/ingests/second', { key: adminKey })).status).toBe(404)
})
