// A subscriber gets a key and subscriptions; the key has exactly those rights, until it is revoked.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, callOk } from '../support/api.ts'
import { adminKey } from '../support/server-process.ts'
import { expectSound, expectSoundEverywhere, openWorld, signIn, type World } from './support/portal.ts'

const name = 'line 3 <b>"x"</b> مرحبا 🌊'
let world: World

beforeAll(async () => {
  world = await openWorld()
  await callOk(world.server.url, 'POST', '/admin/ingests', {
    key: adminKey,
    body: { alias: 'plant', kind: 'series' },
  })
})
afterAll(() => world.close())

test('an operator creates a subscriber, its subscriptions and a key, and revokes the key', async () => {
  const page = await world.enter()
  await page.getByRole('link', { name: 'Access' }).click()
  await page.getByRole('button', { name: 'New subscriber' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Make it' }).click()
  await page.getByText('It may do nothing yet').waitFor()
  await page.getByRole('button', { name: 'Add one to push' }).click()
  await page.getByLabel('May push to (1)').fill('plant')
  await page.getByRole('button', { name: 'Add one to read' }).click()
  await page.getByLabel('May read (2)').fill('plant')
  await page.getByLabel('Until').nth(1).fill('2100-01-01')
  await page.getByRole('button', { name: 'Save the changes' }).click()
  await page.getByText('The subscriptions are saved.').waitFor()
  await page.getByRole('button', { name: 'New key' }).click()
  await expectSound(page)
  await page.getByRole('button', { name: 'Make it' }).click()
  const key = (await page.locator('.made-key').textContent())!
  await page.getByRole('button', { name: 'Copy the key' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
  await page.getByRole('button', { name: 'I have it' }).click()
  await page.getByText('push rows, read').waitFor()
  await expectSoundEverywhere(page)
  const own = await callOk<{ subscriber: string; subscriptions: object[] }>(world.server.url, 'GET', '/subscription', {
    key,
  })
  expect(own.subscriber).toBe(name)
  expect(own.subscriptions).toMatchObject([{ ingest: 'plant' }, { entity: 'plant', until: '2100-01-01T00:00:00.000Z' }])
  const pushed = { key, body: { D: '2026-01-01T00:00:00Z', T: 'a', V: 1 } }
  expect((await call(world.server.url, 'POST', '/ingests/plant/data', pushed)).status).toBe(200)

  await page.getByRole('button', { name: 'Revoke…' }).click()
  await page.getByRole('button', { name: 'Revoke it' }).click()
  await page.getByText('No key yet').waitFor()
  expect((await call(world.server.url, 'POST', '/ingests/plant/data', pushed)).status).toBe(403)

  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete it and its keys' }).click()
  await page.getByRole('button', { name: 'New subscriber' }).waitFor()
  const left = await callOk<{ Items: { name: string }[] }>(world.server.url, 'GET', '/admin/subscribers', {
    key: adminKey,
  })
  expect(left.Items.map((one) => one.name)).not.toContain(name)
})

test('an expired key shows a 403 after a reload, and the tab deletes it', async () => {
  const { url } = world.server
  await callOk(url, 'POST', '/admin/subscribers', { key: adminKey, body: { name: 'short' } })
  const expires = new Date(Date.now() + 8000).toISOString()
  const made = await callOk<{ key: string }>(url, 'POST', '/admin/subscribers/short/keys', {
    key: adminKey,
    body: { rights: ['consume'], expires },
  })
  const page = await world.visit()
  await signIn(page, made.key)
  await expect
    .poll(async () => (await call(url, 'GET', '/subscription', { key: made.key })).status, { timeout: 30_000 })
    .toBe(403)
  await page.reload()
  await page.getByRole('alert').getByText('403 forbidden').waitFor()
  expect(await page.evaluate(() => sessionStorage.getItem('tidemark.key'))).toBeNull()
})
