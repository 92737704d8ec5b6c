// A chart is saved under a name, becomes a page of several charts, and is opened by its URL, also by others.
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest, makeReader } from '../support/api.ts'
import { adminKey } from '../support/server-process.ts'
import { expectSoundEverywhere, openWorld, pictures, signIn, type World } from './support/portal.ts'

const startMs = Date.UTC(2026, 0, 1)
const patience = { timeout: 45_000 }
let world: World
let shift: string
let other: string

beforeAll(async () => {
  world = await openWorld()
  const { url } = world.server
  for (const alias of ['plant', 'pumps']) {
    const key = await makeIngest(url, adminKey, { alias })
    const rows = ['boiler.level', 'boiler.temp', 'pump.flow'].flatMap((T, place) =>
      Array.from({ length: 288 }, (_, index) => ({
        D: new Date(startMs + index * 300_000).toISOString(),
        T,
        V: 40 + 20 * place + 10 * Math.sin(index / (25 + 8 * place)),
      })),
    )
    await callOk(url, 'POST', `/ingests/${alias}/data?wait=true`, { key, body: rows })
  }
  const fields = [
    { name: 'id', type: 'string', role: 'index' },
    { name: 'description', type: 'string', role: 'attribute' },
    { name: 'unit', type: 'string', role: 'attribute' },
  ]
  const key = await makeIngest(url, adminKey, { alias: 'tags', kind: 'metadata', fields })
  const items = [{ id: 'boiler.level', description: 'Level of the boiler', unit: 'cm' }]
  await callOk(url, 'POST', '/ingests/tags/data?wait=true', { key, body: items })
  shift = await makeReader(url, adminKey, ['plant', 'pumps', 'tags'], 'shift')
  other = await makeReader(url, adminKey, ['plant', 'pumps'], 'other')
})
afterAll(() => world.close())

