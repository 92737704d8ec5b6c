import { callOk } from '../support/api.ts'
import { seededRandom } from '../support/random.ts'
import { adminKey } from '../support/server-process.ts'
import { makeNarrowAndWide, packed, pushWorst, type WorstBody, worstBodies } from '../support/worst-bodies.ts'
import type { ParallelWork } from './kill-rounds.ts'

type Alias = WorstBody['alias']

/** A client that pushes the worst bodies in turn while the server is killed; no acknowledged row may be missing. */
export class WorstCompany implements ParallelWork {
  readonly #random
  readonly #bytes: number
  readonly #rowsMax: number
  readonly #acknowledged: Record<Alias, number> = { narrow: 0, wide: 0 }
  #keys: Readonly<Record<Alias, string>> = { narrow: '', wide: '' }
  bodies = 0

  constructor(seed: number, { bytes, rowsMax }: { readonly bytes: number; readonly rowsMax: number }) {
    this.#random = seededRandom(seed)
    this.#bytes = bytes
    this.#rowsMax = rowsMax
  }

  async begin(url: string): Promise<void> {
    this.#keys = await makeNarrowAndWide(url)
  }

  async beside(url: string): Promise<void> {
    for (;;) {
      const body = worstBodies[this.#random.below(worstBodies.length)]!
      const bytes = packed(body, this.#bytes, this.#rowsMax)
      try {
        this.#acknowledged[body.alias] += await pushWorst(url, this.#keys[body.alias], body, bytes)
        this.bodies++
      } catch (error) {
        // fetch throws a TypeError when the server is gone.
        if (error instanceof TypeError) return
        throw error
      }
    }
  }

  async end(url: string): Promise<void> {
    for (const alias of ['narrow', 'wide'] as const) {
      const { received, stored, rejected } = await settled(url, alias)
      // A push whose response was lost with the server may be stored.
      if (received < this.#acknowledged[alias]) {
        throw new Error(`${alias}: ${this.#acknowledged[alias]} rows were acknowledged, ${received} are there`)
      }
      if (stored + rejected !== received) {
        throw new Error(`${alias}: of ${received} rows ${stored} are stored and ${rejected} rejected`)
      }
    }
  }
}

/** The counters when nothing is pending any more. */
export async function settled(url: string, alias: Alias) {
  for (;;) {
    const { counters } = await callOk<{ counters: Record<'received' | 'stored' | 'rejected' | 'pending', number> }>(
      url,
      'GET',
      `/admin/ingests/${alias}`,
      { key: adminKey },
    )
    if (counters.pending === 0) return counters
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
