// A Chromium tab driven by the browser's own protocol, without observing it: under Playwright the tab keeps what it sends, up to 100 MB.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

interface Reply {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

const lookMs = 50
const timeoutMs = 900_000

export class Tab {
  readonly #browser: ChildProcess
  readonly #waiting = new Map<number, (reply: Reply) => void>()
  #calls = 0
  /** Null for the browser itself. */
  #session: string | null = null

  private constructor(browser: ChildProcess) {
    this.#browser = browser
    let rest = ''
    // Messages end with a zero byte.
    const heard = (text: string): void => {
      const messages = (rest + text).split('\0')
      rest = messages.pop() ?? ''
      for (const message of messages) this.#hear(JSON.parse(message))
    }
    const replies = browser.stdio[4] as Readable
    replies.setEncoding('utf8').on('data', heard)
  }

  /** Opens an address in a new browser, whose files are in `folder`. */
  static async open(executablePath: string, folder: string, address: string): Promise<Tab> {
    const options = ['--headless', '--no-sandbox', '--disable-dev-shm-usage', '--remote-debugging-pipe']
    const stdio = ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] as const
    const browser = spawn(executablePath, [...options, `--user-data-dir=${folder}`, 'about:blank'], {
      stdio: [...stdio],
    })
    const tab = new Tab(browser)
    const { targetId } = await tab.#call<{ targetId: string }>('Target.createTarget', { url: address })
    const attached = await tab.#call<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true })
    tab.#session = attached.sessionId
    return tab
  }

  #hear(reply: Reply): void {
    if (reply.id === undefined) return
    this.#waiting.get(reply.id)?.(reply)
    this.#waiting.delete(reply.id)
  }

  async #call<Result>(method: string, params: object = {}, session: string | null = this.#session): Promise<Result> {
    const id = ++this.#calls
    const reply = await new Promise<Reply>((resolve) => {
      this.#waiting.set(id, resolve)
      const requests = this.#browser.stdio[3] as Writable
      const sessionId = session ?? undefined
      requests.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    })
    if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`)
    return reply.result as Result
  }

  #evaluate(expression: string): Promise<{ result: { value?: unknown; objectId?: string } }> {
    return this.#call('Runtime.evaluate', { expression })
  }

  /** Waits until an expression is true in the page; calls `look` before each check. */
  async until(expression: string, look: () => Promise<void> = async () => {}): Promise<void> {
    for (const endMs = performance.now() + timeoutMs; performance.now() < endMs; await sleep(lookMs)) {
      await look()
      if ((await this.#evaluate(expression)).result.value === true) return
    }
    throw new Error(`not so within ${timeoutMs} ms: ${expression}`)
  }

  /** Waits until the page shows a text. */
  shows(text: string, look?: () => Promise<void>): Promise<void> {
    return this.until(`document.body?.innerText.includes(${JSON.stringify(text)}) === true`, look)
  }

  /** Types into the first field that matches the selector. */
  async type(selector: string, text: string): Promise<void> {
    const field = `document.querySelector(${JSON.stringify(selector)})`
    await this.until(`${field} !== null`)
    await this.#evaluate(`${field}.focus()`)
    await this.#call('Input.insertText', { text })
  }

  /** Clicks the button whose text starts with `text`. */
  async click(text: string): Promise<void> {
    const begins = `one.textContent.trim().startsWith(${JSON.stringify(text)})`
    const button = `[...document.querySelectorAll('button')].find((one) => ${begins} && !one.disabled)`
    await this.until(`${button} !== undefined`)
    await this.#evaluate(`${button}.click()`)
  }

  async chooseFile(path: string): Promise<void> {
    const field = `document.querySelector('input[type=file]')`
    await this.until(`${field} !== null`)
    const { objectId } = (await this.#evaluate(field)).result
    await this.#call('DOM.setFileInputFiles', { files: [path], objectId })
  }

  /** The memory of the browser's largest renderer process: its own, plus its share of shared memory. */
  async bytes(): Promise<number> {
    type Processes = { readonly processInfo: readonly { readonly type: string; readonly id: number }[] }
    const { processInfo } = await this.#call<Processes>('SystemInfo.getProcessInfo', {}, null)
    const sizes = processInfo
      .filter(({ type }) => type === 'renderer')
      .map(async ({ id }) => {
        const text = await readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch(() => '')
        return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) * 1024
      })
    return Math.max(0, ...(await Promise.all(sizes)))
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#browser.once('close', resolve))
    this.#browser.kill('SIGKILL')
    await ended
  }
}
