// Tags are searched, drawn, zoomed, followed live, saved, and shared by URL.
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { drawnFields } from '../../portal/src/pages/explore/drawn-fields.ts'
import { linesOf } from '../../portal/src/pages/explore/lines.ts'
import { questionOf } from '../../portal/src/pages/explore/question.ts'
import { viewOf } from '../../portal/src/pages/explore/view.ts'
import { readRows } from '../../portal/src/parts/rows-stream.ts'
import { callOk, makeIngest, makeReader } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { adminKey } from '../support/server-process.ts'
import { expectSound, expectSoundEverywhere, openWorld, signIn, type World } from './support/portal.ts'

const hostile = '<script>alert(1)</script> "\' مرحبا 🌊'
const startMs = Date.UTC(2026, 0, 1)
const field = (name: string, type: string, role: string): object => ({ name, type, role })
/** Pages are slow to update on a busy machine. */
const patience = { timeout: 45_000 }
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
  await callOk(url, 'POST', '/ingests/plant/data?wait=true', { key: pusherKey, body: rows })
  readerKey = await makeReader(url, adminKey, ['plant'])
})
afterAll(() => world.close())

test('a reader finds tags, plots them, zooms in and goes back', async () => {
  const page = await world.enter(readerKey)
  await page.getByRole('link', { name: 'Explore' }).click()
  // The page starts with the freshest tags.
  const chosen = page.locator('.tag-choice[aria-pressed="true"]')
  await page.getByRole('img', { name: `${hostile}, boiler.level, boiler.temp over time` }).waitFor()
  for (let left = 3; left > 0; left--) {
    await chosen.first().click()
    await chosen.nth(left - 1).waitFor({ state: 'detached' })
  }
  await page.getByText('Choose a tag').waitFor()
  // A deselected tag keeps its place and the focus.
  expect(await page.evaluate(() => document.activeElement?.className)).toBe('tag-choice')
  await page.getByRole('searchbox', { name: 'Tags' }).fill('BOIL')
  await page.getByRole('button', { name: 'pump.flow' }).waitFor({ state: 'detached' })
  const level = page.getByRole('button', { name: 'boiler.level' })
  await level.focus()
  await page.keyboard.press('Enter')
  await chosen.getByText('boiler.level').waitFor()
  // The focus stays, so the next tag is one Tab away.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  // Meanwhile the previous chart, of three tags, is dimmed.
  await page.getByRole('img', { name: 'boiler.level, boiler.temp over time', exact: true }).waitFor()
  await page.getByRole('searchbox', { name: 'Tags' }).fill('alert')
  await page.keyboard.press('Enter')
  expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search')
  await page.getByRole('searchbox', { name: 'Tags' }).fill('')
  await page.getByRole('heading', { name: /^First, last, least and greatest item of each pixel/ }).waitFor()
  await page.getByRole('button', { name: `left axis: ${hostile}` }).click()
  await page.getByRole('button', { name: `right axis: ${hostile}` }).waitFor()
  // The legend is a table that sorts and hides lines.
  const legend = page.locator('.line-table')
  const names = (): Promise<string[]> => legend.locator('bdi').allTextContents()
  expect(await names()).toEqual([hostile, 'boiler.level', 'boiler.temp'])
  await legend.getByRole('button', { name: 'Greatest' }).click()
  await expect.poll(names, patience).toEqual([hostile, 'boiler.temp', 'boiler.level'])
  await legend.getByRole('button', { name: 'boiler.temp' }).first().click()
  await legend.locator('.off').getByText('boiler.temp').waitFor()
  await legend.getByRole('button', { name: 'boiler.temp' }).first().click()
  await legend.locator('.off').waitFor({ state: 'detached' })
  await expectSoundEverywhere(page)

  const chart = page.getByRole('img', { name: /over time$/ })
  const box = (await chart.boundingBox())!
  await page.mouse.move(box.x + box.width * 0.4, box.y + 100)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.5, box.y + 120, { steps: 4 })
  await page.mouse.up()
  await page.getByRole('heading', { name: /^Every item/ }).waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('heading', { name: /^First, last/ }).waitFor()
  // Zooming also works with keys, the wheel and a double click; each is a step for Back.
  const hours = async (): Promise<readonly number[]> => {
    const query = new URLSearchParams(page.url().split('?')[1])
    return ['from', 'to'].map((name) => (Date.parse(query.get(name) ?? '') - startMs) / 3_600_000)
  }
  const [from, to] = (await hours()) as [number, number]
  await page.getByRole('button', { name: 'Zoom in' }).press('Enter')
  await expect.poll(async () => (await hours())[1], patience).toBeCloseTo(to - (to - from) / 4, 3)
  await page.getByRole('button', { name: 'Earlier' }).press('Enter')
  await expect.poll(async () => (await hours())[0], patience).toBeCloseTo(from, 3)
  await chart.waitFor()
  await page.mouse.move(box.x + box.width * 0.5, box.y + 100)
  await page.keyboard.down('Control')
  await page.mouse.wheel(0, -300)
  await page.keyboard.up('Control')
  await expect.poll(async () => (await hours())[0], patience).toBeGreaterThan(from + 0.1)
  const left = await hours()
  await chart.dblclick({ position: { x: box.width * 0.5, y: 100 } })
  await expect.poll(async () => (await hours())[0], patience).toBeLessThan(left[0]!)
  for (let steps = 4; steps > 0; steps--) {
    const before = page.url()
    await page.getByRole('button', { name: 'Back' }).click()
    await expect.poll(() => page.url(), patience).not.toBe(before)
  }
  expect(await hours()).toEqual([from, to])
  await page.getByRole('heading', { name: /^First, last/ }).waitFor()

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as CSV' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).split('\r\n')
  expect(lines[0]).toBe('D,T,V')
  await page.getByText(`${(lines.length - 2).toLocaleString('en-US')} rows,`).waitFor()
  expect(download.suggestedFilename()).toMatch(/^plant boiler.level boiler.temp .* auto .* to .*\.csv$/)
  // For a spreadsheet with decimal commas.
  await page.getByRole('button', { name: 'Download…' }).click()
  await page.getByRole('combobox', { name: 'Rows' }).selectOption('wide')
  await page.getByRole('combobox', { name: 'Times' }).selectOption('clock')
  await page.getByRole('combobox', { name: 'Numbers' }).selectOption(',')
  const [wide] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save', exact: true }).click(),
  ])
  const [wideHead, , wideRow] = (await readFile(await wide.path(), 'utf8')).split('\r\n')
  expect(wideHead).toBe(`\uFEFFD;"${hostile.replaceAll('"', '""')}";boiler.level;boiler.temp`)
  expect(wideRow).toMatch(/^2026-01-0\d \d\d:\d\d:\d\d(;(\d+,\d+)?){3}$/)
  await page.getByRole('button', { name: 'Request…' }).click()
  await page.getByRole('button', { name: 'Copy line' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^pd.read_csv\("http.*parse_dates=\["D"\]/)
  for (const name of ['Copy command', 'Copy address']) {
    await page.getByRole('button', { name }).click()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toContain('/consumer/data/plot')
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
  await other.getByRole('heading', { name: /^First, last/ }).waitFor()
  await other.getByRole('img', { name: /boiler.level, boiler.temp/ }).waitFor()
})

test('a chart is compared with an earlier time, on an axis with limits; Back does not leave the site', async () => {
  const page = await world.visit()
  // As when following a link from another site.
  await page.goto('about:blank')
  const range = 'from=2026-01-01T06:00:00.000Z&to=2026-01-01T12:00:00.000Z&zone=UTC'
  await page.goto(`${world.server.url}/portal#/explore?entity=plant&tag=boiler.level&field=V&${range}&shift=PT1H`)
  await signIn(page, readerKey)
  await page.getByRole('img', { name: 'boiler.level, boiler.level (an hour before) over time' }).waitFor()
  expect(await page.getByRole('button', { name: 'Back' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await expect.poll(() => page.url(), patience).not.toContain('T06')
  await page.getByRole('img', { name: 'boiler.level, boiler.level (an hour before) over time' }).waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await expect.poll(() => page.url(), patience).toContain('T06')
  expect(await page.getByRole('button', { name: 'Back' }).isDisabled()).toBe(true)
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption('')
  await page.getByRole('img', { name: 'boiler.level over time' }).waitFor()
  await page.getByText('Axis at the left').click()
  await page.getByRole('checkbox', { name: 'Logarithmic' }).check()
  await page.getByRole('textbox', { name: 'Least' }).fill('0')
  await page.getByText('Least: a logarithmic axis needs numbers above zero.').waitFor()
  await page.getByRole('textbox', { name: 'Least' }).fill('1')
  await page.getByRole('textbox', { name: 'Greatest' }).fill('1000')
  await expect.poll(() => page.url(), patience).toContain('least=1&greatest=1000&log=1')
  expect(await page.locator('.axis-choice .fault').count()).toBe(0)
  await expectSoundEverywhere(page)
})

test('on a phone two fingers zoom, and the list of tags is a sheet at the bottom', async () => {
  const page = await world.enter(readerKey, { width: 390 })
  const range = 'from=2026-01-01T06:00:00.000Z&to=2026-01-01T12:00:00.000Z&zone=UTC'
  await page.goto(`${world.server.url}/portal#/explore?entity=plant&tag=boiler.level&field=V&${range}`)
  const chart = page.getByRole('img', { name: 'boiler.level over time' })
  const over = chart.locator('.u-over')
  await over.waitFor()
  // The chart is visible without scrolling.
  expect((await over.boundingBox())!.y).toBeLessThan(600)
  await over.evaluate((target) => {
    const { left, width } = target.getBoundingClientRect()
    const fingers = (type: string, from: number, to: number): void => {
      const touches = [from, to].map(
        (share, identifier) => new Touch({ identifier, target, clientX: left + share * width, clientY: 300 }),
      )
      target.dispatchEvent(new TouchEvent(type, { touches: type === 'touchend' ? [] : touches, cancelable: true }))
    }
    fingers('touchstart', 0.4, 0.6)
    fingers('touchmove', 0.2, 0.8)
    fingers('touchend', 0, 0)
  })
  const hours = (): number => {
    const query = new URLSearchParams(page.url().split('?')[1])
    return (Date.parse(query.get('to')!) - Date.parse(query.get('from')!)) / 3_600_000
  }
  await expect.poll(hours, patience).toBeCloseTo(2, 1)
  await page.locator('.explore-what > summary').click()
  await page.getByRole('button', { name: 'boiler.temp' }).first().click()
  await page.locator('.explore-what > summary').click()
  await page.getByRole('img', { name: 'boiler.level, boiler.temp over time' }).waitFor()
  await expectSound(page)
})

test('a very long tag leaves space for its values and for the arrow of the sheet', async () => {
  const { url } = world.server
  const key = await makeIngest(url, adminKey, { alias: 'long' })
  const T = 'building.wing.room.'.repeat(16).slice(0, 300)
  await callOk(url, 'POST', '/ingests/long/data?wait=true', {
    key,
    body: [{ D: '2026-01-01T06:00:00.000Z', T, V: 7 }],
  })
  const range = 'from=2026-01-01T00:00&to=2026-01-02T00:00&zone=UTC'
  for (const width of [1280, 390]) {
    const page = await world.enter(adminKey, { width })
    await page.goto(`${url}/portal#/explore?entity=long&tag=${T}&field=V&${range}`)
    const items = page.getByRole('region', { name: 'Items' })
    const value = (await items.getByRole('cell', { name: '7', exact: true }).boundingBox())!
    const room = (await items.boundingBox())!
    expect(value.x + value.width).toBeLessThanOrEqual(room.x + room.width)
    expect(await items.getByTitle(T).count()).toBe(1)
    const summary = page.locator('.explore-what > summary')
    expect(await summary.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    expect(await summary.getByTitle(T).count()).toBe(1)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
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

test('tags are found by any part of their name or metadata, and Explore reopens with the last chart', async () => {
  const { url } = world.server
  const fields = [
    field('id', 'string', 'index'),
    field('description', 'string', 'attribute'),
    field('unit', 'string', 'attribute'),
  ]
  const key = await makeIngest(url, adminKey, { alias: 'labels', kind: 'metadata', fields })
  const body = [{ id: 'pump.flow', description: 'Feed water flow', unit: 'm³/h' }]
  await callOk(url, 'POST', '/ingests/labels/data?wait=true', { key, body })
  const page = await world.enter()
  const day = 'from=2026-01-01T00:00&to=2026-01-02T00:00'
  await page.goto(`${url}/portal#/explore?entity=plant&tag=boiler.temp&${day}`)
  const search = page.getByRole('searchbox', { name: 'Tags' })
  await search.fill('water m³')
  await page.getByRole('button', { name: 'pump.flow Feed water flow · m³/h' }).click()
  await page.getByRole('img', { name: 'boiler.temp, pump.flow over time' }).waitFor()
  await search.fill('.level')
  await page.keyboard.press('Enter')
  await page.getByRole('img', { name: 'boiler.level, boiler.temp, pump.flow over time' }).waitFor()
  await expectSoundEverywhere(page)
  await page.getByRole('link', { name: 'SQL' }).click()
  await page.getByRole('link', { name: 'Explore' }).click()
  await page.getByRole('img', { name: 'boiler.level, boiler.temp, pump.flow over time' }).waitFor()
  expect(page.url()).toContain('tag=pump.flow')
})

test('each unit has its own axis, and a line can be moved to another axis', async () => {
  const { url } = world.server
  const fields = [field('id', 'string', 'index'), field('unit', 'string', 'attribute')]
  const key = await makeIngest(url, adminKey, { alias: 'units', kind: 'metadata', fields })
  const body = [
    { id: 'boiler.level', unit: '%' },
    { id: 'boiler.temp', unit: '°C' },
    { id: 'pump.flow', unit: 'm³/h' },
  ]
  await callOk(url, 'POST', '/ingests/units/data?wait=true', { key, body })
  const series = [field('D', 'timestamp', 'time'), field('T', 'string', 'tag')]
  const metrics = [field('V', 'double', 'metric'), field('B', 'boolean', 'metric')]
  const heaters = await makeIngest(url, adminKey, { alias: 'heaters', fields: [...series, ...metrics] })
  const rows = [{ D: '2026-01-01T06:00:00.000Z', T: 'boiler.temp', V: 50, B: true }]
  await callOk(url, 'POST', '/ingests/heaters/data?wait=true', { key: heaters, body: rows })
  const page = await world.enter()
  const tags = 'tag=boiler.level&tag=boiler.temp&tag=pump.flow'
  await page.goto(`${url}/portal#/explore?entity=plant&${tags}&from=2026-01-01T00:00&to=2026-01-02T00:00&zone=UTC`)
  const legend = page.locator('.line-table')
  const sides = (): Promise<string[]> => legend.locator('td:last-child').allTextContents()
  await expect.poll(sides, patience).toEqual(['left', 'right', 'left'])
  // Including the time axis.
  const axes = page.locator('.chart .u-axis')
  await expect.poll(() => axes.count(), patience).toBe(4)
  // Each line fills the height of the chart, though one has values twice as large as another's.
  for (const colour of [firstColour, secondColour]) {
    await expect.poll(() => drawnHeight(page, colour, 0.02, 0.98), patience).toBeGreaterThan(0.85)
  }
  await legend.getByRole('button', { name: 'left axis: boiler.level' }).press('Enter')
  await expect.poll(sides, patience).toEqual(['right', 'left', 'right'])
  // The setting applies to the left axis, and so to the line that remains there.
  await page.getByText('Axis at the left').click()
  await page.getByRole('textbox', { name: 'Greatest' }).fill('1000')
  await expect.poll(() => drawnHeight(page, secondColour, 0.02, 0.98), patience).toBeLessThan(0.3)
  expect(await drawnHeight(page, firstColour, 0.02, 0.98)).toBeGreaterThan(0.85)
  await legend.getByRole('button', { name: 'pump.flow' }).first().press('Enter')
  await expect.poll(() => axes.count(), patience).toBe(3)
  await expectSoundEverywhere(page)
  // A phone has space for two axes.
  const desk = page.viewportSize()!
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(`${url}/portal#/explore?entity=plant&${tags}&from=2026-01-01T00:00&to=2026-01-01T23:00&zone=UTC`)
  await page.reload()
  await expect.poll(sides, patience).toEqual(['left', 'right', 'not shown'])
  await legend.getByRole('button', { name: 'axis not shown: pump.flow' }).waitFor()
  await page.setViewportSize(desk)
  // A switch drawn together with a tag's numbers does not have their unit.
  const range = 'from=2026-01-01T00:00&to=2026-01-02T00:00&zone=UTC'
  await page.goto(`${url}/portal#/explore?entity=heaters&tag=boiler.temp&field=V&field=B&${range}`)
  await expect
    .poll(() => page.locator('.line-table td:nth-child(2)').allTextContents(), patience)
    .toEqual(['50 °C', '1'])
})

test('two cursors, set by keys and by clicks, show the distance between items and between values', async () => {
  const page = await world.enter(readerKey)
  const range = 'from=2026-01-01T06:00:00.000Z&to=2026-01-01T12:00:00.000Z&zone=UTC'
  await page.goto(`${world.server.url}/portal#/explore?entity=plant&tag=boiler.level&field=V&${range}`)
  await page.getByRole('heading', { name: /^Every item/ }).waitFor()
  const cursors = page.getByRole('group', { name: 'Cursors' })
  await cursors.getByRole('button', { name: 'Two cursors' }).press('Enter')
  const [a, b] = [cursors.getByRole('slider', { name: 'Cursor A' }), cursors.getByRole('slider', { name: 'Cursor B' })]
  await a.press('Home')
  await a.press('ArrowRight')
  await b.press('End')
  await cursors.getByText('B − A: 5 h 59 min').waitFor()
  expect(await a.getAttribute('aria-valuetext')).toBe('2026-01-01 06:01:00')
  const level = (minute: number): number => 40 + 10 * Math.sin(minute / 120) + Math.sin(minute * 1.7) / 2
  const text = (value: number): string => value.toLocaleString('en-US', { maximumSignificantDigits: 6 })
  const shown = (): Promise<string[]> => page.locator('.line-row td:nth-child(n+5):nth-child(-n+7)').allTextContents()
  const expected = (from: number, to: number): string[] => [level(from), level(to), level(to) - level(from)].map(text)
  expect(await shown()).toEqual(expected(361, 720))
  const over = page.locator('.chart .u-over')
  const { width } = (await over.boundingBox())!
  await over.click({ position: { x: width / 6, y: 50 } })
  await over.click({ position: { x: width / 2, y: 50 } })
  await cursors.getByText('B − A: 2 h', { exact: true }).waitFor()
  expect(await shown()).toEqual(expected(420, 540))
  await expect.poll(() => drawnHeight(page, textColour, 0.49, 0.51), patience).toBeGreaterThan(0.95)
  await expectSoundEverywhere(page)
  // The cursors move with the range, and can be closed.
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await expect.poll(() => a.getAttribute('aria-valuetext'), patience).toBe('2026-01-01 07:30:00')
  await cursors.getByRole('button', { name: 'Two cursors' }).click()
  await a.waitFor({ state: 'detached' })
})

test('at two cursors each line shows an item with its time, or a mean marked as a mean', async () => {
  const { url } = world.server
  const row = (T: string, minute: number, V: number) => ({ D: new Date(startMs + minute * 60_000).toISOString(), T, V })
  const body = [
    row('odd.a', 0, 1),
    row('odd.a', 60, 2),
    row('odd.a', 120, 4),
    row('odd.b', 20, 10),
    row('odd.b', 80, 30),
  ]
  await callOk(url, 'POST', '/ingests/plant/data?wait=true', { key: pusherKey, body })
  const page = await world.enter(readerKey)
  const shown = 'tag=odd.a&tag=odd.b&field=V&from=2026-01-01T00:00&to=2026-01-01T03:00&zone=UTC'
  await page.goto(`${url}/portal#/explore?entity=plant&${shown}`)
  const cursors = page.getByRole('group', { name: 'Cursors' })
  await cursors.getByRole('button', { name: 'Two cursors' }).press('Enter')
  const [a, b] = [cursors.getByRole('slider', { name: 'Cursor A' }), cursors.getByRole('slider', { name: 'Cursor B' })]
  await a.press('Home')
  await a.press('ArrowRight')
  await b.press('Home')
  await b.press('ArrowRight')
  await b.press('ArrowRight')
  await cursors.getByText('B − A: 40 min').waitFor()
  const cells = page.locator('.line-row td:nth-child(n+5):nth-child(-n+7)')
  await expect
    .poll(() => cells.allTextContents(), patience)
    .toEqual(['12026-01-01 00:00:00', '2', '1', '10', '302026-01-01 01:20:00', '20'])
  await page.getByLabel('Show', { exact: true }).selectOption('average')
  await cursors.getByText(/^A and B show means of items, every/).waitFor()
  await expectSound(page)
})

test('the strip of the whole range has a window that keys and the pointer move', async () => {
  const page = await world.enter(readerKey)
  let asked = 0
  page.on('request', (request) => {
    if (request.url().includes('/consumer/data/aggregate')) asked += 1
  })
  const range = 'from=2026-01-01T06:00:00.000Z&to=2026-01-01T12:00:00.000Z&zone=UTC'
  await page.goto(`${world.server.url}/portal#/explore?entity=plant&tag=boiler.level&tag=boiler.temp&field=V&${range}`)
  const strip = page.locator('.strip')
  await expect.poll(() => strip.locator('polygon').count(), patience).toBe(2)
  const shown = strip.getByRole('slider', { name: 'Shown window of the whole range' })
  const hours = (): number[] => {
    const query = new URLSearchParams(page.url().split('?')[1])
    return ['from', 'to'].map((name) => (Date.parse(query.get(name)!) - startMs) / 3_600_000)
  }
  await shown.press('End')
  await expect.poll(hours, patience).toEqual([17 + 59 / 60, 23 + 59 / 60])
  await shown.press('Home')
  await expect.poll(hours, patience).toEqual([0, 6])
  await shown.press('PageUp')
  await expect.poll(hours, patience).toEqual([6, 12])
  await shown.press('ArrowLeft')
  await expect.poll(hours, patience).toEqual([4.5, 10.5])
  expect(await shown.getAttribute('aria-valuetext')).toBe('2026-01-01 04:30:00 to 2026-01-01 10:30:00')
  await page.getByRole('heading', { name: /^Every item/ }).waitFor()
  const { x, y, width } = (await strip.boundingBox())!
  const at = (hour: number): number => x + (width * hour) / 24
  await page.mouse.move(at(7), y + 20)
  await page.mouse.down()
  await page.mouse.move(at(16), y + 20, { steps: 4 })
  await page.mouse.up()
  await expect.poll(() => hours()[0], patience).toBeCloseTo(13.5, 0)
  // Outside of the window.
  await strip.click({ position: { x: at(4) - x, y: 20 } })
  await expect.poll(() => hours()[0], patience).toBeCloseTo(1, 0)
  await page.getByRole('button', { name: 'Back' }).click()
  await expect.poll(() => hours()[0], patience).toBeCloseTo(13.5, 0)
  await page.locator('.stale').waitFor({ state: 'detached' })
  // The data of the whole range are requested only once.
  expect(asked).toBe(1)
  await expectSoundEverywhere(page)
  await page.goto(
    `${world.server.url}/portal#/explore?entity=plant&tag=boiler.level&from=2026-02-01T00:00&to=2026-02-02T00:00`,
  )
  await page.getByText('No items in this range').waitFor()
  await shown.press('Home')
  await page.getByRole('img', { name: 'boiler.level over time' }).waitFor()
})

test('the strip plots the lines of the chart, and nothing for a field without numbers', async () => {
  const { url } = world.server
  const fields = [
    field('D', 'timestamp', 'time'),
    field('T', 'string', 'tag'),
    field('N', 'long', 'metric'),
    field('B', 'boolean', 'metric'),
  ]
  const key = await makeIngest(url, adminKey, { alias: 'meters', fields })
  const body = Array.from({ length: 720 }, (_, hour) =>
    ['big', 'small'].map((T) => ({
      D: new Date(startMs + hour * 3_600_000).toISOString(),
      T,
      N: hour === 83 ? 1000 : hour % 2,
      B: hour % 2 === 0,
    })),
  ).flat()
  await callOk(url, 'POST', '/ingests/meters/data?wait=true', { key, body })
  const page = await world.enter()
  const range = 'from=2026-01-01T00:00&to=2026-01-31T00:00&zone=UTC'
  await page.goto(`${url}/portal#/explore?entity=meters&tag=big&tag=small&field=N&${range}`)
  const areas = page.locator('.strip polygon')
  await expect.poll(() => areas.count(), patience).toBe(2)
  // The single large value, at 11:00 on the fourth day, is drawn at its own time.
  const [points = ''] = [await areas.first().getAttribute('points')]
  const peak = points!.split(' ').flatMap((point) => (point.endsWith(',1.0') ? [Number(point.split(',')[0])] : []))
  const [least, greatest] = [Math.min(...peak), Math.max(...peak)]
  expect(least).toBeLessThanOrEqual((1000 * 83) / 720)
  expect(greatest).toBeGreaterThan((1000 * 83) / 720)
  expect(greatest - least).toBeLessThan(5)
  await page.getByRole('checkbox', { name: 'B boolean' }).check()
  await page.getByRole('checkbox', { name: 'N long' }).uncheck()
  await page.locator('.tag-choice', { hasText: 'small' }).click()
  await page.getByRole('img', { name: 'big over time' }).waitFor()
  await expect.poll(() => areas.count(), patience).toBe(0)
  await page.getByRole('checkbox', { name: 'N long' }).check()
  await expect.poll(() => areas.count(), patience).toBe(1)
  await expectSound(page)
})

test('more than twenty lines become small charts, one for each tag', async () => {
  const { url } = world.server
  const key = await makeIngest(url, adminKey, { alias: 'rooms' })
  const rooms = Array.from({ length: 22 }, (_, room) => `room ${String(room).padStart(2, '0')}`)
  const body = Array.from({ length: 48 }, (_, half) =>
    rooms.map((T, room) => ({ D: new Date(startMs + half * 1_800_000).toISOString(), T, V: 100 * room + half })),
  ).flat()
  await callOk(url, 'POST', '/ingests/rooms/data?wait=true', { key, body })
  const page = await world.enter()
  const tags = rooms.map((room) => `tag=${encodeURIComponent(room)}`).join('&')
  const shown = `entity=rooms&field=V&from=2026-01-01T00:00&to=2026-01-02T00:00&zone=UTC&${tags}`
  await page.goto(`${url}/portal#/explore?${shown}`)
  const charts = page.locator('.small-charts section')
  await expect.poll(() => charts.count(), patience).toBe(22)
  await page.getByRole('img', { name: 'room 21 over time' }).waitFor()
  await page.getByRole('region', { name: 'room 21' }).getByText('2,147').waitFor()
  // Each line fills the height of its chart.
  await expect.poll(() => drawnHeight(page, firstColour, 0.02, 0.98), patience).toBeGreaterThan(0.85)
  await expectSoundEverywhere(page)
  // A view cannot have so many tags.
  await page.getByRole('button', { name: 'Save view…' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Rooms')
  await page.getByText('A part of a view has at most 20 tags, and these are 22.').waitFor()
  expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Cancel' }).click()
  // Selecting a time range in one chart applies to all.
  const over = charts.last().locator('.u-over')
  await over.scrollIntoViewIfNeeded()
  const box = (await over.boundingBox())!
  await page.mouse.move(box.x + box.width / 4, box.y + 20)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2, box.y + 20, { steps: 4 })
  await page.mouse.up()
  await expect.poll(() => page.url(), patience).toMatch(/from=2026-01-01T0[56].*to=2026-01-01T1[12]/)
  await page.getByRole('heading', { name: /^Every item/ }).waitFor()
  expect(await charts.count()).toBe(22)
  // Compared with an earlier time, and as bars.
  await page.goto(`${url}/portal#/explore?${shown}&shift=PT1H`)
  await page.getByRole('img', { name: 'room 21, room 21 (an hour before) over time' }).waitFor()
  await page.goto(`${url}/portal#/explore?${shown}&how=rise&granularity=six_hour`)
  await page.getByRole('heading', { name: /^Rise, every six hour/ }).waitFor()
  await expect.poll(() => drawnHeight(page, firstColour, 0.3, 0.9), patience).toBeGreaterThan(0.8)
  await page.locator('.tag-choice', { hasText: 'room 00' }).click()
  await page.locator('.tag-choice', { hasText: 'room 01' }).click()
  await page.getByRole('region', { name: 'Lines' }).waitFor()
  expect(await charts.count()).toBe(0)
  // Chosen tags are first in the list.
  await page.goto(`${url}/portal#/explore?${shown.split('&tag=')[0]}&tag=room%2011`)
  await expect.poll(() => page.locator('.tag-choice').first().textContent(), patience).toMatch(/^room 11/)
})

test('numbers of any size follow the locale of the browser', async () => {
  const { url } = world.server
  const key = await makeIngest(url, adminKey, { alias: 'sizes' })
  const sizes = { tiny: 1e-12, large: 9_007_199_254_740_992, huge: 1e300, meter: 126_199.25 }
  const body = Object.entries(sizes).flatMap(([T, size]) =>
    [1, 2, 3].map((factor) => ({
      D: `2026-01-01T0${factor}:00Z`,
      T,
      V: T === 'large' ? size + 2 * factor : size * factor,
    })),
  )
  await callOk(url, 'POST', '/ingests/sizes/data?wait=true', { key, body })
  const page = await world.enter(adminKey, { locale: 'de-DE' })
  const last = page.locator('.line-row strong')
  for (const [tag, shown] of [
    ['tiny', '3E-12'],
    ['large', '9,0072E15'],
    ['huge', '3E300'],
    ['meter', '378.598'],
  ] as const) {
    await page.goto(`${url}/portal#/explore?entity=sizes&tag=${tag}&from=2026-01-01T00:30&to=2026-01-01T03:30`)
    await page.getByRole('img', { name: `${tag} over time` }).waitFor()
    await expect.poll(() => last.textContent(), patience).toBe(shown)
    await expect.poll(() => drawnShare(page, firstColour, 0.2, 0.8), patience).toBeGreaterThan(0.95)
    // The labels of the axis.
    await expect.poll(() => inkAtAxis(page), patience).toBeGreaterThan(0)
  }
})

test('a single peak among a million rows is visible at every zoom level', async () => {
  const { url } = world.server
  const count = 1_000_000
  const peakAt = 543_210
  const pushed = 10_000
  for (let first = 0; first < count; first += pushed) {
    const body = Array.from({ length: pushed }, (_, place) => {
      const at = first + place
      return { D: new Date(startMs + at * 1000).toISOString(), T: 'spike', V: at === peakAt ? 950 : 25 + (at % 7) }
    })
    await callOk(url, 'POST', '/ingests/plant/data', { key: pusherKey, body })
  }
  await callOk(url, 'POST', '/ingests/plant/data?wait=true', {
    key: pusherKey,
    body: { D: new Date(startMs + count * 1000).toISOString(), T: 'spike', V: 25 },
  })
  const peakSecond = startMs / 1000 + peakAt
  const fields = [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'V', type: 'double', role: 'metric' },
  ] as const
  const view = viewOf(new URLSearchParams('entity=plant&tag=spike&field=V&zone=UTC'))
  for (const [seconds, pixels] of [1_000_000, 300_000, 50_000, 5000, 400, 20, 2].flatMap((seconds) =>
    [50, 650, 2000].map((pixels) => [seconds, pixels] as const),
  )) {
    const fromMs = Math.max(startMs, (peakSecond - seconds * 0.6) * 1000)
    const span = { fromMs, toMs: fromMs + seconds * 1000 }
    const { kind, request } = questionOf(view, span, pixels)
    const answer = await fetch(`${url}/consumer/data/${kind}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${readerKey}`,
        'content-type': 'application/json',
        accept: 'application/x-ndjson',
      },
      body: JSON.stringify(request),
    })
    const table = await readRows(answer.body as unknown as AsyncIterable<Uint8Array>, () => undefined)
    expect(table.rows.length).toBeLessThanOrEqual(4 * pixels)
    const columns = {
      time: 'D',
      tags: ['T'],
      fields: drawnFields({ fields: [...fields] }, { view, span, pixels, granularity: undefined }),
      untilSecond: span.toMs / 1000,
    }
    const [times, values] = linesOf(table, columns).data
    expect([seconds, pixels, values![times.indexOf(peakSecond)]]).toEqual([seconds, pixels, 950])
    // A line without gaps is drawn completely.
    expect(values!.includes(null)).toBe(false)
  }
  const page = await world.enter(readerKey)
  const to = new Date(startMs + count * 1000).toISOString()
  await page.goto(`${url}/portal#/explore?entity=plant&tag=spike&from=2026-01-01T00:00&to=${to}`)
  await page.getByRole('img', { name: 'spike over time' }).waitFor()
  await expect.poll(() => drawnHeight(page, firstColour, 0.53, 0.56), patience).toBeGreaterThan(0.85)
  expect(await drawnHeight(page, firstColour, 0.6, 0.95)).toBeLessThan(0.1)
})

test('times are shown, entered and queried in a named time zone', async () => {
  const { url } = world.server
  const key = await makeIngest(url, adminKey, { alias: 'zoned' })
  const body = Array.from({ length: 24 }, (_, hour) => {
    return { D: new Date(startMs + hour * 3_600_000).toISOString(), T: 'a', V: hour }
  })
  await callOk(url, 'POST', '/ingests/zoned/data?wait=true', { key, body })
  await callOk(url, 'PATCH', '/admin/entities/zoned', { key: adminKey, body: { time_zone: 'Europe/Madrid' } })
  const page = await world.enter(adminKey, { zone: 'America/New_York' })
  await page.goto(`${url}/portal#/explore?entity=zoned&tag=a&how=average&granularity=day`)
  await page.getByLabel('Time zone').waitFor()
  expect(await page.getByLabel('Time zone').inputValue()).toBe('Europe/Madrid')
  await page.getByLabel('From, Europe/Madrid').fill('1.1.2026')
  await page.getByLabel('To, Europe/Madrid').fill('2026-01-02 12:00')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page.getByText('2 rows').waitFor()
  await page.getByText('Times are in Europe/Madrid, UTC+01:00.').waitFor()
  await page.getByText('The last bucket is not whole: dashed.').waitFor()
  await page.getByRole('cell', { name: '2026-01-01 00:00:00' }).waitFor()
  await page.getByRole('button', { name: 'Request…' }).click()
  const asked = await page.locator('pre.code').first().textContent()
  expect(asked).toContain('start_date=2025-12-31T23:00:00.000Z')
  expect(asked).toContain('time_zone=Europe/Madrid')
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByLabel('Time zone').selectOption('America/New_York')
  await expect.poll(() => page.getByLabel('From, America/New_York').inputValue(), patience).toBe('2025-12-31 18:00')
  await page.getByText('The first bucket is not whole: dashed.').waitFor()
  await page.getByRole('cell', { name: '2025-12-31 00:00:00' }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1280)
  // Also with the browser's date picker, in the same zone.
  await page.getByRole('button', { name: 'Calendar' }).press('Enter')
  const calendar = page.getByRole('dialog', { name: 'Choose a range' })
  await calendar.getByText('Both in the time zone America/New_York.').waitFor()
  expect(await calendar.getByLabel('First').inputValue()).toBe('2025-12-31T18:00')
  await calendar.getByLabel('First').fill('2026-01-01T06:30')
  await calendar.getByLabel('Last').fill('2026-01-01T06:00')
  await page.keyboard.press('Enter')
  // A range that ends before it begins is not accepted.
  await calendar.waitFor()
  await calendar.getByLabel('Last').fill('2026-01-01T12:00:30')
  await expectSoundEverywhere(page)
  await page.keyboard.press('Enter')
  await calendar.waitFor({ state: 'detached' })
  await expect.poll(() => page.url(), patience).toContain('from=2026-01-01T11%3A30%3A00.000Z')
  expect(page.url()).toContain('to=2026-01-01T17%3A00%3A30.000Z')
  await expect.poll(() => page.getByLabel('To, America/New_York').inputValue(), patience).toBe('2026-01-01 12:00:30')
  // An empty range shows where the nearest items are.
  await page.getByLabel('From, America/New_York').fill('2026-02-01')
  await page.getByLabel('To, America/New_York').fill('2026-02-02')
  await page.getByLabel('Show', { exact: true }).selectOption('auto')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page.getByText('The nearest items of these tags are at 2026-01-01 18:00:00.').waitFor()
  await page.getByLabel('From, America/New_York').fill('yesterday')
  await page.getByLabel('To, America/New_York').fill('')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await expect
    .poll(() => page.getByLabel('From, America/New_York').inputValue(), patience)
    .toMatch(/^\d{4}-\d\d-\d\d 00:00$/)
  await page.getByLabel('From, America/New_York').fill('31.11.2026')
  await page.getByLabel('To, America/New_York').fill('')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page.getByText('The range cannot be read').waitFor()
  expect(await page.getByLabel('From, America/New_York').inputValue()).toBe('31.11.2026')
  expect(await page.locator('.chart').count()).toBe(0)
})

test('means have a band, counters have bars, and states have strips, steps and durations', async () => {
  const { url } = world.server
  const fields = [
    field('time', 'timestamp', 'time'),
    field('tag', 'string', 'tag'),
    field('count', 'long', 'metric'),
    field('on', 'boolean', 'metric'),
  ]
  const key = await makeIngest(url, adminKey, { alias: 'machines', fields })
  const hour = (hours: number): string => new Date(startMs + hours * 3_600_000).toISOString()
  const body = [
    ...Array.from({ length: 97 }, (_, quarter) => ({
      time: hour(quarter / 4),
      tag: 'meter',
      count: 100 + 2 * quarter,
    })),
    { time: hour(0), tag: 'pump', on: true },
    { time: hour(6), tag: 'pump', on: false },
    { time: hour(24), tag: 'pump', on: true },
  ]
  await callOk(url, 'POST', '/ingests/machines/data?wait=true', { key, body })
  const page = await world.enter()
  const show = (query: string): Promise<unknown> => page.goto(`${url}/portal#/explore?entity=machines&${query}`)
  const day = 'from=2026-01-01T00:00&to=2026-01-02T00:00'

  await show(`tag=meter&field=count&${day}`)
  await page.getByText('count: a value holds until the next item.').waitFor()
  await page.getByLabel('Show', { exact: true }).selectOption('band')
  await page.getByRole('heading', { name: /^Mean, least and greatest, every/ }).waitFor()
  await expectSound(page)
  await page.getByLabel('Show', { exact: true }).selectOption('time_mean')
  await page.getByRole('heading', { name: /^Mean over time, every/ }).waitFor()

  await page.getByLabel('Show', { exact: true }).selectOption('rise')
  await page.getByLabel('Granularity').selectOption('hour')
  await page.getByRole('heading', { name: /^Rise, every hour/ }).waitFor()
  await page.getByText('24 rows').waitFor()
  // Bars of 8 each, starting at zero.
  await expect.poll(() => drawnHeight(page, firstColour, 0.1, 0.9), patience).toBeGreaterThan(0.8)
  await expectSoundEverywhere(page)
  await page.getByRole('button', { name: 'Request…' }).click()
  expect(await page.locator('pre.code').first().textContent()).toContain('/aggregate?entity=machines&ids=meter')
  await page.getByRole('button', { name: 'Close' }).click()

  await show(`tag=pump&field=on&how=states&${day}`)
  await page.getByRole('img', { name: 'States of pump over time' }).waitFor()
  await page.getByText('6 h (25 %), entered 1 ×').waitFor()
  await page.getByText('18 h (75 %), entered 1 ×').waitFor()
  await expectSoundEverywhere(page)

  const mode = await makeIngest(url, adminKey, {
    alias: 'modes',
    fields: [field('time', 'timestamp', 'time'), field('tag', 'string', 'tag'), field('mode', 'string', 'metric')],
  })
  const modes = ['auto', 'manual'].map((name, place) => ({ time: hour(place), tag: 'valve', mode: name }))
  await callOk(url, 'POST', '/ingests/modes/data?wait=true', { key: mode, body: modes })
  await page.goto(`${url}/portal#/explore?entity=modes`)
  // The page loads the list of entities once, so the new entity is unknown until a reload.
  await page.getByText('The entity modes does not exist, or this key may not read it').waitFor()
  await page.reload()
  // Texts are not drawn as lines.
  await page.getByRole('img', { name: 'States of valve over time' }).waitFor()

  // Nothing was pushed in this hour, but the pump's state is known: it stood still.
  await show('tag=pump&field=on&from=2026-01-01T10:00&to=2026-01-01T11:00')
  await page.getByRole('heading', { name: /^Each change/ }).waitFor()
  await page.getByText('0 rows').waitFor()
  await expect.poll(() => drawnShare(page, firstColour, 0.02, 0.98), patience).toBeGreaterThan(0.95)
  await expectSound(page)
})

/** The share of a chart's pixel columns with a line of this colour, in the part of its width from `from` to `to`. */
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

/** The height that this colour reaches, as a share of the chart, in the part of its width from `from` to `to`. */
function drawnHeight(page: Page, colour: readonly [number, number, number], from: number, to: number): Promise<number> {
  return page.evaluate(
    ({ colour, from, to }) => {
      const canvas = document.querySelector<HTMLCanvasElement>('.chart canvas')!
      const plot = document.querySelector('.chart .u-over')!.getBoundingClientRect()
      const [left, top] = [
        plot.left - canvas.getBoundingClientRect().left,
        plot.top - canvas.getBoundingClientRect().top,
      ]
      const [first, last] = [Math.round(left + plot.width * from), Math.round(left + plot.width * to)]
      const { data, width, height } = canvas
        .getContext('2d')!
        .getImageData(first, Math.round(top), last - first, Math.round(plot.height))
      const isDrawn = (y: number): boolean =>
        Array.from({ length: width }, (_, x) => (y * width + x) * 4).some(
          (at) => data[at + 3]! > 100 && colour.every((part, place) => Math.abs(data[at + place]! - part) < 40),
        )
      const highest = Array.from({ length: height }, (_, y) => y).find(isDrawn)
      return highest === undefined ? 0 : 1 - highest / height
    },
    { colour, from, to },
  )
}

/** The number of drawn pixels in the area of the value axis. */
function inkAtAxis(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('.chart canvas')!
    const plot = document.querySelector('.chart .u-over')!.getBoundingClientRect()
    const width = Math.round(plot.left - canvas.getBoundingClientRect().left) - 8
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, width, canvas.height)
    return data.filter((value, place) => place % 4 === 3 && value > 100).length
  })
}

const firstColour = [11, 110, 133] as const
const textColour = [24, 32, 36] as const
const secondColour = [192, 90, 18] as const

test.skipIf(onCluster)('expired rows are plotted as hours, and a note says since when rows are stored', async () => {
  const { url } = world.server
  const [minuteMs, dayMs] = [60_000, 86_400_000]
  const midnightMs = Math.floor(Date.now() / dayMs) * dayMs
  const key = await makeIngest(url, adminKey, { alias: 'expiring' })
  const body = Array.from({ length: 10 * 144 }, (_, place) => ({
    D: new Date(midnightMs - 10 * dayMs + 10 * place * minuteMs).toISOString(),
    T: 'a',
    V: place % 6,
  }))
  await callOk(url, 'POST', '/ingests/expiring/data?wait=true', { key, body })
  const retained = { retention: 'P3D', hours_retention: null }
  await callOk(url, 'PATCH', '/admin/entities/expiring', { key: adminKey, body: retained })
  const reader = await makeReader(url, adminKey, ['expiring'], 'expiring')
  const hoursFrom = async (): Promise<unknown> =>
    (await callOk<{ hours_from: unknown }[]>(url, 'GET', '/consumer/data/entities', { key: reader }))[0]!.hours_from
  // Hours are made of rows in files.
  await expect.poll(hoursFrom, patience).toBe(body[0]!.D)
  const page = await world.enter(reader)
  await page.goto(`${page.url().split('#')[0]}#/explore?entity=expiring&tag=a&field=V&range=P1D&zone=UTC`)
  await page.getByRole('img', { name: 'a over time' }).waitFor()
  expect(await page.getByText('Rows are kept from').count()).toBe(0)
  const rows = (count: number): Promise<void> => page.getByText(`${count} rows, `).waitFor()
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await page.getByRole('heading', { name: /^Mean, least and greatest, every hour/ }).waitFor()
  await rows(240)
  const rowsFrom = new Date(midnightMs - 3 * dayMs).toISOString().slice(0, 10)
  const from = `Rows are kept from ${rowsFrom} 00:00:00`
  await page.getByText(`${from}, and only hours before that: mean, least and greatest`).waitFor()
  // Each hour has the same six values, on both sides of the seam.
  const items = page.getByRole('region', { name: 'Items' })
  await items.getByRole('cell', { name: '2.5' }).first().waitFor()
  await page.getByRole('combobox', { name: 'Show' }).selectOption('select')
  await page.getByText(`${from}; earlier data is not drawn, because this chart needs rows.`).waitFor()
  await rows(432)
  // Before the first row: what needs rows is refused with the date, and the rest is drawn.
  const address = `#/explore?entity=expiring&tag=a&field=V&from=${new Date(midnightMs - 8 * dayMs + 37 * minuteMs).toISOString()}&to=${new Date(midnightMs - 7 * dayMs + 37 * minuteMs).toISOString()}&zone=Asia/Kathmandu`
  await page.goto(`${page.url().split('#')[0]}${address}`)
  await page.getByRole('heading', { name: /^Mean, least and greatest, every hour/ }).waitFor()
  await rows(25)
  await page.getByText('Buckets begin in UTC, as the hours do.').waitFor()
  await page.getByRole('combobox', { name: 'Show' }).selectOption('select')
  await page.getByText(`There are rows from ${rowsFrom}T00:00:00.000Z on`).waitFor()
  await expectSound(page)
})

test('readings of any size and spacing are plotted, with separate gaps for each tag', async () => {
  const { url } = world.server
  const body = Array.from({ length: 3 * 1440 }, (_, minute) => {
    const D = new Date(startMs + minute * 60_000).toISOString()
    const lost = minute >= 1440 && minute < 2880
    return [
      ...(lost ? [] : [{ D, T: 'gap.each.minute', V: (1 + Math.sin(minute / 300)) / 3 }]),
      ...(minute % 120 === 0 ? [{ D, T: 'gap.each.two.hours', V: 1 + Math.cos(minute / 300) / 3 }] : []),
    ]
  }).flat()
  await callOk(url, 'POST', '/ingests/plant/data?wait=true', { key: pusherKey, body })
  const page = await world.enter()
  const range = 'from=2026-01-01T00:00&to=2026-01-04T00:00'
  await page.goto(`${url}/portal#/explore?entity=plant&tag=gap.each.minute&tag=gap.each.two.hours&${range}`)
  await page.getByRole('img', { name: 'gap.each.minute, gap.each.two.hours over time' }).waitFor()
  await expect.poll(() => drawnShare(page, secondColour, 0.02, 0.95), patience).toBeGreaterThan(0.95)
  expect(await drawnShare(page, firstColour, 0.02, 0.32)).toBeGreaterThan(0.95)
  expect(await drawnShare(page, firstColour, 0.35, 0.65)).toBe(0)
  await page.locator('.tag-choice', { hasText: 'gap.each.two.hours' }).click()
  await page.getByRole('img', { name: 'gap.each.minute over time' }).waitFor()
  await expect.poll(() => drawnShare(page, firstColour, 0.02, 0.32), patience).toBeGreaterThan(0.95)
  expect(await drawnShare(page, firstColour, 0.35, 0.65)).toBe(0)
  await expectSound(page)
})

test('an error replaces the chart of the tag that it concerns, and only of that tag', async () => {
  const page = await world.enter()
  let refused = 'pump.flow'
  await page.route('**/consumer/data/average', async (route) => {
    const { ids } = route.request().postDataJSON() as { ids: string[] }
    if (!ids.includes(refused)) return route.continue()
    const problem = { status: 400, code: 'invalid_request', detail: `${refused} cannot be had.`, retryable: false }
    await route.fulfill({ status: 400, contentType: 'application/problem+json', body: JSON.stringify(problem) })
  })
  const range = 'from=2026-01-01T00:00&to=2026-01-02T00:00'
  await page.goto(`${world.server.url}/portal#/explore?entity=plant&tag=boiler.temp&tag=pump.flow&how=average&${range}`)
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

test('the previous chart is dimmed while the next one loads, and disappears when that is stopped', async () => {
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
  await page.getByRole('button', { name: 'Run again' }).click()
  await page.getByText('31 rows').waitFor()
})

test('live mode shows newly pushed rows', async () => {
  const page = await world.enter()
  await page.goto(`${world.server.url}/portal#/explore?entity=plant&tag=live.tag&range=PT15M&how=select&live=1`)
  await page.getByText('No items in this range').waitFor()
  const push = (value: number): Promise<unknown> =>
    callOk(world.server.url, 'POST', '/ingests/plant/data', {
      key: pusherKey,
      body: { D: new Date().toISOString(), T: 'live.tag', V: value },
    })
  await push(1)
  await page.getByText('1 row,').waitFor()
  await push(7)
  await page.getByText('2 rows,').waitFor()
  await page.getByRole('region', { name: 'Items' }).getByRole('cell', { name: '7', exact: true }).waitFor()
})

test('for an entity with several tags each combination is a line, or each value of one tag', async () => {
  const { url } = world.server
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
  await callOk(url, 'POST', '/ingests/wells/data?wait=true', { key, body: rows })
  const page = await world.enter()
  await page.goto(`${url}/portal#/explore?entity=wells&tag=north&how=average&from=2026-01-01T00:00&to=2026-01-02T00:00`)
  await page.getByRole('img', { name: 'north / flow, north / temp over time' }).waitFor()
  await page.getByText('2 rows').waitFor()
  await page.getByLabel('A line for each').selectOption('site alone')
  await page.getByRole('img', { name: 'north over time' }).waitFor()
  await page.getByText('1 row,').waitFor()
  await page.getByRole('region', { name: 'Items' }).getByRole('cell', { name: '10.5' }).waitFor()
  await page.getByLabel('A line for each').selectOption('sensor alone')
  await page.getByText('Choose a tag').waitFor()
  await page.getByRole('button', { name: 'temp' }).click()
  await page.getByRole('img', { name: 'temp over time' }).waitFor()
  // The boolean field has no averages, so it is omitted when averages are shown.
  await page.getByLabel('Show', { exact: true }).selectOption('select')
  await page.getByRole('checkbox', { name: 'on' }).check()
  await page.getByRole('img', { name: 'temp · value, temp · on over time' }).waitFor()
  await page.getByLabel('Show', { exact: true }).selectOption('average')
  await page.getByRole('img', { name: 'temp over time' }).waitFor()
  await expectSound(page)
})
