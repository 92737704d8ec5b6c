// Rows are pushed from a file and by hand: mapped, previewed, sent, stopped, resent and looked up, by a pusher and by an operator.
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { adminKey } from '../support/server-process.ts'
import { expectSound, expectSoundEverywhere, openWorld, type World } from './support/portal.ts'

const hostile = '<script>alert(1)</script> "\' مرحبا 🌊'
let world: World
let pusherKey: string
let linesKey: string
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-push-'))
  world = await openWorld()
  pusherKey = await makeIngest(world.server.url, adminKey, { alias: 'plant' })
  linesKey = await makeIngest(world.server.url, adminKey, {
    alias: 'weather',
    lines: { tag: '{measurement}.{place}.{field}' },
  })
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true, force: true })
})

async function fileOf(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

const stored = async (tag: string, entity = 'plant'): Promise<readonly Record<string, unknown>[]> =>
  callOk(world.server.url, 'POST', '/consumer/data/select', {
    key: adminKey,
    body: { entity, ids: [tag] },
  })

async function open(page: Page, alias = 'plant'): Promise<void> {
  await page.getByRole('link', { name: 'Push', exact: true }).click()
  await page.getByLabel('Ingest', { exact: true }).selectOption(alias)
  await page.getByText('Drop a file here').waitFor()
}

const choose = (page: Page, path: string): Promise<void> => page.locator('input[type=file]').setInputFiles(path)
/** Each program that the page shows pushes one row and does not contain the key. */
async function expectProgramsPush(page: Page, key: string, count: () => Promise<number>): Promise<void> {
  const commands = {
    curl: ['bash', '-c'],
    JavaScript: ['node', '--input-type=module', '-e'],
    Python: ['python3', '-c'],
  }
  const environment = { ...process.env, TIDEMARK_KEY: key }
  for (const [language, [program, ...options]] of Object.entries(commands)) {
    await page.getByRole('button', { name: language, exact: true }).last().click()
    await page.getByRole('button', { name: 'Copy' }).last().click()
    const text = await page.evaluate(() => navigator.clipboard.readText())
    expect(text).not.toContain(key)
    const before = await count()
    execFileSync(program!, [...options, text], { env: environment })
    await expect.poll(count, { timeout: 20_000 }).toBe(before + 1)
  }
}

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 8, minute)).toISOString()

test('a pusher maps the columns of a CSV file, sees the predicted rejections, pushes it, and finds the rejected rows', async () => {
  const quoted = `"${hostile.replaceAll('"', '""')}"`
  const lines = [
    'timestamp,T,value,note',
    `${at(0)},${quoted},81.5,ok`,
    `${at(1)},${quoted},warm,${quoted}`,
    `2026-01-01 08:02:00,${quoted},83,`,
  ]
  const page = await world.enter(pusherKey)
  await open(page)
  await choose(page, await fileOf('readings.csv', `\ufeff${lines.join('\r\n')}\r\n`))
  await page.getByText('3 of the first 3 rows will be rejected').waitFor()
  await page.getByText('timestamp: the ingest has no such field').first().waitFor()
  await page.getByLabel('timestamp becomes').selectOption({ label: 'D (timestamp, time)' })
  await page.getByLabel('value becomes').selectOption({ label: 'V (double, metric)' })
  await page.getByLabel('note becomes').selectOption({ label: 'leave it out' })
  await page.getByText('1 of the first 3 rows will be rejected').waitFor()
  await page.getByText('V: expected a number, got "warm"').waitFor()
  await page.getByRole('button', { name: 'Check with the service' }).click()
  await page.getByText('Of the first 3 rows 2 would be stored, 1 would be rejected.').waitFor()
  expect(await stored(hostile)).toEqual([])
  await expectSoundEverywhere(page)
  await page.getByRole('button', { name: /^Push / }).click()
  await page.getByText('Row 2: V: expected a number, got "warm"').waitFor()
  expect((await stored(hostile)).map(({ V }) => V)).toEqual([81.5, 83])
  await expectSoundEverywhere(page)
  await page.getByRole('link', { name: '1 row of one push' }).click()
  await page.getByRole('row', { name: /"warm"/ }).waitFor()
})

