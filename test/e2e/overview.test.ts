import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { adminKey } from '../support/server-process.ts'
import { expectSoundEverywhere, openWorld, signIn, type World } from './support/portal.ts'

let world: World
let pusherKey: string

/** On a cluster the history would occupy a slot that others wait for. */
const history: Readonly<Record<string, string>> = onCluster ? {} : { TIDEMARK_SELF_HISTORY_MS: '500' }

beforeAll(async () => {
  world = await openWorld(history)
})
afterAll(() => world.close())

/** A fresh tag, a tag that has been silent for three hours, a row to correct, and an entity with a time in the future. */
async function fillPlant(): Promise<void> {
  const { url } = world.server
  pusherKey = await makeIngest(url, adminKey, { alias: 'plant' })
  const tankKey = await makeIngest(url, adminKey, { alias: 'tank' })
  const nowMs = Date.now()
  const ago = (minutes: number): string => new Date(nowMs - minutes * 60_000).toISOString()
  const minutes = Array.from({ length: 360 }, (_, minute) => minute)
  const body = [
    ...minutes.map((minute) => ({ D: ago(minute), T: 'fan.speed', V: minute })),
    ...minutes.slice(180).map((minute) => ({ D: ago(minute), T: 'boiler.temp', V: 81.5 })),
    { D: ago(1), T: 'boiler.temp', V: 'warm' },
  ]
  await callOk(url, 'POST', '/ingests/plant/data?wait=true', { key: pusherKey, body })
  const ahead = [{ D: ago(-100_000), T: 'tank.level', V: 1 }]
  await callOk(url, 'POST', '/ingests/tank/data?wait=true', { key: tankKey, body: ahead })
}

test('a browser at the root address is redirected to the portal and its sign-in', async () => {
  const page = await world.visit()
  await page.goto(world.server.url)
  expect(new URL(page.url()).pathname).toBe('/portal')
  await page.getByLabel('Key', { exact: true }).waitFor()
  await expectSoundEverywhere(page)
})

test("a wrong key, entered by keyboard alone, is refused with the service's message", async () => {
  const page = await world.visit()
  await page.getByLabel('Key', { exact: true }).waitFor()
  await page.keyboard.type('no-such-key')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('403 forbidden').waitFor()
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
})

test('an empty service shows the steps to the first chart, and offers sample data', async () => {
  const page = await world.enter()
  await page.getByRole('heading', { name: 'Three steps to the first chart' }).waitFor()
  await page.getByText('All is well').waitFor()
  await page.getByText(`${world.server.url}/ingests/plant/data`).waitFor()
  await expectSoundEverywhere(page)
  await page.getByRole('button', { name: 'Try with sample data' }).click()
  await page.getByRole('link', { name: 'Boiler, temperature' }).waitFor()
  await page.getByText('4 tags, 4 fresh').first().waitFor()
  const { Items } = await callOk<{ Items: { name: string }[] }>(world.server.url, 'GET', '/admin/subscribers', {
    key: adminKey,
  })
  expect(Items.map(({ name }) => name)).toEqual(['admin'])
  await page.getByRole('link', { name: 'Boiler, temperature' }).click()
  await page.getByRole('img', { name: 'boiler.temperature over time' }).waitFor()
})

test('an operator sees the state of the service, the incoming rows, and the tasks to do', async () => {
  await fillPlant()
  const page = await world.enter(adminKey, { zone: 'Asia/Tokyo' })
  await page.getByText('Healthy').waitFor()
  await page.getByText('2 things to look at').waitFor()
  await page.getByText('7 tags, 5 fresh, 1 row to mend').waitFor()
  const cards = page.getByRole('region', { name: 'Entities' })
  await cards.getByText('2 tags, 1 fresh, 1 silent').waitFor()
  await cards.getByText('Some times are in the future').waitFor()
  await cards.getByRole('img', { name: 'Rows of plant in each hour of the last day' }).waitFor()
  await page.getByRole('link', { name: '1 rejected row of plant to mend' }).waitFor()
  await page.getByRole('link', { name: /^1 tag of plant is silent: boiler.temp for 3 h/ }).waitFor()
  const look = page.getByRole('region', { name: 'Look at now' })
  await look.getByText('0 … 359 in the last day').waitFor()
  if (!onCluster) await page.getByRole('img', { name: 'Rows a second, over the last hour' }).waitFor()
  const newest = look.locator('article', { hasText: 'fan.speed' }).locator('time')
  expect(await newest.getAttribute('title')).toContain('Asia/Tokyo')
  expect(page.url()).not.toContain(adminKey)
  await expectSoundEverywhere(page)
  // The key is stored only for this tab, and is removed when the user signs out.
  expect(
    await page.evaluate(() => [sessionStorage.getItem('tidemark.key'), document.cookie, JSON.stringify(localStorage)]),
  ).toEqual([adminKey, '', '{}'])
  await page.getByLabel('Time zone').selectOption('UTC')
  await expect.poll(() => newest.getAttribute('title')).toMatch(/ UTC$/)
  await look.getByRole('button', { name: 'Pin boiler.temp', exact: true }).click()
  await page.reload()
  await page.getByText('Healthy').waitFor()
  // Pinned tags come first, and the zone is kept.
  await expect.poll(() => look.getByRole('article').first().textContent()).toContain('boiler.temp')
  expect(await newest.getAttribute('title')).toMatch(/ UTC$/)
  await page.getByRole('link', { name: 'Explore' }).click()
  await page.getByRole('img', { name: 'boiler.temp over time' }).waitFor()
  await page.getByRole('button', { name: '★ Pinned' }).click()
  await page.getByRole('button', { name: '☆ Pin' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Key', { exact: true }).waitFor()
  expect(await page.evaluate(() => sessionStorage.getItem('tidemark.key'))).toBeNull()
})

test('an anonymous reader and a pusher each see what their rights allow', async () => {
  const page = await world.visit()
  await page.getByRole('button', { name: 'Look without a key' }).click()
  await page.getByText('You look without a key').waitFor()
  await page.getByRole('region', { name: 'Entities' }).getByRole('link', { name: 'plant' }).waitFor()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await signIn(page, pusherKey)
  await page.getByRole('heading', { name: 'Your access' }).waitFor()
  await expectSoundEverywhere(page)
})

test('on a phone the link of the open page is visible, and a rejected row is corrected without horizontal scrolling', async () => {
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

test('the page reports an unavailable service, and continues when it is back', async () => {
  const page = await world.enter()
  await page.getByText('Healthy').waitFor()
  await world.restart(async () => {
    await page.getByText('The service does not answer.').waitFor()
  })
  await page.getByText('The service does not answer.').waitFor({ state: 'detached' })
  await page.getByText('Healthy').waitFor()
})
