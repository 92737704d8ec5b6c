// Operating the service without a terminal: retention, a backup, its metrics.
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { adminKey } from '../support/server-process.ts'
import { expectSound, expectSoundEverywhere, openWorld, type World } from './support/portal.ts'

let world: World

beforeAll(async () => {
  world = await openWorld({ TIDEMARK_STORE_HEAD_AGE_MS: '500', TIDEMARK_SELF_HISTORY_MS: '500' })
  const key = await makeIngest(world.server.url, adminKey, { alias: 'plant' })
  const body = { D: new Date().toISOString(), T: 'boiler.temp', V: 81.5 }
  await callOk(world.server.url, 'POST', '/ingests/plant/data?wait=true', { key, body })
})
afterAll(() => world.close())

test('retention is set and removed, an invalid one refused; a backup is made; metrics are searched', async () => {
  const page = await world.enter()
  await page.getByRole('link', { name: 'Operate' }).click()
  const retention = async (): Promise<unknown> => {
    const { Items } = await callOk<{ Items: { retention: string | null }[] }>(
      world.server.url,
      'GET',
      '/admin/entities',
      {
        key: adminKey,
      },
    )
    return Items[0]?.retention
  }
  await page
    .getByRole('row', { name: /^plant/ })
    .getByRole('button', { name: 'Retention…' })
    .click()
  await page.getByLabel('Kept for').fill('ninety days')
  await page.getByRole('button', { name: 'Set it' }).click()
  await page.getByRole('dialog').getByRole('alert').waitFor()
  await page.getByLabel('Kept for').fill('P90D')
  await page.getByRole('button', { name: 'Set it' }).click()
  await page.getByRole('cell', { name: 'P90D' }).waitFor()
  expect(await retention()).toBe('P90D')
  const entity = page.getByRole('row', { name: /^plant/ })
  for (const [hours, shown] of [
    ['P10Y', 'P90D, hours P10Y'],
    ['ever', 'P90D, hours ever'],
    ['', 'P90D'],
  ] as const) {
    await entity.getByRole('button', { name: 'Retention…' }).click()
    await page.getByLabel('Hours of expired items').fill(hours)
    await page.getByRole('button', { name: 'Set it' }).click()
    await entity.getByRole('cell', { name: shown, exact: true }).waitFor()
  }
  await page.getByRole('region', { name: 'On disk, by entity' }).getByRole('cell', { name: 'plant' }).waitFor()
  await page.getByRole('region', { name: 'On disk, by entity' }).getByText('KiB').first().waitFor()
  await page.getByRole('img', { name: /^Rows a second/ }).waitFor()
  await expectSoundEverywhere(page)
  await page.getByRole('button', { name: 'Make a backup…' }).click()
  await page.getByRole('button', { name: 'Make it' }).click()
  await page.getByText('The backup is made').waitFor()
  expect(existsSync((await page.getByRole('region', { name: 'Backups' }).locator('code').first().textContent())!)).toBe(
    true,
  )
  await page
    .getByText('Every setting has its default value.')
    .or(page.getByRole('cell', { name: 'adminKey' }))
    .waitFor()
  await page.getByLabel('Find a setting').fill('resultRows')
  await page.getByRole('cell', { name: 'limits.resultRows', exact: true }).waitFor()
  await page.getByText(adminKey).waitFor({ state: 'detached' })
  await page.getByLabel('Find by name').fill('journal_rows')
  await page.getByRole('cell', { name: 'tidemark_journal_rows_total', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Draw tidemark_journal_rows_total' }).click()
  await page.getByRole('img', { name: /^tidemark_journal_rows_total, a second/ }).waitFor()
  await page.getByRole('img', { name: /^Rows a second/ }).waitFor()
  await expectSound(page)
})

test('an observer sees the state of the service, and no controls to change it', async () => {
  const { key } = await callOk<{ key: string }>(world.server.url, 'POST', '/admin/subscribers/pusher-of-plant/keys', {
    key: adminKey,
    body: { rights: ['observe'] },
  })
  const page = await world.enter(key)
  await page.getByRole('link', { name: 'Operate' }).click()
  await page.getByRole('region', { name: 'On disk, by entity' }).getByRole('cell', { name: 'plant' }).waitFor()
  await page.getByRole('cell', { name: 'tidemark_journal_rows_total', exact: true }).waitFor()
  for (const name of ['Retention…', 'Make a backup…'])
    expect(await page.getByRole('button', { name }).count(), name).toBe(0)
  await page.getByText('Settings in force').waitFor({ state: 'detached' })
  expect(await page.getByRole('alert').count()).toBe(0)
  await expectSound(page)
})