test('in a file of Excel semicolons and decimal commas are detected, and the format and zone of times are chosen', async () => {
  const page = await world.enter(pusherKey)
  await open(page)
  const lines = ['D;T;V', '25/10/2026 01:30;excel;1,5', '25/10/2026 02:30;excel;2,5']
  await choose(page, await fileOf('excel.csv', lines.join('\r\n')))
  await page.getByText('2 of the first 2 rows will be rejected').waitFor()
  expect(await page.getByLabel('Delimiter').inputValue()).toBe(';')
  expect(await page.getByLabel('Decimal mark').inputValue()).toBe('comma')
  await page.getByLabel('Times', { exact: true }).selectOption('dd/MM/yyyy HH:mm')
  await page.getByLabel('Time zone').fill('Europe/Madrid')
  await page.getByText('occurs twice in Europe/Madrid').waitFor()
  await page.getByLabel('Ambiguous times').selectOption('later')
  await page.getByText('all of the first 2 will be stored').waitFor()
  await expectSoundEverywhere(page)
  await page.getByRole('button', { name: /^Push / }).click()
  await page.getByText('All rows are stored.').waitFor()
  expect((await stored('excel')).map(({ D, V }) => [D, V])).toEqual([
    ['2026-10-24T23:30:00.000Z', 1.5],
    ['2026-10-25T01:30:00.000Z', 2.5],
  ])
})

test('an operator pushes with another key: a dropped gzip of NDJSON, a JSON array, a file without an extension', async () => {
  const page = await world.enter()
  await open(page)
  const rows = [5, 6].map((minute) => JSON.stringify({ D: at(minute), T: 'pump.flow', V: minute }))
  const packed = gzipSync(rows.join('\n')).toString('base64')
  const dropped = await page.evaluateHandle((content) => {
    const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0))
    const transfer = new DataTransfer()
    transfer.items.add(new File([bytes], 'rows.ndjson.gz'))
    return transfer
  }, packed)
  await page.locator('.drop-zone').dispatchEvent('drop', { dataTransfer: dropped })
  await page.getByText('all of the first 2 will be stored').waitFor()
  const push = page.getByRole('button', { name: 'Push rows.ndjson.gz' })
  expect(await push.isDisabled()).toBe(true)
  await page.getByLabel('Key to push with').fill(pusherKey)
  await push.click()
  await page.getByText('All rows are stored.').waitFor()

  await choose(page, await fileOf('rows', `[\n${JSON.stringify({ D: at(7), T: 'pump.flow', V: 7 }, null, 2)}]`))
  await page.getByLabel('What it holds').selectOption('json')
  await page.getByText('all of the first 1 will be stored').waitFor()
  await page.getByRole('button', { name: 'Push rows', exact: true }).click()
  await page.getByText('All rows are stored.').waitFor()
  expect((await stored('pump.flow')).map(({ V }) => V)).toEqual([5, 6, 7])

  await choose(page, await fileOf('broken.ndjson', `${rows[0]}\nno json\n`))
  await page.getByText('This is not JSON').waitFor()
  await page.getByRole('button', { name: 'Push broken.ndjson' }).click()
  await page.getByText(/rows 1 to 2 were not acknowledged/).waitFor()
  await choose(page, await fileOf('latin.csv', Buffer.from('D,T,V\n2026-01-01,caf\xe9,1\n', 'latin1')))
  await page
    .getByText(/the file is not UTF-8: the byte 0xE9/)
    .first()
    .waitFor()
  await expectSound(page)
})

test('for line protocol a time unit is proposed, the service validates the first lines, and errors name their lines', async () => {
  const place = hostile.replace(/[ ,=]/g, '\\$&')
  const seconds = Date.UTC(2026, 0, 1, 8) / 1000
  const lines = [
    '# from the roof',
    `air,place=${place} temp=20.5,hum="wet" ${seconds}`,
    'no line',
    `air,place=roof temp=21.5 ${seconds + 60}`,
  ]
  const page = await world.enter(linesKey)
  await open(page, 'weather')
  await choose(page, await fileOf('weather.lp', `${lines.join('\n')}\n`))
  await page.getByText(`The first time, ${seconds}, is read as nanoseconds: 1970-01-01`).waitFor()
  await page.getByText('2 of the first 4 lines will be rejected').waitFor()
  expect(await page.locator('td .fault').allTextContents()).toEqual([
    'hum: the ingest has no metric for "wet"',
    'no line of line protocol: a field has no value',
  ])
  await expectSoundEverywhere(page)
  await page.getByRole('button', { name: 'Read times as seconds' }).click()
  await page.getByText('The first time,').waitFor({ state: 'detached' })
  expect(await page.getByLabel('Times', { exact: true }).inputValue()).toBe('s')
  await page.getByRole('button', { name: 'Check with the service' }).click()
  await page.getByText('Of the first 4 rows 2 would be stored, 2 would be rejected.').waitFor()
  await page.getByText(/^Line 3: /).waitFor()
  const program = page.locator('pre.code').first()
  expect(await program.textContent()).toContain(`${world.server.url}/write?db=weather&precision=s`)
  await page.getByRole('button', { name: 'Push weather.lp' }).click()
  await page.getByText('Line 2: hum: the ingest has no metric for "wet"').waitFor()
  await page.getByText(/^Line 3: /).waitFor()
  const rows = async (tag: string) => (await stored(tag, 'weather')).map(({ D, V }) => [D, V])
  expect(await rows(`air.${hostile}.temp`)).toEqual([[at(0), 20.5]])
  expect(await rows('air.roof.temp')).toEqual([[at(1), 21.5]])
  await page.getByRole('link', { name: '2 rows of one push' }).click()
  await page.getByRole('row', { name: /wet/ }).waitFor()
})

