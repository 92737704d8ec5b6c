// A real browser with a real server: actions of a user, and checks that every page must pass.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { clusterEnvironment, newClusterName, onCluster, removeCluster } from '../../support/cluster-under-test.ts'
import { adminKey, ServerProcess } from '../../support/server-process.ts'

const executablePath = process.env['TIDEMARK_CHROMIUM'] ?? '/usr/bin/chromium'
const picturesFolder = resolve('docs/guides/portal')
/** `TIDEMARK_PICTURES=1` renews the pictures of docs/guides/portal.md. */
const makesPictures = process.env['TIDEMARK_PICTURES'] === '1'
const patienceMs = 45_000

interface Visit {
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  /** The browser's time zone. */
  readonly zone?: string
  readonly locale?: string
}

export interface World {
  server: ServerProcess
  readonly browser: Browser
  /** Opens a page in a new browser context, with nobody signed in. */
  visit(options?: Visit): Promise<Page>
  /** Opens a page in a new browser context, signed in. */
  enter(key?: string, options?: Visit): Promise<Page>
  /** Stops the server and starts another on the same folder and port. */
  restart(whileAway: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

/** The errors that a page logged, such as breaches of its policy. Failed requests are excluded: the page reports them itself. */
const complaints = new WeakMap<Page, string[]>()

function listen(page: Page): void {
  const heard: string[] = []
  complaints.set(page, heard)
  page.on('pageerror', (error) => heard.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) heard.push(message.text())
  })
}

/** Starts a server; when the tests run with the cluster engine, on a new cluster name. The first rows of an entity take longer there. */
export async function openWorld(settings: Readonly<Record<string, string>> = {}): Promise<World> {
  const clusterName = onCluster ? newClusterName() : null
  const cluster =
    clusterName === null ? {} : { ...clusterEnvironment(clusterName), TIDEMARK_LIMITS_INGEST_WAIT_MS: '60000' }
  const environment = { ...cluster, ...settings }
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-e2e-'))
  const server = await ServerProcess.start({ dataDirectory, environment })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  const contexts: BrowserContext[] = []
  const world: World = {
    server,
    browser,
    visit: async ({ theme = 'light', width = 1280, zone = 'UTC', locale = 'en-US' } = {}) => {
      const context = await browser.newContext({
        colorScheme: theme,
        timezoneId: zone,
        locale,
        viewport: { width, height: 860 },
        acceptDownloads: true,
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      contexts.push(context)
      context.setDefaultTimeout(patienceMs)
      const page = await context.newPage()
      listen(page)
      await page.goto(`${world.server.url}/portal`)
      return page
    },
    enter: async (key = adminKey, options = {}) => {
      const page = await world.visit(options)
      await signIn(page, key)
      return page
    },
    restart: async (whileAway) => {
      const { port } = new URL(world.server.url)
      await world.server.stop()
      await whileAway()
      world.server = await ServerProcess.start({ dataDirectory, environment, port })
    },
    close: async () => {
      await browser.close()
      await (clusterName === null ? world.server.kill() : world.server.stop())
      if (clusterName !== null) await removeCluster(clusterName)
      await rm(dataDirectory, { recursive: true, force: true })
    },
  }
  return world
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('Key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
}

/** Checks that axe-core finds no serious fault and that the page logged no error, such as a breach of its policy. */
export async function expectSound(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(async () => {
    const axe = Reflect.get(window, 'axe') as {
      run(): Promise<{
        violations: { id: string; impact: string; nodes: { target: unknown; failureSummary: string }[] }[]
      }>
    }
    const { violations } = await axe.run()
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')}`,
      )
  })
  expect(found).toEqual([])
  expect(complaints.get(page)).toEqual([])
}

/** Runs `expectSound` in light and dark mode, and checks that nothing overflows a width of 400 pixels. */
export async function expectSoundEverywhere(page: Page): Promise<void> {
  const size = page.viewportSize()!
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await expectSound(page)
  }
  await page.setViewportSize({ width: 400, height: 860 })
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { timeout: patienceMs })
    .toBeLessThanOrEqual(400)
  await expectSound(page)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(size)
}

/** Saves pictures for the guide, if `TIDEMARK_PICTURES` is set: `name-light.png` and `name-dark.png`. */
export async function pictures(page: Page, name: string): Promise<void> {
  if (!makesPictures) return
  await mkdir(picturesFolder, { recursive: true })
  await page.evaluate(() => {
    scrollTo(0, 0)
    // Notifications of earlier actions do not belong in the picture.
    for (const toasts of document.querySelectorAll<HTMLElement>('.toasts')) toasts.style.display = 'none'
  })
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    // Hiding the caret would need an inline style, which the page's policy forbids.
    await page.screenshot({ path: join(picturesFolder, `${name}-${theme}.png`), caret: 'initial' })
  }
  await page.emulateMedia({ colorScheme: 'light' })
}
