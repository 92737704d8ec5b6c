import type { Kysely } from 'kysely'
import type { SecretCatalog } from '../catalog.ts'
import type { Tables } from '../schema.ts'
import { Repository } from './transactions.ts'

const secretBytes = 32

export class SecretRepository extends Repository implements SecretCatalog {
  readonly #randomBytes: (count: number) => Uint8Array

  constructor(database: Kysely<Tables>, randomBytes: (count: number) => Uint8Array) {
    super(database)
    this.#randomBytes = randomBytes
  }

  async secret(name: string): Promise<Uint8Array> {
    const known = await this.#find(name)
    if (known !== undefined) return known
    // The first insert wins, and every process uses its value.
    const value = Buffer.from(this.#randomBytes(secretBytes)).toString('hex')
    await this.changing((transaction) =>
      transaction
        .insertInto('secrets')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute(),
    )
    const made = await this.#find(name)
    if (made === undefined) throw new Error(`the secret "${name}" was made and is not there`)
    return made
  }

  async #find(name: string): Promise<Uint8Array | undefined> {
    const row = await this.database.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirst()
    return row === undefined ? undefined : new Uint8Array(Buffer.from(row.value, 'hex'))
  }
}
