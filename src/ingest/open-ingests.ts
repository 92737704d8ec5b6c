// Tested by `test/acceptance/open-ingests.test.ts`.
import type { IngestCatalog, OpenIngest } from '../catalog/catalog.ts'
import { partitionOf } from '../journal/partition-position.ts'
import type { Field } from '../model/field.ts'
import type { Ingest } from '../model/ingest.ts'
import { KnownFields } from '../model/known-fields.ts'
import type { OpenRules } from './open-fields.ts'

export interface OpenPort {
  readonly ingests: Pick<IngestCatalog, 'findOpen' | 'addByRow'>
  readonly fieldsMax: number
  /** Called when fields were added, before the rows that brought them can be queried. */
  readonly made: () => Promise<void>
}

/** The place of a row of an open ingest: its position, and the version that it was pushed to. */
export interface OpenPlace {
  readonly fieldsVersion: number
  readonly position: number
}

interface Known {
  readonly open: OpenIngest
  readonly rules: OpenRules
  /** The ingest with the fields of recent rows. Objects are reused because validators cache much for each. */
  readonly views: Ingest[]
}

/** Entries of several versions and partitions may alternate. */
const viewsMax = 16

/**
 * Open ingests with the fields of a row: those of the version it was pushed to, and those that earlier rows in its partition brought. So a row has
 * the same fields whenever it is validated.
 */
export class OpenIngests {
  readonly #port: OpenPort
  readonly #known = new Map<number, Known>()
  /** Ingests known to equal the catalog's, apart from changes by other processes. */
  readonly #fresh = new Set<number>()
  /** The rules of each view. */
  readonly #rules = new WeakMap<Ingest, OpenRules>()

  constructor(port: OpenPort) {
    this.#port = port
  }

  /** Null for an ingest whose rows cannot bring fields. */
  rules(ingest: Ingest): OpenRules | null {
    return this.#rules.get(ingest) ?? null
  }

  /** Call when another process may have validated rows of the partitions. */
  forget(): void {
    this.#fresh.clear()
  }

  /** The ingest with the fields of a row. A full ingest is read each time, because an operator may have added a field. Null if it was dropped. */
  async at(id: number, place: OpenPlace): Promise<Ingest | null> {
    const known = this.#known.get(id)
    const isNew = known !== undefined && this.#fresh.has(id) && known.open.ingest.fieldsVersion >= place.fieldsVersion
    if (isNew && known.open.ingest.fields.length < this.#port.fieldsMax) return this.#view(known, place)
    const found = await this.#port.ingests.findOpen(id)
    return found === null ? null : this.#view(this.#hold(found), place)
  }

  /** Adds the fields that the row at a place brings. Null if the entity was dropped. */
  async make(id: number, fields: readonly Field[], place: OpenPlace): Promise<Ingest | null> {
    const version = this.#known.get(id)?.open.ingest.fieldsVersion
    const found = await this.#port.ingests.addByRow(id, fields, place.position, this.#port.fieldsMax)
    if (found === null) return null
    if (found.ingest.fieldsVersion !== version) await this.#port.made()
    return this.#view(this.#hold(found), place)
  }

  #hold(open: OpenIngest): Known {
    const { id, fields } = open.ingest
    const rules = { fieldsMax: this.#port.fieldsMax, standing: new KnownFields(fields, open.entity) }
    const known: Known = { open, rules, views: this.#known.get(id)?.views ?? [] }
    this.#known.set(id, known)
    this.#fresh.add(id)
    return known
  }

  #view(known: Known, place: OpenPlace): Ingest {
    const seen = view(known, place)
    this.#rules.set(seen, known.rules)
    return seen
  }
}

function view({ open: { ingest, since }, views }: Known, { fieldsVersion, position }: OpenPlace): Ingest {
  const partition = partitionOf(position)
  const fields = ingest.fields.filter((_, index) => {
    const { version, places } = since[index]!
    return version <= fieldsVersion || (places.get(partition) ?? Number.POSITIVE_INFINITY) <= position
  })
  const known = views.findIndex((one) => isSame(one.fields, fields))
  const [found = { ...ingest, fields, unknown: 'add' as const }] = known < 0 ? [] : views.splice(known, 1)
  views.push(found)
  if (views.length > viewsMax) views.shift()
  return found
}

/** Compares sources only: a field never changes. */
function isSame(some: readonly Field[], others: readonly Field[]): boolean {
  return some.length === others.length && some.every(({ source }, index) => source === others[index]!.source)
}