test('a chart is saved, becomes a page with values, a table and a note, and others open it by its URL', async () => {
  const page = await world.enter(shift)
  await page.goto(`${page.url().split('#')[0]}#/explore?entity=plant&tag=boiler.level&tag=boiler.temp`)
  await page.getByRole('img', { name: 'boiler.level, boiler.temp over time' }).waitFor()
  await page.getByRole('button', { name: 'Save view…' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Boiler / night')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('It is saved in Boiler / night').waitFor()

  await page.getByRole('link', { name: 'Views' }).click()
  await page.getByRole('link', { name: 'Boiler / night' }).click()
  await page.getByRole('img', { name: 'boiler.level, boiler.temp over time' }).waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  const add = async (kind: string, title: string, tag?: string): Promise<void> => {
    await page.getByRole('button', { name: 'Add a part…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Show' }).selectOption(kind)
    await dialog.getByRole('textbox', { name: 'Title' }).fill(title)
    if (tag === undefined) await dialog.getByRole('textbox', { name: 'Text' }).fill('Call the boiler house\nat 55 °C.')
    else await dialog.getByRole('button', { name: tag }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: title, exact: true }).waitFor()
  }
  await add('text', 'What to do')
  await add('value', 'Now', 'boiler.level')
  await add('table', 'The night', 'boiler.temp')
  await page.getByText('Level of the boiler').first().waitFor()
  const table = page.getByRole('region', { name: 'Newest values' })
  await table.getByRole('cell', { name: 'boiler.temp' }).waitFor()
  // No column is clipped.
  expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  await page.getByRole('button', { name: 'Move it forward' }).last().click()
  await expect
    .poll(() => page.locator('.view-cells h2').allTextContents(), patience)
    .toEqual(['boiler.level, boiler.temp', 'What to do', 'The night', 'Now'])

  // A variable that a reader chooses.
  await page.getByRole('button', { name: 'Variables…' }).click()
  await page.getByRole('button', { name: 'Add a variable' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('tag')
  await page.getByRole('combobox', { name: 'Of' }).selectOption('pumps')
  await page.getByRole('textbox', { name: 'At first' }).fill('boiler.temp')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const variable = page.getByRole('combobox', { name: 'tag', exact: true })
  await variable.waitFor()
  await page.getByRole('button', { name: 'Add a part…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Entity' }).selectOption('pumps')
  await dialog.getByRole('button', { name: '$tag' }).first().click()
  await dialog.getByRole('textbox', { name: 'Title' }).fill('Chosen: $tag')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Chosen: boiler.temp' }).waitFor()
  await variable.selectOption('pump.flow')
  await page.getByRole('heading', { name: 'Chosen: pump.flow' }).waitFor()
  await page.getByRole('img', { name: 'pump.flow over time' }).waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await expectSoundEverywhere(page)
  await pictures(page, 'view')

  const link = page.url()
  expect(link).toContain('var-tag=pump.flow')
  const colleague = await world.visit()
  await colleague.goto(link)
  await signIn(colleague, other)
  await colleague.getByRole('heading', { name: 'Chosen: pump.flow' }).waitFor()
  await colleague.getByRole('img', { name: 'boiler.level, boiler.temp over time' }).waitFor()
  expect(await colleague.getByRole('button', { name: 'Edit' }).count()).toBe(0)
  await colleague.getByRole('button', { name: '1 h', exact: true }).click()
  await colleague.getByText('No items in this range').first().waitFor()

  // Exported, deleted, and imported under another name.
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('Boiler - night.view.json')
  const { name, view } = JSON.parse(await readFile(await download.path(), 'utf8'))
  expect([name, view.cells.length, view.variables]).toEqual([
    'Boiler / night',
    5,
    [{ name: 'tag', kind: 'tag', entity: 'pumps', value: 'boiler.temp' }],
  ])
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete it' }).click()
  await page.getByText('No view yet').waitFor()
  await page.getByRole('button', { name: 'Import…' }).click()
  const choose = (text: string): Promise<void> =>
    page
      .getByLabel('File')
      .setInputFiles({ name: 'a.view.json', mimeType: 'application/json', buffer: Buffer.from(text) })
  await choose('{"name": "no view"}')
  await page.getByText('The file is not an exported view').waitFor()
  // Before the import, the page says what it will do.
  await choose(JSON.stringify({ name, view }))
  await page.getByText('It saves the new view Boiler / night, of 5 parts and 1 variable').waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('Again')
  await page.getByText('It saves the new view Again').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('link', { name: 'Again' }).click()
  await page.getByRole('heading', { name: 'Chosen: boiler.temp' }).waitFor()
  await expectSoundEverywhere(page)
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Views' }).click()
  await page.getByRole('button', { name: 'Import…' }).click()
  await choose(JSON.stringify({ name: 'Again', view }))
  await page.getByText('The view Again already exists').waitFor()
  expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true)
})

test('a variable for a part of a tag offers the existing values', async () => {
  const page = await world.enter(shift)
  const variables = [{ name: 'unit', kind: 'tag', entity: 'plant', value: 'boiler' }]
  await callOk(world.server.url, 'PUT', '/consumer/views/Parts', {
    key: shift,
    body: { from: '2026-01-01', to: '2026-01-02', variables, cells: [{ kind: 'text', text: '$unit' }] },
  })
  await page.goto(`${page.url().split('#')[0]}#/views/Parts`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('button', { name: 'Add a part…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Entity' }).selectOption('plant')
  await dialog.getByRole('searchbox', { name: 'Tags' }).fill('$unit.level')
  await page.keyboard.press('Enter')
  await dialog.locator('.tag-choice[aria-pressed="true"]').getByText('$unit.level').waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('img', { name: 'boiler.level over time' }).waitFor()
  const choices = page.getByRole('combobox', { name: 'unit', exact: true }).locator('option')
  await expect.poll(() => choices.allTextContents(), patience).toEqual(['boiler'])
  await page.getByRole('button', { name: 'Change…' }).last().click()
  await dialog.getByRole('searchbox', { name: 'Tags' }).fill('$unit.flow')
  await page.keyboard.press('Enter')
  await dialog.locator('.tag-choice[aria-pressed="true"]').getByText('$unit.flow').waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => choices.allTextContents(), patience).toEqual(['boiler', 'pump'])
  await page.getByRole('combobox', { name: 'unit', exact: true }).selectOption('pump')
  await page.getByRole('img', { name: 'pump.flow over time' }).waitFor()
})
