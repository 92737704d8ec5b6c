// Items are searched by identifier, shown, pushed and deleted.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { adminKey } from '../support/server-process.ts'
import { expectSoundEverywhere, openWorld, type World } from './support/portal.ts'

const hostile = '<b onclick=alert(1)>"x"</b> مرحبا 🌊'
let world: World
let key: string

beforeAll(async () => {
  world = await openWorld()
  const fields = [
    { name: 'tag', type: 'string', role: 'index' },
    { name: 'unit', type: 'string', role: 'attribute' },
    { name: 'serial', type: 'long', role: 'attribute' },
  ]
  const { url } = world.server
  await makeIngest(url, adminKey, { alias: 'tags', kind: 'metadata', fields })
  const path = '/admin/subscribers/pusher-of-tags'
  const entries = [{ ingest: 'tags' }, { entity: 'tags' }]
  await callOk(url, 'PUT', `${path}/subscriptions`, { key: adminKey, body: entries })
  const rights = { key: adminKey, body: { rights: ['ingest', 'consume', 'admin'] } }
  key = (await callOk<{ key: string }>(url, 'POST', `${path}/keys`, rights)).key
  const items = Array.from(
    { length: 250 },
    (_, index) => `{"tag":"tag.${String(index).padStart(3, '0')}","unit":"bar","serial":9007199254740993}`,
  )
  const text = `[${items.join()},${JSON.stringify({ tag: hostile, unit: hostile, serial: 1 })}]`
  await callOk(url, 'POST', '/ingests/tags/data?wait=true', { key, text })
  const plantKey = await makeIngest(url, adminKey, { alias: 'plant' })
  const body = ['tag.011.min', 'tag.011.max', 'tag.012', hostile].map((T) => ({ D: '2026-01-01T08:00:00Z', T, V: 1 }))
  await callOk(url, 'POST', '/ingests/plant/data?wait=true', { key: plantKey, body })
})
afterAll(() => world.close())

test('items are searched by operator, paged, shown, changed and deleted', async () => {
  const { url } = world.server
  const page = await world.enter(key)
  await page.getByRole('link', { name: 'Metadata' }).click()
  await page.getByRole('link', { name: 'tags' }).click()
  await page.getByRole('button', { name: hostile }).waitFor()
  await page.getByRole('cell', { name: '9007199254740993' }).first().waitFor()
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByText('200 items shown').waitFor()
  await expectSoundEverywhere(page)
  await page.getByLabel('tag…').selectOption('be')
  await page.getByLabel('From').fill('tag.010')
  await page.getByLabel('To').fill('tag.012')
  await page.getByText('3 items shown').waitFor()
  expect(page.url()).toContain('op=be')
  await page.getByRole('button', { name: 'tag.011' }).click()
  await page.getByRole('link', { name: 'Draw 2 tags of plant' }).waitFor()
  await expectSoundEverywhere(page)
  await page.getByRole('button', { name: 'Change…' }).click()
  await page.getByLabel('The item, as it is pushed').fill('{"tag":"tag.011","unit":"degC","serial":2}')
  await page.getByRole('button', { name: 'Push it' }).click()
  await page.getByText('The item is stored.').waitFor()
  const found = { body: { itemsId: ['tag.011'] } }
  expect(await callOk(url, 'POST', '/consumer/metadata/tags', found)).toEqual([
    { tag: 'tag.011', unit: 'degC', serial: 2 },
  ])
  await page.getByRole('button', { name: 'tag.011' }).click()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete it' }).click()
  await page.getByText('2 items shown').waitFor()
  expect(await callOk(url, 'POST', '/consumer/metadata/tags', found)).toEqual([])
})

test('an item links to a chart of its tags', async () => {
  const page = await world.enter(key)
  await page.goto(`${world.server.url}/portal#/metadata/tags`)
  await page.getByRole('button', { name: hostile }).click()
  await page.getByRole('link', { name: 'Draw 1 tag of plant' }).click()
  await page.getByRole('heading', { name: 'Explore' }).waitFor()
  await page.getByRole('img', { name: `${hostile} over time` }).waitFor()
})
