// Tags are found, drawn, looked at closer, followed live, saved, and shared by their address.
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callWell, makeIngest, makeReader } from '../support/api.ts'
import { adminKey } from '../support/server-process.ts'
import { expectSound, expectSoundEverywhere, openWorld, signIn, type World } from './support/portal.ts'

const hostile = '<script>alert(1)</script> "\' مرحبا 🌊'
const startMs = Date.UTC(2026, 0, 1)
let world: World
let pusherKey: string
let readerKey: string

beforeAll(async () => {
  world = await openWorld()
  const { url } = world.server
  pusherKey = await makeIngest(url, adminKey, { alias: 'plant' })
  const tags = ['boiler.level', 'boiler.temp', 'pump.flow', hostile]
  const rows = Array.from({ length: 1440 }, (_, minute) =>
    tags.map((T, place) => ({
      D: new Date(startMs + minute * 60_000).toISOString(),
      T,
      V: 40 + 20 * place + 10 * Math.sin(minute / (120 + 40 * place)) + Math.sin(minute * 1.7) / 2,
    })),
  ).flat()
  await callWell(url, 'POST', '/ingests/plant/data?wait=true', { key: pusherKey, body: rows })
  readerKey = await makeReader(url, adminKey, ['plant'])
})
afterAll(() => world.close())

test('a reader finds tags by how they begin, draws them, looks closer and goes back', async () => {
  const page = await world.enter(readerKey)
  await page.getByRole('link', { name: 'Explore' }).click()
  await page.getByText('Choose a tag').waitFor()
  await page.getByRole('searchbox', { name: 'Tags' }).fill('boiler')
  await page.getByRole('button', { name: 'pump.flow' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'boiler.level' }).click()
  await page.getByRole('button', { name: 'boiler.temp' }).click()
  await page.getByRole('searchbox', { name: 'Tags' }).fill('')
  await page.getByRole('button', { name: hostile }).click()
  await page.getByText('Averages, every five minutes').waitFor()
  await page.getByRole('button', { name: `left axis: ${hostile}` }).click()
  await page.getByText('864 rows').or(page.getByText('867 rows')).waitFor()
  await expectSoundEverywhere(page)

  const chart = page.getByRole('img', { name: /over time$/ })
  const box = (await chart.boundingBox())!
  await page.mouse.move(box.x + box.width * 0.4, box.y + 100)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.5, box.y + 120, { steps: 4 })
  await page.mouse.up()
  await page.getByText('Averages, every minute').waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByText('Averages, every five minutes').waitFor()

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as CSV' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).split('\r\n')
  expect(lines[0]).toBe('D,T,V')
  await page.getByText(`${lines.length - 2} rows,`).waitFor()
  expect(download.suggestedFilename()).toMatch(/^plant boiler.level boiler.temp .* average .* to .*\.csv$/)
  await page.getByRole('button', { name: 'Request…' }).click()
  for (const name of ['Copy command', 'Copy address']) {
    await page.getByRole('button', { name }).click()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toContain('/consumer/data/average')
    expect(copied).not.toContain(readerKey)
  }
  const copiedAddress = await page.evaluate(() => navigator.clipboard.readText())
  const fetched = await fetch(copiedAddress, { headers: { authorization: `Basic ${btoa(`any:${readerKey}`)}` } })
  expect(await fetched.text()).toBe(lines.join('\r\n'))
  await page.getByRole('button', { name: 'Close' }).click()

  const address = page.url()
  expect(address).not.toContain(readerKey)
  const other = await world.visit()
  await other.goto(address)
  await other.reload()
  await signIn(other, readerKey)
  await other.getByText('Averages, every five minutes').waitFor()
  await other.getByRole('img', { name: /boiler.level, boiler.temp/ }).waitFor()
})

test('raw items, the state at each tick and the newest items are shown', async () => {
  const page = await world.enter()
  await page.goto(
    `${world.server.url}/portal#/explore?entity=plant&tag=boiler.temp&from=2026-01-01T00:00&to=2026-01-01T00:30`,
  )
  await page.getByText('31 rows').waitFor()
  await page.getByLabel('Show', { exact: true }).selectOption('select')
  await page.getByRole('heading', { name: /^Items/ }).waitFor()
  await page.getByLabel('Show', { exact: true }).selectOption('snap')
  await page.getByRole('heading', { name: /^State, every/ }).waitFor()
  await page.getByLabel('Show', { exact: true }).selectOption('latest')
  await page.getByRole('heading', { name: /^Newest items/ }).waitFor()
  await page.getByRole('cell', { name: '2026-01-01 23:59:00' }).waitFor()
  await page.getByLabel('From, UTC').fill('no date')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page.getByText('The range cannot be read').waitFor()
  await expectSound(page)
})

