// Queries are written, run, marked at errors, stopped, plotted and saved.
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { adminKey } from '../support/server-process.ts'
import { expectSound, expectSoundEverywhere, openWorld, type World } from './support/portal.ts'

let world: World
const hostile = '<img src=x onerror=alert(1)> "\' مرحبا 🌊'

beforeAll(async () => {
  world = await openWorld()
  const key = await makeIngest(world.server.url, adminKey, { alias: 'plant' })
  const body = Array.from({ length: 300 }, (_, index) => ({
    D: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
    T: index % 3 === 0 ? hostile : `tag.${index % 3}`,
    V: Math.round(20 + 5 * Math.sin(index / 20) + (index % 3)),
  }))
  await callOk(world.server.url, 'POST', '/ingests/plant/data?wait=true', { key, body })
})
afterAll(() => world.close())

async function write(page: Page, text: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: /^(SQL|Native query)$/ })
  await editor.click()
  await page.keyboard.press('ControlOrMeta+A')
  // Replacing several lines, the browser itself would insert styles, which the page's policy forbids.
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(text)
}

test('SQL is run by keyboard, shown as a table and as a chart, and saved', async () => {
  const page = await world.enter()
  await page.getByRole('link', { name: 'SQL' }).click()
  await write(page, 'SELECT __time, T, V FROM plant ORDER BY __time')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('300 rows').waitFor()
  await page.getByRole('cell', { name: hostile }).first().waitFor()
  await page.getByRole('button', { name: 'Chart' }).click()
  await page.getByRole('img', { name: 'The result over time' }).waitFor()
  await expectSoundEverywhere(page)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as CSV' }).click(),
  ])
  expect((await readFile(await download.path(), 'utf8')).split('\r\n')[0]).toBe('__time,T,V')
  expect(download.suggestedFilename()).toBe('SELECT __time, T, V FROM plant ORDER BY __time.csv')
  await page.reload()
  await page.getByLabel('Saved and earlier queries').selectOption({ index: 1 })
  await page.getByRole('button', { name: 'Save…' }).click()
  await page.getByLabel('Name').fill('all rows')
  await page.getByRole('button', { name: 'Save it' }).click()
  await page.getByRole('button', { name: 'Forget “all rows”' }).waitFor()
})

test('an error in SQL shows its place, and is marked there in the editor', async () => {
  const page = await world.enter()
  await page.getByRole('link', { name: 'SQL' }).click()
  await write(page, 'SELECT T,\n  nothing FROM plant')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('alert').getByText('line 2, column 3').waitFor()
  await page.locator('.cm-lintRange-error').getByText('nothing').waitFor()
  await expectSound(page)
})

test('a query runs immediately after it is typed, also while the page is busy with a slow one', async () => {
  const page = await world.enter()
  await page.route('**/sql-query', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1500))
    await route.continue()
  })
  await page.getByRole('link', { name: 'SQL' }).click()
  await write(page, 'SELECT SUM(V) AS total FROM plant')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('1 row').waitFor()
  // The page is notified of one text when the editor already contains the next.
  for (const limit of [2, 3, 4]) {
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(`SELECT T, V\nFROM plant\nLIMIT ${limit}`)
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText(`${limit} rows`).waitFor()
  }
})

test('numbers show their significant digits, and strings like formulas are saved as strings', async () => {
  const page = await world.enter()
  await page.getByRole('link', { name: 'SQL' }).click()
  await write(page, "SELECT 1.0/3 AS x, 9007199254740993 AS n, -5 AS m, '=1+1' AS formula")
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByRole('cell', { name: '0.333333', exact: true }).waitFor()
  await page.getByRole('cell', { name: '9007199254740993', exact: true }).waitFor()
  // The saved file is the shown result, even if the text has changed since.
  await write(page, 'SELECT 2 AS y')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as CSV' }).click(),
  ])
  expect(await readFile(await download.path(), 'utf8')).toBe(
    "x,n,m,formula\r\n0.3333333333333333,9007199254740993,-5,'=1+1\r\n",
  )
})

