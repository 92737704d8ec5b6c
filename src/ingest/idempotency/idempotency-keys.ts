// Remembers for a day which push a key identifies: all keys in memory; on disk in the journal's records, and in files for records that were deleted.
import { type BodyFormat, type JournalCursor, positionAfter } from '../../journal/journal.ts'
import { Serial } from '../../lib/serial.ts'
import { KeyAges } from './key-ages.ts'
import { KeyFiles, type KeyFolder } from './key-files.ts'
import { keyReused, tooManyKeys } from './key-problems.ts'
import { KeyTable } from './key-table.ts'
import { formatOf, hashBody, hashBodyInSlices, hashKeyName, type KeyedPush, keyName } from './push-key.ts'

export interface IdempotencyOptions extends KeyFolder {
  /** The most live keys; beyond it a push with a new key is refused. */
  readonly keysMax: number
  /** The journal at the start, before anything is written to it. */
  readonly journal: {
    readonly firstPosition: number
    readonly durablePosition: number
    readonly reader: Pick<JournalCursor, 'read'>
  }
}

export interface KeyUse {
  readonly subscriberId: number
  readonly ingestId: number
  readonly key: string
  readonly body: Uint8Array
  readonly format: BodyFormat
}

/** The position of a stored push. */
export interface JournalledPush {
  readonly position: number
  readonly rows: number
  readonly receivedMs: number
}

const readBytes = 1024 * 1024
/** The most expired keys that a push removes: more than it can add, and few enough to take negligible time. */
const forgottenAtOnce = 64

export class IdempotencyKeys {
  readonly #options: IdempotencyOptions
  readonly #table: KeyTable
  readonly #files: KeyFiles
  readonly #ages: KeyAges
  /** Table entries before this number are in the files. */
  #keptEnd: number
  /** Pushes being written, by the name of their key; each settles when it is known whether the push is stored. */
  readonly #inFlight = new Map<string, Promise<unknown>>()
  readonly #keeping = new Serial()

  private constructor(
    options: IdempotencyOptions,
    { table, files, ages }: { readonly table: KeyTable; readonly files: KeyFiles; readonly ages: KeyAges },
    keptEnd: number,
  ) {
    this.#options = options
    this.#ages = ages
    this.#table = table
    this.#files = files
    this.#keptEnd = keptEnd
  }

  /** Reads the keys of the last day from the files and the journal. Throws an Error that names the file and offset if a file is damaged. */
  static async open(options: IdempotencyOptions): Promise<IdempotencyKeys> {
    const { firstPosition, durablePosition } = options.journal
    const ages = new KeyAges(options)
    const table = new KeyTable()
    const ahead = new KeyTable()
    const files = await KeyFiles.open(options, firstPosition, (push) => {
      if (push.position >= durablePosition || push.receivedS <= ages.expiredS) return
      const one = ages.isAhead(push.receivedS) ? ahead : table
      one.add(push)
    })
    addLast(table, ahead)
    // Rewrites files that name pushes which do not exist, or that a clock running ahead would keep, along with all later files, for too long.
    const isRewritten = files.throughPosition > durablePosition || ahead.size > 0
    const keys = new IdempotencyKeys(options, { table, files, ages }, isRewritten ? table.start : table.end)
    if (isRewritten) {
      const throughPosition = Math.min(files.throughPosition, durablePosition)
      files.replaceAll()
      await keys.beforeTrim(throughPosition)
    }
    await keys.#readJournal(Math.max(files.throughPosition, firstPosition))
    ages.read(table.end)
    return keys
  }

  /** The number of keys remembered. */
  get size(): number {
    return this.#table.size
  }

  /** An estimate of their memory. */
  get bytes(): number {
    return this.#table.bytes
  }