/** In which share of a chart's columns, from one part of its width to another, a line of this colour is drawn. */
function drawnShare(page: Page, colour: readonly [number, number, number], from: number, to: number): Promise<number> {
  return page.evaluate(
    ({ colour, from, to }) => {
      const canvas = document.querySelector<HTMLCanvasElement>('.chart canvas')!
      const plot = document.querySelector('.chart .u-over')!.getBoundingClientRect()
      const left = plot.left - canvas.getBoundingClientRect().left
      const [first, last] = [Math.round(left + plot.width * from), Math.round(left + plot.width * to)]
      const { data, width, height } = canvas.getContext('2d')!.getImageData(first, 0, last - first, canvas.height)
      const isDrawn = (x: number): boolean =>
        Array.from({ length: height }, (_, y) => (y * width + x) * 4).some(
          (at) => data[at + 3]! > 100 && colour.every((part, place) => Math.abs(data[at + place]! - part) < 40),
        )
      return Array.from({ length: width }, (_, x) => isDrawn(x)).filter(Boolean).length / width
    },
    { colour, from, to },
  )
}

const firstColour = [11, 110, 133] as const
const secondColour = [192, 90, 18] as const

test('readings of any size and spacing are drawn, each tag with its own gaps', async () => {
  const { url } = world.server
  const body = Array.from({ length: 3 * 1440 }, (_, minute) => {
    const D = new Date(startMs + minute * 60_000).toISOString()
    const lost = minute >= 1440 && minute < 2880
    return [
      ...(lost ? [] : [{ D, T: 'gap.each.minute', V: (1 + Math.sin(minute / 300)) / 3 }]),
      ...(minute % 120 === 0 ? [{ D, T: 'gap.each.two.hours', V: 1 + Math.cos(minute / 300) / 3 }] : []),
    ]
  }).flat()
  await callWell(url, 'POST', '/ingests/plant/data?wait=true', { key: pusherKey, body })
  const page = await world.enter()
  const range = 'from=2026-01-01T00:00&to=2026-01-04T00:00'
  await page.goto(`${url}/portal#/explore?entity=plant&tag=gap.each.minute&tag=gap.each.two.hours&${range}`)
  await page.getByRole('img', { name: 'gap.each.minute, gap.each.two.hours over time' }).waitFor()
  await expect.poll(() => drawnShare(page, secondColour, 0.02, 0.95)).toBeGreaterThan(0.95)
  expect(await drawnShare(page, firstColour, 0.02, 0.32)).toBeGreaterThan(0.95)
  expect(await drawnShare(page, firstColour, 0.35, 0.65)).toBe(0)
  await page.locator('.tag-choice', { hasText: 'gap.each.two.hours' }).click()
  await page.getByRole('img', { name: 'gap.each.minute over time' }).waitFor()
  await expect.poll(() => drawnShare(page, firstColour, 0.02, 0.32)).toBeGreaterThan(0.95)
  expect(await drawnShare(page, firstColour, 0.35, 0.65)).toBe(0)
  await expectSound(page)
})

