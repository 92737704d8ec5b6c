import type { ItemCatalog } from '../catalog/catalog.ts'
import type { Definitions } from '../catalog/definitions.ts'
import type { JournalWriter } from '../journal/journal.ts'
import { indexField } from '../model/entity.ts'
import { invalidRequest, Problem } from '../model/problem.ts'
import { identifierForms, keyOfText } from './identifier.ts'
import { tableNotFound } from './metadata.ts'

export interface ItemAdminParts {
  readonly definitions: Pick<Definitions, 'metadataEntity' | 'metadataEntities'>
  readonly items: Pick<ItemCatalog, 'delete'>
  readonly journal: Pick<JournalWriter, 'endPosition'>
  readonly progress: { waitFor(position: number, signal: AbortSignal): Promise<void> }
  /** How long a deletion waits until rows pushed before it are validated. */
  readonly waitMs: number
}

export class ItemAdmin {
  readonly #parts: ItemAdminParts

  constructor(parts: ItemAdminParts) {
    this.#parts = parts
  }

  /**
   * Deletes an item, after all rows acknowledged so far are validated. Throws Problem `table_not_found`, `not_found` if the item does not exist,
   * `invalid_request` if the id is not of the index field's type, `unavailable` if the rows are not validated within `waitMs`.
   */
  async delete(table: string, id: string): Promise<void> {
    const { definitions, items, journal } = this.#parts
    const entity = definitions.metadataEntity(table)
    if (entity === undefined) throw tableNotFound(table, definitions.metadataEntities())
    const { name, type } = indexField(entity)
    const key = keyOfText(type, id)
    if (key === null)
      throw invalidRequest('id', `the index field "${name}" is a ${type}: give ${identifierForms[type]}`)
    const position = await journal.endPosition(entity.id)
    await this.#validated(position)
    if (await items.delete(entity.id, key, position)) return
    throw new Problem('not_found', `The metadata entity ${table} has no item ${JSON.stringify(id)}.`)
  }

  /** A push acknowledged before the deletion must not restore the item when it is validated later. */
  async #validated(position: number): Promise<void> {
    const { progress, waitMs } = this.#parts
    const timeout = AbortSignal.timeout(waitMs)
    try {
      await progress.waitFor(position, timeout)
    } catch (error) {
      if (!timeout.aborted) throw error
      throw new Problem('unavailable', 'Rows pushed earlier are still being validated. Retry the deletion in a moment.')
    }
  }
}
