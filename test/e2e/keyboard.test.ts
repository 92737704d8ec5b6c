// A user without a mouse signs in, pushes a CSV file, queries it in SQL, and finds the rejected rows.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { adminKey } from '../support/server-process.ts'
import { openWorld, type World } from './support/portal.ts'

let world: World
let key: string
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-keyboard-'))
  world = await openWorld()
  const { url } = world.server
  await makeIngest(url, adminKey, { alias: 'plant' })
  const path = '/admin/subscribers/engineer'
  const operator = { key: adminKey }
  await callOk(url, 'POST', '/admin/subscribers', { ...operator, body: { name: 'engineer' } })
  const subscriptions = [{ ingest: 'plant', entity: 'plant' }]
  await callOk(url, 'PUT', `${path}/subscriptions`, { key: adminKey, body: subscriptions })
  const made = { rights: ['ingest', 'consume'] }
  key = (await callOk<{ key: string }>(url, 'POST', `${path}/keys`, { ...operator, body: made })).key
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true, force: true })
})

const tabsMax = 150

/** The name of the focused element, as a screen reader announces it, and whether the focus is visible. The name is empty if nothing has the focus. */
function focused(page: Page): Promise<{ readonly name: string; readonly seen: boolean }> {
  return page.evaluate(() => {
    const outer = document.activeElement
    // The editor is in a shadow root.
    const element = (outer?.shadowRoot?.activeElement ?? outer) as HTMLElement | null
    if (element === null || element === document.body) return { name: '', seen: true }
    const labels = element instanceof HTMLInputElement || element instanceof HTMLSelectElement ? element.labels : null
    const label = [...(labels ?? [])].map(({ textContent }) => textContent).join(' ')
    const name = element.getAttribute('aria-label') ?? (label === '' ? (element.textContent ?? '') : label)
    const ring = getComputedStyle(element)
    const frame = element.closest('.cm-editor') ?? element.parentElement
    const around = frame === null ? null : getComputedStyle(frame)
    const isDrawn = (style: CSSStyleDeclaration | null): boolean =>
      style !== null && ((style.outlineStyle !== 'none' && style.outlineWidth !== '0px') || style.boxShadow !== 'none')
    const kind = element.getAttribute('role') === 'textbox' ? 'editor ' : ''
    return { name: kind + name.trim().replace(/\s+/g, ' '), seen: isDrawn(ring) || isDrawn(around) }
  })
}

/** Presses Tab until an element with that name has the focus. Throws if none gets it, or if the focus is not visible. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const met: string[] = []
  for (let tabs = 0; tabs < tabsMax; tabs++) {
    await page.keyboard.press('Tab')
    const now = await focused(page)
    if (name.test(now.name)) {
      // The editor shows the focus a moment later.
      await expect.poll(() => focused(page)).toEqual({ name: now.name, seen: true })
      return
    }
    met.push(now.name.slice(0, 40))
  }
  throw new Error(`Tab does not lead to ${name}, but to ${[...new Set(met)].join(' | ')}`)
}

async function press(page: Page, name: RegExp, keyName = 'Enter'): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press(keyName)
}

test('the keyboard alone is enough from the sign-in to the rejected rows', async () => {
  const path = join(folder, 'readings.csv')
  await writeFile(path, 'D,T,V\n2026-01-01 08:00:00,boiler.temp,81.5\n2026-01-01 08:01:00,boiler.temp,warm\n')
  const page = await world.visit()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  if (!/^Key/.test((await focused(page)).name)) await tabTo(page, /^Key/)
  await page.keyboard.type(key)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()

  await press(page, /^Push$/)
  await press(page, /^Ingest(?!s)/, 'ArrowDown')
  await page.getByText('Drop a file here').waitFor()
  const asked = page.waitForEvent('filechooser')
  await press(page, /^Drop a file here/, 'Space')
  await (await asked).setFiles(path)
  await page.getByText('1 of the first 2 rows will be rejected').waitFor()
  await press(page, /^Push readings\.csv$/)
  await page.getByText('Row 2: V: expected a number, got "warm"').waitFor()

  await press(page, /^1 row of one push$/)
  await page.getByRole('row', { name: /"warm"/ }).waitFor()

  await press(page, /^SQL$/)
  await page.getByRole('textbox', { name: 'SQL' }).waitFor()
  await tabTo(page, /^editor /)
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText('SELECT T, V FROM plant')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByRole('cell', { name: '81.5' }).waitFor()
})