  /**
   * Stores a push with `store`, or finds that a push with its key is already stored; returns its position in both cases. Waits for a push with the same
   * key that is in progress. Throws Problem `idempotency_key_reused` if the key was used for another body or in another format,
   * `overloaded` if there are too many keys, and the errors of `store`, after which the key is still unused.
   */
  async once(use: KeyUse, store: () => Promise<JournalledPush>): Promise<Pick<JournalledPush, 'position' | 'rows'>> {
    const name = keyName(use.subscriberId, use.ingestId, use.key)
    const keyHash = hashKeyName(name)
    const bodyHash = await hashBodyInSlices(use.body, use.format)
    // Between here and recording the push in #inFlight, only another push with the same key is awaited.
    for (let first = this.#inFlight.get(name); first !== undefined; first = this.#inFlight.get(name)) await first
    const known = this.#find(keyHash)
    if (known !== null) {
      if (Buffer.compare(known.bodyHash, bodyHash) !== 0) throw keyReused()
      return known
    }
    this.#requireSpace()
    const storing = this.#store(keyHash, bodyHash, store)
    this.#inFlight.set(
      name,
      storing.catch(() => {}),
    )
    try {
      return await storing
    } finally {
      this.#inFlight.delete(name)
    }
  }

  /** Keeps the keys of records before `position`, and later ones known so far, in files. Await this before the records are deleted. */
  beforeTrim(position: number): Promise<void> {
    return this.#keeping.run(async () => {
      const start = Math.max(this.#keptEnd, this.#table.start)
      const end = this.#table.end
      if (start === end && !this.#files.isUsed) return
      // Keys that are not in the files yet are in journal order, so if the last one is covered, all before it are.
      const through = start === end ? position : Math.max(position, positionAfter(this.#table.entry(end - 1)))
      await this.#files.add(this.#table.piecesOf(start, end), through)
      this.#keptEnd = end
      // Only now: until the new file has a block, only the old ones record how far the keys reach.
      await this.#files.removeExpired()
    })
  }

  close(): Promise<void> {
    return this.#keeping.run(() => this.#files.close())
  }

  async #readJournal(from: number): Promise<void> {
    const { reader, durablePosition } = this.#options.journal
    const { expiredS } = this.#ages
    for (let position = from; position < durablePosition; ) {
      const entries = await reader.read(position, durablePosition, readBytes)
      for (const entry of entries) {
        if (entry.idempotencyKey === null || entry.receivedMs / 1000 <= expiredS) continue
        const name = keyName(entry.subscriberId, entry.ingestId, entry.idempotencyKey)
        const receivedS = Math.floor(entry.receivedMs / 1000)
        this.#table.add(keyedPush(hashKeyName(name), hashBody(entry.body, formatOf(entry)), entry, receivedS))
      }
      const last = entries.at(-1)
      if (last === undefined) throw new Error(`the journal has nothing at position ${position}`)
      position = positionAfter(last)
    }
  }

  async #store(
    keyHash: Uint8Array,
    bodyHash: Uint8Array,
    store: () => Promise<JournalledPush>,
  ): Promise<JournalledPush> {
    const stored = await store()
    // Stamped now, because the clock may have been set since the push was received.
    this.#table.add(keyedPush(keyHash, bodyHash, stored, this.#ages.stamp(this.#table.end)))
    return stored
  }

  #find(keyHash: Uint8Array): KeyedPush | null {
    const number = this.#table.find(keyHash)
    if (number === null) return null
    const found = this.#table.entry(number)
    return this.#ages.isExpired(number, found.receivedS) ? null : found
  }

  #requireSpace(): void {
    const { keysMax } = this.#options
    this.#table.forget((number, receivedS) => this.#ages.isExpired(number, receivedS), forgottenAtOnce)
    this.#ages.forgotten(this.#table.start)
    if (this.#table.size + this.#inFlight.size < keysMax) return
    throw tooManyKeys(keysMax)
  }
}

/** Appends the keys stamped by a clock that ran ahead after all others, which are forgotten before them. */
function addLast(table: KeyTable, ahead: KeyTable): void {
  for (let number = ahead.start; number < ahead.end; number++) {
    const push = ahead.entry(number)
    const known = table.find(push.keyHash)
    if (known === null || table.entry(known).position < push.position) table.add(push)
  }
}

const largestS = 2 ** 32 - 1

function keyedPush(
  keyHash: Uint8Array,
  bodyHash: Uint8Array,
  { position, rows }: Pick<JournalledPush, 'position' | 'rows'>,
  receivedS: number,
): KeyedPush {
  return { keyHash, bodyHash, position, rows, receivedS: Math.min(Math.max(0, receivedS), largestS) }
}
