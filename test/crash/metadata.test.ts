// Clients push metadata items while the server is killed and restarted; an operator deletes some. Afterwards a read must return the newest acknowledged
// push of each item.
import { expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'

const rounds = Number(process.env['TIDEMARK_CRASH_ROUNDS'] ?? 100)
const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Date.now() % 1_000_000)
const clients = 4
const itemsOfAClient = 40

const fields = [
  { name: 'id', type: 'string', role: 'index' },
  { name: 'version', type: 'long', role: 'attribute' },
]

/** The possible states of an item after the changes of its only client: a change without a response may have been made or not. */
interface Expected {
  acknowledged: number | null
  readonly maybe: (number | null)[]
}

/** One client's items, which no other client uses. It makes one change at a time, so that "newest" is well defined. */
class Client {
  readonly items = new Map<string, Expected>()
  acknowledged = 0
  readonly #name: string
  readonly #random: Random
  #version = 0

  constructor(name: string, random: Random) {
    this.#name = name
    this.#random = random
  }

  /** Pushes and deletes until the server is gone. */
  async run(url: string, key: string): Promise<void> {
    for (;;) {
      const change = this.#random.below(8) === 0 ? this.#deletion() : this.#push()
      for (const [id, version] of change.outcomes) this.#of(id).maybe.push(version)
      try {
        const response = await fetch(url + change.path, change.request(key))
        await response.arrayBuffer()
        if (response.status !== 200 && response.status !== 204 && response.status !== 404) continue
      } catch {
        return
      }
      for (const [id, version] of change.outcomes) this.items.set(id, { acknowledged: version, maybe: [] })
      this.acknowledged++
    }
  }

  #push() {
    const version = ++this.#version
    const ids = new Set(Array.from({ length: 1 + this.#random.below(20) }, () => this.#someId()))
    // Each item twice: the later row of a push is the newer one.
    const rows = [...ids].flatMap((id) => [
      { id, version: -1 },
      { id, version },
    ])
    return {
      path: '/ingests/kill/data',
      outcomes: new Map<string, number | null>([...ids].map((id) => [id, version])),
      request: (key: string) => ({
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(rows),
      }),
    }
  }

  #deletion() {
    const id = this.#someId()
    return {
      path: `/admin/metadata/kill/items/${encodeURIComponent(id)}`,
      outcomes: new Map<string, number | null>([[id, null]]),
      request: () => ({ method: 'DELETE', headers: { authorization: `Bearer ${adminKey}` } }),
    }
  }

  #someId(): string {
    return `${this.#name}/${this.#random.below(itemsOfAClient)}`
  }

  #of(id: string): Expected {
    const known = this.items.get(id) ?? { acknowledged: null, maybe: [] }
    this.items.set(id, known)
    return known
  }
}

interface Page {
  readonly Items: readonly { readonly id: string; readonly version: number }[]
  readonly NextToken: string | null
}

async function versionsOf(url: string): Promise<Map<string, number>> {
  const versions = new Map<string, number>()
  for (let query = '?limit=37'; ; ) {
    const page = await callOk<Page>(url, 'GET', `/consumer/metadata/kill${query}`)
    for (const { id, version } of page.Items) {
      if (versions.has(id)) throw new Error(`${id} is on two pages`)
      versions.set(id, version)
    }
    if (page.NextToken === null) return versions
    query = `?limit=37&NextToken=${encodeURIComponent(page.NextToken)}`
  }
}

/** Items that match neither the last acknowledged change nor a later change without a response. */
function strays(all: readonly Client[], found: ReadonlyMap<string, number>): readonly string[] {
  return all.flatMap(({ items }) =>
    [...items].flatMap(([id, { acknowledged, maybe }]) => {
      const version = found.get(id) ?? null
      return [acknowledged, ...maybe].includes(version) ? [] : [`${id}: ${version} in place of ${acknowledged}`]
    }),
  )
}

test(`after ${rounds} kills a read returns the newest acknowledged item (TIDEMARK_TEST_SEED=${seed})`, async () => {
  await inScratchFolder('tidemark-kill-', killAndCompare)
})

async function killAndCompare(dataDirectory: string): Promise<void> {
  const random = seededRandom(seed)
  const all = Array.from({ length: clients }, (_, index) => new Client(`client ${index}`, random))
  let server = await ServerProcess.start({ dataDirectory })
  try {
    const key = await makeIngest(server.url, adminKey, { kind: 'metadata', alias: 'kill', fields })
    for (let round = 0; round < rounds; round++) {
      const running = Promise.all(all.map((client) => client.run(server.url, key)))
      await new Promise((resolve) => setTimeout(resolve, 20 + random.below(300)))
      await server.kill()
      await running
      server = await ServerProcess.start({ dataDirectory })
      const found = await versionsOf(server.url)
      expect(strays(all, found)).toEqual([])
      const [described] = await callOk<{ items: number }[]>(server.url, 'POST', '/consumer/metadata', { body: {} })
      expect(described?.items).toBe(found.size)
      settle(all, found)
    }
    expect(all.reduce((sum, { acknowledged }) => sum + acknowledged, 0)).toBeGreaterThan(rounds)
  } finally {
    await server.kill()
  }
}

/** Takes the state found after a restart as final, so the next change starts from there. */
function settle(all: readonly Client[], found: ReadonlyMap<string, number>): void {
  for (const { items } of all) {
    for (const id of items.keys()) items.set(id, { acknowledged: found.get(id) ?? null, maybe: [] })
  }
}
