// The portal in a real Chromium: the memory of its tab during the push of a large CSV file, and the time to draw a day of ten tags.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { callOk } from '../test/support/api.ts'
import { adminKey, ServerProcess } from '../test/support/server-process.ts'
import { Tab } from './browser-tab.ts'
import { median, printTable, spread } from './figures.ts'
import { drain, firstMs, makePlant, plantBodies, stepMs, tagName } from './plant.ts'

const executablePath = process.env['TIDEMARK_CHROMIUM'] ?? '/usr/bin/chromium'
const patienceMs = 900_000
/** The maximum memory of the tab during a push of 100 MB. */
const tabBytesMax = 300e6
const drawnMedianMsMax = 500
const tags = 100

export interface PortalSizes {
  readonly csvBytes: number
  readonly rows: number
  readonly runs: number
}

/** Sets exit code 1 when the tab exceeds its memory limit or the chart is too slow. */
export async function benchPortal({ csvBytes, rows, runs }: PortalSizes): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const server = await ServerProcess.start({ dataDirectory })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  try {
    const key = await makePlant(server.url, 'plant')
    const faults = [
      await pushFile(server.url, key, dataDirectory, csvBytes),
      await drawDays(server.url, browser, key, rows, runs),
    ].flat()
    for (const fault of faults) console.error(fault)
    if (faults.length > 0) process.exitCode = 1
  } finally {
    await browser.close()
    await server.stop()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

async function signedIn(url: string, browser: Browser, key: string, place: string): Promise<Page> {
  const page = await browser.newPage()
  page.setDefaultTimeout(patienceMs)
  await page.goto(`${url}/portal#${place}`)
  await page.getByLabel('Key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  return page
}

/** Rows of another entity than the one drawn. */
async function writeCsv(path: string, bytes: number): Promise<number> {
  const file = createWriteStream(path)
  file.write('D,T,V\n')
  let written = 0
  let rows = 0
  while (written < bytes) {
    const lines: string[] = []
    for (let line = 0; line < 1000; line++, rows++) {
      lines.push(`${new Date(firstMs + rows * 100).toISOString()},${tagName(rows % tags)},${(rows % 9973) / 100}\n`)
    }
    const text = lines.join('')
    written += text.length
    if (!file.write(text)) await once(file, 'drain')
  }
  file.end()
  await finished(file)
  return rows
}

async function pushFile(url: string, plantKey: string, folder: string, bytes: number): Promise<readonly string[]> {
  const path = join(folder, 'readings.csv')
  const rows = await writeCsv(path, bytes)
  const tab = await Tab.open(executablePath, join(folder, 'browser'), `${url}/portal#/push/plant`)
  await tab.type('input[type=password]', plantKey)
  await tab.click('Sign in')
  await tab.chooseFile(path)
  await tab.shows('all of the first 20 will be stored')
  const before = await tab.bytes()
  let most = before
  const beganMs = performance.now()
  await tab.click('Push readings.csv')
  await tab.shows('All rows are stored.', async () => {
    most = Math.max(most, await tab.bytes())
  })
  const seconds = (performance.now() - beganMs) / 1000
  const megabytes = (size: number): string => (size / 1e6).toFixed(0)
  printTable(
    'A CSV file pushed from the portal',
    ['MB', 'rows', 'seconds', 'rows/s', 'tab before, MB', 'tab at most, MB'],
    [
      [
        megabytes((await stat(path)).size),
        String(rows),
        seconds.toFixed(1),
        (rows / seconds).toFixed(0),
        megabytes(before),
        megabytes(most),
      ],
    ],
  )
  await tab.close()
  return most > tabBytesMax ? [`the tab took ${megabytes(most)} MB, ${megabytes(tabBytesMax)} MB is the most`] : []
}

/** The time from the address to the chart, for another day each time. */
async function drawDays(
  url: string,
  browser: Browser,
  key: string,
  rows: number,
  runs: number,
): Promise<readonly string[]> {
  await callOk(url, 'POST', '/admin/ingests', {
    key: adminKey,
    body: { alias: 'drawn', kind: 'series' },
  })
  await callOk(url, 'PUT', '/admin/subscribers/pusher-of-plant/subscriptions', {
    key: adminKey,
    body: [{ ingest: '*' }],
  })
  const points = Math.ceil(rows / tags)
  for (const { body } of plantBodies(tags, points, 10_000)) {
    const text = body.replace(/,"area":"[^"]*"/g, '').replace(/,"W":\d+/g, '')
    await callOk(url, 'POST', '/ingests/drawn/data', { key, text })
  }
  await drain(url, 'drawn')
  const page = await signedIn(url, browser, adminKey, '/explore')
  const days = Math.max(1, Math.floor((points * stepMs) / 86_400_000))
  const drawnMs: number[] = []
  for (let run = 0; run < runs; run++) {
    const from = new Date(firstMs + (run % days) * 86_400_000)
    const query = new URLSearchParams({ entity: 'drawn', field: 'V' })
    // Other tags each time as well.
    for (let tag = 0; tag < 10; tag++) query.append('tag', tagName((run * 10 + tag) % tags))
    query.set('from', from.toISOString())
    query.set('to', new Date(from.getTime() + 86_400_000).toISOString())
    await page.goto(`${url}/portal#/metadata`)
    const beganMs = performance.now()
    await page.goto(`${url}/portal#/explore?${query}`)
    await page.getByRole('img', { name: new RegExp(`${tagName((run * 10) % tags)}.* over time`) }).waitFor()
    drawnMs.push(performance.now() - beganMs)
  }
  printTable('A day of ten tags drawn', ['rows', 'ms (least-most)'], [[String(points * tags), spread(drawnMs, 0)]])
  const ms = median(drawnMs)
  return ms > drawnMedianMsMax ? [`a chart took ${ms.toFixed(0)} ms, ${drawnMedianMsMax} ms is the most`] : []
}
