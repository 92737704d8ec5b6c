// Apache Superset in a separate process, with a database and an administrator.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { freePort } from '../support/free-port.ts'
import { inheritedEnvironment } from '../support/inherited-environment.ts'
import { python } from '../tools/python.ts'

const run = promisify(execFile)

/** Superset 6.1.0 does not pin all of its dependencies; it works with the last three packages. */
const packages = ['apache-superset==6.1.0', 'pydruid==0.6.9', 'Flask-Caching<2.4', 'cachetools', 'rich']
const password = 'of-this-test-alone'

export class SupersetProcess {
  readonly #url: string
  readonly #child: ChildProcess
  readonly #token: string

  private constructor(url: string, child: ChildProcess, token: string) {
    this.#url = url
    this.#child = child
    this.#token = token
  }

  /** `home` is the folder for its settings and its database. */
  static async start(home: string): Promise<SupersetProcess> {
    const superset = join(dirname(await python('superset', packages)), 'superset')
    const config = join(home, 'superset_config.py')
    const settings = {
      SECRET_KEY: password.repeat(3),
      SQLALCHEMY_DATABASE_URI: `sqlite:///${join(home, 'superset.db')}`,
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    await writeFile(config, [...lines, 'WTF_CSRF_ENABLED = False', 'TALISMAN_ENABLED = False', ''].join('\n'))
    const env = {
      ...inheritedEnvironment(),
      SUPERSET_CONFIG_PATH: config,
      SUPERSET_HOME: home,
      FLASK_APP: 'superset',
    }
    await run(superset, ['db', 'upgrade'], { env, maxBuffer: 2 ** 26 })
    const names = ['--username', 'admin', '--firstname', 'a', '--lastname', 'b', '--email', 'admin@example.com']
    await run(superset, ['fab', 'create-admin', ...names, '--password', password], { env, maxBuffer: 2 ** 26 })
    await run(superset, ['init'], { env, maxBuffer: 2 ** 26 })
    const port = String(await freePort())
    const child = spawn(superset, ['run', '--host', '127.0.0.1', '--port', port], { env, stdio: 'ignore' })
    const url = `http://127.0.0.1:${port}`
    try {
      await answers(`${url}/health`, child)
      return new SupersetProcess(url, child, await signIn(url))
    } catch (error) {
      child.kill()
      throw error
    }
  }

  /** Calls its REST API; resolves with the JSON of the response. Throws unless the call succeeds. */
  async call<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    const { status, text } = await this.ask(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 2000)}`)
    return JSON.parse(text) as T
  }

  async ask(method: 'GET' | 'POST', path: string, body?: object): Promise<{ status: number; text: string }> {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' }
    const payload = body === undefined ? null : JSON.stringify(body)
    const response = await fetch(`${this.#url}/api/v1/${path}`, { method, headers, body: payload })
    return { status: response.status, text: await response.text() }
  }

  /** Takes a screenshot of a page when it shows a chart. */
  async picture(path: string, file: string): Promise<void> {
    const executablePath = process.env['TIDEMARK_CHROMIUM'] ?? '/usr/bin/chromium'
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 720 } })
      await page.goto(`${this.#url}/login/`)
      await page.locator('#username').fill('admin')
      await page.locator('#password').fill(password)
      await page.locator('[type=submit]').click()
      await page.waitForURL(/welcome/)
      await page.goto(this.#url + path)
      await page.locator('canvas').first().waitFor({ timeout: 60_000 })
      await page.waitForLoadState('networkidle')
      await page.screenshot({ path: file })
    } finally {
      await browser.close()
    }
  }

  stop(): void {
    this.#child.kill()
  }
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 1200 && child.exitCode === null; attempt++) {
    const isThere = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isThere) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('Superset did not start')
}

async function signIn(url: string): Promise<string> {
  const body = JSON.stringify({ username: 'admin', password, provider: 'db', refresh: false })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/api/v1/security/login`, { method: 'POST', headers, body })
  const { access_token: token } = (await response.json()) as { access_token: string }
  return token
}
