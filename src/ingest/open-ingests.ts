// Tested by `test/acceptance/open-ingests.test.ts`.
import type { IngestCatalog } from '../catalog/catalog.ts'
import type { Field } from '../model/field.ts'
import type { Ingest } from '../model/ingest.ts'
import type { OpenRules } from './open-fields.ts'

export interface OpenPort {
  readonly ingests: Pick<IngestCatalog, 'findNewest' | 'addByRow'>
  readonly fieldsMax: number
  /** Called when fields were made, before the rows that brought them can be queried. */
  readonly made: () => Promise<void>
}

interface Newest {
  readonly ingest: Ingest
  readonly rules: OpenRules
}

/** Open ingests as they are now: their rows are judged by all fields that there are, whatever version they were pushed to. */
export class OpenIngests {
  readonly #port: OpenPort
  readonly #newest = new Map<number, Newest>()

  constructor(port: OpenPort) {
    this.#port = port
  }

  /** Null of an ingest whose rows bring no fields. */
  rules(ingest: Ingest): OpenRules | null {
    const known = this.#newest.get(ingest.id)
    return known?.ingest === ingest ? known.rules : null
  }

  /** As it is now; one that is full is asked for each time, for the operator may have added what a row brings. Null where it was dropped. */
  async newest(ingest: Ingest): Promise<Ingest | null> {
    const known = this.#newest.get(ingest.id)
    const isOld = known === undefined || known.ingest.fieldsVersion < ingest.fieldsVersion
    if (!isOld && known.ingest.fields.length < this.#port.fieldsMax) return known.ingest
    const found = await this.#port.ingests.findNewest(ingest.id)
    return found === null ? null : this.#hold(found, known?.rules.refused)
  }

  /** Null where its entity was dropped. */
  async make({ id }: Ingest, fields: readonly Field[]): Promise<Ingest | null> {
    const made = await this.#port.ingests.addByRow(id, fields, this.#port.fieldsMax)
    if (made === null) return null
    await this.#port.made()
    return this.#hold(made.ingest, new Map([...(this.#newest.get(id)?.rules.refused ?? []), ...made.refused]))
  }

  #hold(found: Ingest, refused: ReadonlyMap<string, string> = new Map()): Ingest {
    const ingest: Ingest = { ...found, unknown: 'add' }
    this.#newest.set(ingest.id, { ingest, rules: { fieldsMax: this.#port.fieldsMax, refused } })
    return ingest
  }
}