test('a timestamp that is probably in seconds is pointed out before the push', async () => {
  const page = await world.enter(pusherKey)
  await open(page)
  const rows = [0, 1].map((index) => JSON.stringify({ D: 1_767_225_600 + index, T: 'a', V: 1 }))
  await choose(page, await fileOf('seconds.ndjson', rows.join('\n')))
  await page.getByRole('button', { name: 'Check with the service' }).click()
  await page.getByText('Of the first 2 rows 2 would be stored, 0 would be rejected.').waitFor()
  const hint = 'Row 1: D, 1767225600, is read as milliseconds: 1970-01-21T10:53:45.600Z.'
  await page.getByRole('status').getByText(hint).waitFor()
  await expectSound(page)
})

test('an operator enters a key before lines are validated; the generated programs push them', async () => {
  const page = await world.enter()
  await open(page, 'weather')
  const line = `air,place=cellar temp=7 ${Date.UTC(2026, 0, 1, 8, 30)}`
  await choose(page, await fileOf('one.lp.gz', gzipSync(line)))
  await page.getByText('not validated yet: check with the service').waitFor()
  await page.getByRole('button', { name: 'Read times as milliseconds' }).click()
  await page.getByLabel('Key to push with').fill(linesKey)
  await page.getByRole('button', { name: 'Check with the service' }).click()
  expect(await page.getByText(/^Of the first/).textContent()).toBe(
    'Of the first 1 row 1 would be stored, 0 would be rejected.',
  )
  await expectSound(page)
  await page.getByRole('button', { name: 'Push one.lp.gz' }).click()
  await page.getByText('All rows are stored.').waitFor()
  const count = async (): Promise<number> => (await stored('air.cellar.temp', 'weather')).length
  expect(await count()).toBe(1)
  await expectProgramsPush(page, linesKey, count)
})

test('a row is entered and pushed by keyboard alone; the generated programs push it too, and contain no key', async () => {
  const page = await world.enter(pusherKey)
  await open(page)
  await page.getByRole('button', { name: 'One row' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('D', { exact: true }).fill(at(20))
  await page.getByLabel('T', { exact: true }).fill(hostile)
  await page.getByLabel('V', { exact: true }).fill('hot')
  await page.getByText('V: expected a number, got "hot"').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('The row was rejected').waitFor()
  await page.getByLabel('V', { exact: true }).fill('20.5')
  await page.keyboard.press('Enter')
  await page.getByText('The row is stored.').waitFor()
  await expectSoundEverywhere(page)
  await expectProgramsPush(page, pusherKey, async () => (await stored(hostile)).length)
  expect(page.url()).not.toContain(pusherKey)
})

test('a long push is stopped and resumed while the service restarts, and each row is stored once', async () => {
  const rows = 120_000
  const lines = Array.from(
    { length: rows },
    (_, row) => `${new Date(Date.UTC(2026, 1, 1) + row * 1000).toISOString()},${row}`,
  )
  const page = await world.enter(pusherKey)
  await open(page)
  await choose(page, await fileOf(`${hostile.replaceAll('/', '')}.csv`, `D,V\n${lines.join('\n')}\n`))
  await page.getByText('T: the tag is missing').first().waitFor()
  await page.getByLabel('T', { exact: true }).first().fill('long')
  await page.getByText('all of the first 20 will be stored').waitFor()
  // The second push arrives, but its response is lost.
  let pushes = 0
  const keys = new Set<string | undefined>()
  await page.route('**/ingests/plant/data', async (route) => {
    pushes += 1
    keys.add((await route.request().allHeaders())['idempotency-key'])
    // A push that never arrives is retried automatically.
    if (pushes === 4) return route.abort()
    if (pushes !== 2) return route.continue()
    await route.fetch()
    await world.restart(async () => {
      await route.abort()
      await page.getByText('The service does not answer.').waitFor()
      await page.getByText(/Retrying within/).waitFor()
    })
  })
  await page.getByRole('button', { name: /^Push <script>/ }).click()
  await page.getByText('The service does not answer.').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText(/^Stopped\. The first 10,000 rows are on disk/).waitFor()
  await page.getByText('The service does not answer.').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Continue after row 10,000' }).click()
  await page.getByText('All rows are stored.').waitFor()
  const [answer] = await callOk<{ n: number }[]>(world.server.url, 'POST', '/consumer/data/sql-query', {
    key: adminKey,
    body: { sql_query: `SELECT COUNT(*) AS n FROM plant WHERE T = 'long'` },
  })
  expect(answer).toEqual({ n: rows })
  expect(keys.size).toBe(rows / 10_000)
})
