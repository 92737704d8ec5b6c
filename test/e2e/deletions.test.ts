// A permitted user deletes the wrong rows in a part of a chart, and restores them.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest, makeReader, makeSubscriber } from '../support/api.ts'
import { adminKey } from '../support/server-process.ts'
import { expectSoundEverywhere, openWorld, type World } from './support/portal.ts'

const startMs = Date.UTC(2026, 0, 1)
const at = (minute: number): string => new Date(startMs + minute * 60_000).toISOString()
let world: World
let corrector: string
let reader: string

beforeAll(async () => {
  world = await openWorld()
  const { url } = world.server
  const key = await makeIngest(url, adminKey, { alias: 'plant' })
  const body = Array.from({ length: 60 }, (_, minute) =>
    ['boiler.temp', 'pump.flow'].map((T) => ({ D: at(minute), T, V: minute })),
  ).flat()
  await callOk(url, 'POST', '/ingests/plant/data?wait=true', { key, body })
  reader = await makeReader(url, adminKey, ['plant'])
  corrector = await makeSubscriber(url, adminKey, 'corrector', [{ entity: 'plant' }], ['correct', 'consume'])
})
afterAll(() => world.close())

const link = (from: number, to: number): string =>
  `${world.server.url}/portal#/explore?${new URLSearchParams({ entity: 'plant', tag: 'boiler.temp', field: 'V', from: at(from), to: at(to), zone: 'UTC' })}`

const seen = async (): Promise<number> =>
  (
    await callOk<object[]>(world.server.url, 'POST', '/consumer/data/select', {
      key: reader,
      body: { entity: 'plant' },
    })
  ).length

test('a slice of a chart is deleted with a reason, and the deletion is undone', async () => {
  const page = await world.enter(corrector)
  await page.goto(link(10, 19))
  await page.getByRole('img', { name: 'boiler.temp over time' }).waitFor()
  await page.getByRole('button', { name: 'Delete rows…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete rows of plant' })
  await dialog.getByText('It hides 10 rows.').waitFor()
  await dialog.getByText('2026-01-01 00:10').waitFor()
  expect(await dialog.getByRole('button', { name: 'Delete them' }).isDisabled()).toBe(true)
  await dialog.getByLabel('Reason').fill('wrong unit')
  await expectSoundEverywhere(page)
  await dialog.getByRole('button', { name: 'Delete them' }).click()
  const deletions = page.getByRole('region', { name: 'Deletions' })
  await deletions.getByRole('cell', { name: 'wrong unit' }).waitFor()
  await page.getByText(/^0 rows, \d+ ms$/).waitFor()
  expect(await seen()).toBe(110)
  await expectSoundEverywhere(page)
  await deletions.getByRole('button', { name: 'Take back…' }).click()
  await page.getByRole('button', { name: 'Take it back' }).click()
  await deletions.waitFor({ state: 'detached' })
  await page.getByText(/^10 rows, \d+ ms$/).waitFor()
  expect(await seen()).toBe(120)
})

test('a reader without the right to delete sees no deletion controls', async () => {
  const page = await world.enter(reader)
  await page.goto(link(0, 59))
  await page.getByRole('img', { name: 'boiler.temp over time' }).waitFor()
  await page.getByRole('button', { name: 'Request…' }).waitFor()
  expect(await page.getByRole('button', { name: 'Delete rows…' }).count()).toBe(0)
})
