import { afterAll, beforeAll, expect, test } from 'vitest'
import { callWell, makeIngest } from '../support/api.ts'
import { adminKey } from '../support/server-process.ts'
import { expectSoundEverywhere, openWorld, signIn, type World } from './support/portal.ts'

let world: World
let pusherKey: string

beforeAll(async () => {
  world = await openWorld()
  pusherKey = await makeIngest(world.server.url, adminKey, { alias: 'plant' })
  const body = [
    { D: '2026-01-01T00:00:00Z', T: 'boiler.temp', V: 81.5 },
    { D: '2026-01-01T00:01:00Z', T: 'boiler.temp', V: 'warm' },
  ]
  await callWell(world.server.url, 'POST', '/ingests/plant/data?wait=true', { key: pusherKey, body })
})
afterAll(() => world.close())

test('a browser that asks for the bare address is led to the portal, and shown how to get in', async () => {
  const page = await world.visit()
  await page.goto(world.server.url)
  expect(new URL(page.url()).pathname).toBe('/portal')
  await page.getByLabel('Key', { exact: true }).waitFor()
  await expectSoundEverywhere(page)
})

test('a wrong key is refused in the words of the service, by keyboard alone', async () => {
  const page = await world.visit()
  await page.getByLabel('Key', { exact: true }).waitFor()
  await page.keyboard.type('no-such-key')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('403 forbidden').waitFor()
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
})

test('an operator sees that it is healthy, what comes in, and the ingest with trouble', async () => {
  const page = await world.enter()
  await page.getByText('Healthy').waitFor()
  await page.getByRole('cell', { name: 'rows rejected' }).waitFor()
  await page.getByRole('img', { name: /^Rows a second/ }).waitFor()
  expect(page.url()).not.toContain(adminKey)
  await expectSoundEverywhere(page)
  // The key is this tab's alone, and is gone when its holder signs out.
  expect(
    await page.evaluate(() => [sessionStorage.getItem('tidemark.key'), document.cookie, JSON.stringify(localStorage)]),
  ).toEqual([adminKey, '', '{}'])
  await page.reload()
  await page.getByText('Healthy').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Key', { exact: true }).waitFor()
  expect(await page.evaluate(() => sessionStorage.getItem('tidemark.key'))).toBeNull()
})

test('who looks without a key, and a pusher, see what they may', async () => {
  const page = await world.visit()
  await page.getByRole('button', { name: 'Look without a key' }).click()
  await page.getByText('You look without a key').waitFor()
  await page.getByRole('cell', { name: 'plant' }).waitFor()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await signIn(page, pusherKey)
  await page.getByRole('heading', { name: 'Your access' }).waitFor()
  await expectSoundEverywhere(page)
})

test('on a phone the page that is open is among the links that show, and a rejected row is mended without scrolling aside', async () => {
  const page = await world.enter(adminKey, { width: 400 })
  const insideOf = async (name: string, role: 'link' | 'button'): Promise<boolean> => {
    const box = (await page.getByRole(role, { name, exact: true }).first().boundingBox())!
    return box.x >= 0 && box.x + box.width <= 400
  }
  expect(await insideOf('Operate', 'link')).toBe(false)
  await page.goto(`${world.server.url}/portal#/operate`)
  await page.getByRole('heading', { name: 'Operate' }).waitFor()
  await expect.poll(() => insideOf('Operate', 'link')).toBe(true)
  await page.goto(`${world.server.url}/portal#/ingests/plant`)
  await page.getByRole('button', { name: 'Mend…' }).waitFor()
  expect(await insideOf('Mend…', 'button')).toBe(true)
})

test('the service goes away and comes back: the page says so, and goes on', async () => {
  const page = await world.enter()
  await page.getByText('Healthy').waitFor()
  await world.restart(async () => {
    await page.getByText('The service does not answer.').waitFor()
  })
  await page.getByText('The service does not answer.').waitFor({ state: 'detached' })
  await page.getByText('Healthy').waitFor()
})
