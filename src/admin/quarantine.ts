import { Type } from 'typebox'
import type { IngestCatalog } from '../catalog/catalog.ts'
import type { QuarantineCatalog, QuarantinedEntry } from '../catalog/quarantine.ts'
import { formatInstant } from '../model/instant.ts'
import { lineFormats } from '../model/line-format.ts'
import type { NextTokens } from '../model/next-token.ts'
import type { PageRequest } from '../model/page.ts'
import { Problem } from '../model/problem.ts'
import { orNull, pageOf, pageSchema } from './list-page.ts'

export const QuarantinedAnswer = Type.Object(
  {
    id: Type.String({ description: 'The id of the entry: its position in the journal.' }),
    batch: orNull(Type.String(), { description: 'The batch id; null for a replay, and if the ingest is gone.' }),
    ingest: orNull(Type.String(), { description: 'The alias of the ingest; null if it is gone.' }),
    format: Type.Enum(['json', 'ndjson', 'replay', ...lineFormats]),
    rows: Type.Integer({ minimum: 0, description: 'Rows of the push.' }),
    not_validated: Type.Integer({ minimum: 0, description: 'How many of its last rows were not validated.' }),
    texts: Type.Boolean({
      description:
        'Whether these rows are in the list of rejected rows with their texts. Otherwise only the body has them.',
    }),
    bytes: Type.Integer({ minimum: 0, description: 'The size of the body.' }),
    received: Type.String({ format: 'date-time' }),
    quarantined: Type.String({ format: 'date-time' }),
  },
  { description: 'A push or a replay in quarantine because it crashed validation.' },
)
export type QuarantinedAnswer = Type.Static<typeof QuarantinedAnswer>

export const QuarantinePage = pageSchema(QuarantinedAnswer)
type QuarantinePage = Type.Static<typeof QuarantinePage>

export interface QuarantineAdminParts {
  readonly quarantine: Pick<QuarantineCatalog, 'list' | 'bodyPart' | 'release'>
  readonly ingests: Pick<IngestCatalog, 'findVersion'>
  readonly batchIds: {
    encode(key: { position: number; rows: number; ingestId: number; subscriberId: number }): string
  }
  readonly tokens: NextTokens
  /** Called after an entry was released. */
  readonly changed: () => Promise<void>
}

export interface QuarantinedBody {
  readonly format: QuarantinedEntry['format']
  readonly bytes: number
  readonly chunks: AsyncIterable<Uint8Array>
}

export class QuarantineAdmin {
  readonly #parts: QuarantineAdminParts

  constructor(parts: QuarantineAdminParts) {
    this.#parts = parts
  }

  /** In the order in which they were accepted. Throws Problem `invalid_request` and `invalid_token`. */
  async list(request: PageRequest): Promise<QuarantinePage> {
    const { quarantine, tokens } = this.#parts
    const page = await pageOf<QuarantinedEntry>(request, {
      tokens,
      scope: ['/admin/quarantine'],
      keyOf: ({ position }) => String(position),
      // Each entry has crashed the validator, so there are few enough to read all at once.
      itemsAfter: async (after, limit) => {
        const entries = (await quarantine.list()).filter(({ isReleased }) => !isReleased)
        return entries.filter(({ position }) => after === null || position > Number(after)).slice(0, limit)
      },
    })
    const Items: QuarantinedAnswer[] = []
    for (const entry of page.Items) Items.push(await this.#answer(entry))
    return { ...page, Items }
  }

  /** The body exactly as pushed. Throws Problem `not_found`. */
  async body(id: string): Promise<QuarantinedBody> {
    const { position, format, bodyBytes } = await this.#found(id)
    return { format, bytes: bodyBytes, chunks: this.#chunks(position, bodyBytes) }
  }

  /** Deletes the body; its rows stay in the list of rejected rows. Throws Problem `not_found`. */
  async release(id: string): Promise<void> {
    const { position } = await this.#found(id)
    if (!(await this.#parts.quarantine.release(position))) throw notFound(id)
    await this.#parts.changed()
  }

  async #found(id: string): Promise<QuarantinedEntry> {
    const entry = (await this.#parts.quarantine.list()).find(({ position }) => String(position) === id)
    if (entry === undefined || entry.isReleased) throw notFound(id)
    return entry
  }

  /** Throws if the body is deleted meanwhile: a short body would look complete, and the next response on the connection like the rest of it. */
  async *#chunks(position: number, bodyBytes: number): AsyncGenerator<Uint8Array> {
    let sent = 0
    for (let part = 0; sent < bodyBytes; part++) {
      const bytes = await this.#parts.quarantine.bodyPart(position, part)
      if (bytes === null) throw new Error(`the body of ${position} was let go while it was sent`)
      sent += bytes.length
      yield bytes
    }
  }

  async #answer(entry: QuarantinedEntry): Promise<QuarantinedAnswer> {
    const { ingests, batchIds } = this.#parts
    const { position, fromPosition, ingestId, fieldsVersion, subscriberId, rows, format, level } = entry
    const ingest = await ingests.findVersion(ingestId, fieldsVersion)
    const isPush = format !== 'replay' && ingest !== null
    return {
      id: String(position),
      batch: isPush ? batchIds.encode({ position, rows, ingestId, subscriberId }) : null,
      ingest: ingest?.alias ?? null,
      format,
      rows,
      not_validated: position + rows - fromPosition,
      texts: level === 1,
      bytes: entry.bodyBytes,
      received: formatInstant(entry.receivedMs),
      quarantined: formatInstant(entry.quarantinedMs),
    }
  }
}

function notFound(id: string): Problem {
  return new Problem('not_found', `No push with the id ${id.slice(0, 64)} is in quarantine, or its body was deleted.`)
}