test('an error stands in place of what it is about, and for that tag alone', async () => {
  const page = await world.enter()
  let refused = 'pump.flow'
  await page.route('**/consumer/data/average', async (route) => {
    const { ids } = route.request().postDataJSON() as { ids: string[] }
    if (!ids.includes(refused)) return route.continue()
    const problem = { status: 400, code: 'invalid_request', detail: `${refused} cannot be had.`, retryable: false }
    await route.fulfill({ status: 400, contentType: 'application/problem+json', body: JSON.stringify(problem) })
  })
  const range = 'from=2026-01-01T00:00&to=2026-01-02T00:00'
  await page.goto(`${world.server.url}/portal#/explore?entity=plant&tag=boiler.temp&tag=pump.flow&${range}`)
  await page.getByRole('alert').getByText('pump.flow: pump.flow cannot be had.').waitFor()
  await page.getByRole('img', { name: 'boiler.temp over time' }).waitFor()
  await page.getByText('288 rows').waitFor()
  await expectSound(page)

  refused = 'boiler.temp'
  await page.locator('.tag-choice', { hasText: 'pump.flow' }).click()
  await page.getByRole('alert').getByText('boiler.temp cannot be had.').waitFor()
  await page.getByRole('img', { name: /over time/ }).waitFor({ state: 'detached' })
  expect(await page.getByRole('region', { name: 'Items' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Save as CSV' }).count()).toBe(0)
  refused = ''
  await page.locator('.tag-choice', { hasText: 'boiler.level' }).click()
  await page.getByText('576 rows').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('what was asked for before is dimmed while the next is asked for, and gone when that is stopped', async () => {
  const page = await world.enter()
  await page.goto(
    `${world.server.url}/portal#/explore?entity=plant&tag=boiler.temp&from=2026-01-01T00:00&to=2026-01-01T00:30`,
  )
  await page.getByText('31 rows').waitFor()
  await page.route('**/consumer/data/select', () => undefined)
  await page.getByLabel('Show', { exact: true }).selectOption('select')
  await page.locator('.stale').getByRole('img', { name: 'boiler.temp over time' }).waitFor()
  expect(await page.getByRole('button', { name: 'Save as CSV' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('heading', { name: 'Stopped' }).waitFor()
  expect(await page.getByRole('img', { name: /over time/ }).count()).toBe(0)
  await expectSound(page)
  await page.unroute('**/consumer/data/select')
  await page.getByRole('button', { name: 'Ask again' }).click()
  await page.getByText('31 rows').waitFor()
})

test('live, what is pushed appears', async () => {
  const page = await world.enter()
  await page.goto(`${world.server.url}/portal#/explore?entity=plant&tag=live.tag&range=PT15M&how=select&live=1`)
  await page.getByText('No items in this range').waitFor()
  const push = (value: number): Promise<unknown> =>
    callWell(world.server.url, 'POST', '/ingests/plant/data', {
      key: pusherKey,
      body: { D: new Date().toISOString(), T: 'live.tag', V: value },
    })
  await push(1)
  await page.getByText('1 row,').waitFor()
  await push(7)
  await page.getByText('2 rows,').waitFor()
  await page.getByRole('cell', { name: '7', exact: true }).waitFor()
})

test('of an entity with several tags each combination is a line, or one of the tags alone', async () => {
  const { url } = world.server
  const field = (name: string, type: string, role: string): object => ({ name, type, role })
  const fields = [
    field('time', 'timestamp', 'time'),
    field('site', 'string', 'tag'),
    field('sensor', 'string', 'tag'),
    field('value', 'double', 'metric'),
    field('on', 'boolean', 'metric'),
  ]
  const key = await makeIngest(url, adminKey, { alias: 'wells', fields })
  const rows = ['flow', 'temp'].map((sensor, place) => ({
    time: '2026-01-01T08:00Z',
    site: 'north',
    sensor,
    value: 10 + place,
    on: place === 0,
  }))
  await callWell(url, 'POST', '/ingests/wells/data?wait=true', { key, body: rows })
  const page = await world.enter()
  await page.goto(`${url}/portal#/explore?entity=wells&tag=north&from=2026-01-01T00:00&to=2026-01-02T00:00`)
  await page.getByRole('img', { name: 'north / flow, north / temp over time' }).waitFor()
  await page.getByText('2 rows').waitFor()
  await page.getByLabel('A line for each').selectOption('site alone')
  await page.getByRole('img', { name: 'north over time' }).waitFor()
  await page.getByText('1 row,').waitFor()
  await page.getByRole('cell', { name: '10.5' }).waitFor()
  await page.getByLabel('A line for each').selectOption('sensor alone')
  await page.getByText('Choose a tag').waitFor()
  await page.getByRole('button', { name: 'temp' }).click()
  await page.getByRole('img', { name: 'temp over time' }).waitFor()
  // A field of which there are no averages is left out of them.
  await page.getByLabel('Show', { exact: true }).selectOption('select')
  await page.getByRole('checkbox', { name: 'on' }).check()
  await page.getByRole('img', { name: 'temp · value, temp · on over time' }).waitFor()
  await page.getByLabel('Show', { exact: true }).selectOption('average')
  await page.getByRole('img', { name: 'temp over time' }).waitFor()
  await expectSound(page)
})