test('an error replaces the result', async () => {
  const page = await world.enter()
  await page.getByRole('link', { name: 'SQL' }).click()
  await write(page, 'SELECT COUNT(*) AS n FROM plant')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByRole('cell', { name: '300', exact: true }).waitFor()
  await write(page, 'SELECT nothing FROM plant')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('region', { name: 'Result' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Save as CSV' }).count()).toBe(0)
})

test('no typed letter is lost or moved while the page is slow, and a draft survives leaving the page', async () => {
  const page = await world.enter()
  await page.getByRole('link', { name: 'SQL' }).click()
  await write(page, 'SELECT __time, T, V FROM plant ORDER BY __time')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('300 rows').waitFor()
  const slow = await page.context().newCDPSession(page)
  await slow.send('Emulation.setCPUThrottlingRate', { rate: 6 })
  const text = 'SELECT T, COUNT(*) AS counted, AVG(V) AS mean FROM plant WHERE V > 12.5 GROUP BY T ORDER BY counted'
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(text, { delay: 5 })
  await slow.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  const content = (): Promise<string> => page.locator('.cm-content').evaluate((element) => element.textContent)
  await expect.poll(content).toBe(text)
  await page.getByRole('link', { name: 'Explore' }).click()
  await page.getByRole('heading', { name: 'Explore' }).waitFor()
  await page.getByRole('link', { name: 'SQL' }).click()
  await expect.poll(content).toBe(text)
  await page.getByRole('button', { name: 'Native' }).click()
  await page.getByText('"queryType"').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'SQL', exact: true }).click()
  await expect.poll(content).toBe(text)
})

test('drafts have tabs, a selection runs alone, and names are inserted from the tree of tables', async () => {
  const page = await world.enter()
  await page.getByRole('link', { name: 'SQL' }).click()
  await write(page, 'SELECT 11 AS a')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByRole('cell', { name: '11', exact: true }).waitFor()
  await page.getByRole('button', { name: 'New draft' }).click()
  await page.getByRole('cell', { name: '11', exact: true }).waitFor({ state: 'hidden' })
  await write(page, 'SELECT 12 AS a')
  await page.keyboard.press('Enter')
  await page.keyboard.insertText('SELECT 13 AS b')
  await page.keyboard.press('Shift+Home')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByRole('cell', { name: '13', exact: true }).waitFor()
  await write(page, 'SELECT COUNT(*) FROM ')
  await page.getByText('Tables and columns').filter({ visible: true }).click()
  await page.getByText('300 rows').click()
  await page.getByText('double', { exact: true }).waitFor()
  await expectSound(page)
  await page.locator('.table-tree').getByRole('button', { name: 'plant', exact: true }).click()
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByRole('cell', { name: '300', exact: true }).waitFor()
  // Drafts and their tabs survive a reload, results a change of tab.
  await page.getByRole('button', { name: 'Draft 1', exact: true }).click()
  await page.getByRole('cell', { name: '11', exact: true }).waitFor()
  await page.reload()
  const content = page.locator('.cm-content:visible')
  await content.getByText('SELECT 11 AS a').waitFor()
  await page.getByRole('button', { name: 'Draft 2', exact: true }).click()
  await content.getByText('SELECT COUNT(*) FROM plant').waitFor()
  await page.getByRole('button', { name: 'Close draft 2' }).click()
  await content.getByText('SELECT 11 AS a').waitFor()
  expect(await page.getByRole('button', { name: /^Draft/ }).count()).toBe(1)
  // An error in the selected text is marked at its position in the whole text.
  await write(page, 'SELECT 12 AS a')
  await page.keyboard.press('Enter')
  await page.keyboard.insertText('SELECT nothing')
  await page.keyboard.press('Shift+Home')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.locator('.cm-lintRange-error').getByText('nothing').waitFor()
  // The help on keys.
  await page.getByRole('heading', { name: 'SQL and native queries' }).click()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).getByText('runs the query').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await content.click()
  await page.keyboard.type('?')
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('a million rows scroll, and a long query can be stopped', async () => {
  const page = await world.enter()
  await page.getByRole('link', { name: 'SQL' }).click()
  await write(
    page,
    'SELECT a.V AS x, b.V AS y, a.T FROM plant a CROSS JOIN plant b CROSS JOIN (SELECT * FROM plant LIMIT 11) c',
  )
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('990,000 rows').waitFor({ timeout: 120_000 })
  const table = page.getByRole('region', { name: 'Result' })
  await table.evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await page.locator('[aria-rowindex="990001"]').waitFor()
  expect(await page.locator('.big-table tr').count()).toBeLessThan(100)
  await write(
    page,
    'SELECT COUNT(*) FROM plant a CROSS JOIN plant b CROSS JOIN plant c CROSS JOIN plant d WHERE a.V + b.V + c.V + d.V < 0',
  )
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Ctrl+Enter runs the query', { exact: false }).waitFor()
})

test('the result of a native query is shown as a table and as raw JSON', async () => {
  const page = await world.enter()
  await page.getByRole('link', { name: 'SQL' }).click()
  await page.getByRole('button', { name: 'Native' }).click()
  await write(
    page,
    JSON.stringify({
      queryType: 'topN',
      dataSource: 'plant',
      intervals: ['2026-01-01/2026-01-02'],
      granularity: 'all',
      dimension: 'T',
      metric: 'n',
      threshold: 5,
      aggregations: [{ type: 'count', name: 'n' }],
    }),
  )
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('cell', { name: hostile }).waitFor()
  await page.getByRole('button', { name: 'Answer' }).click()
  await expectSoundEverywhere(page)
})
