// An in-memory disk that can crash, fill up and fail. It loses data that was not fsynced, as adversely as real disks may: each such write is kept,
// lost or torn at sectors, and a lost range within a file's new size reads as zeros or as bytes of deleted files.
import { dirname } from 'node:path'
import type { Disk, DiskFile } from '../../src/lib/disk.ts'
import type { Random } from './random.ts'

const sectorBytes = 512

export type DiskOperation =
  | 'list'
  | 'open'
  | 'create'
  | 'link'
  | 'remove'
  | 'rename'
  | 'syncDirectory'
  | 'size'
  | 'read'
  | 'beginWrite'
  | 'write'
  | 'truncate'
  | 'sync'
  | 'close'
  | 'commit'

type Change = { readonly offset: number; readonly bytes: Buffer } | { readonly size: number }

interface Content {
  /** The content as a read returns it now. */
  seen: Buffer
  /** The content that is certain after a crash. */
  durable: Buffer
  /** The changes that lead from `durable` to `seen`. */
  changes: Change[]
}

interface Fault {
  readonly operation: DiskOperation
  readonly code: string
  /** The number of such operations that succeed before. */
  after: number
}

/** Runs an operation of a process at some moment soon. */
type Run = <T>(operation: DiskOperation, work: () => T) => Promise<T>

export class SimulatedDisk {
  /** The capacity in bytes of all files. */
  spaceBytes = Number.POSITIVE_INFINITY
  readonly #random: Random
  #names = new Map<string, Content>()
  #durableNames = new Map<string, Content>()
  #nameChanges: { readonly path: string; readonly content: Content | null }[] = []
  /** Bytes that recycled blocks may still contain. */
  #recycled: Buffer = Buffer.alloc(0)
  #faults: Fault[] = []
  #process = 0
  #operationsLeft = Number.POSITIVE_INFINITY
  #onHalt: () => void = () => {}

  constructor(random: Random) {
    this.#random = random
  }

  // Operations of tests on the disk.

  /** One operation of a kind fails: the next one, or the one after `after` others. */
  failOnce(operation: DiskOperation, code: string, after = 0): void {
    this.#faults.push({ operation, code, after })
  }

  /** Halts all users of the disk in the middle of an operation, after this number of operations; resolves then. */
  haltAfter(operations: number): Promise<void> {
    this.#operationsLeft = operations
    return new Promise((resolve) => {
      this.#onHalt = resolve
    })
  }

  /** The process dies but the machine does not, so nothing is lost. */
  kill(): void {
    this.#process++
    this.#operationsLeft = Number.POSITIVE_INFINITY
    this.#faults = []
  }

  /** The power fails: anything that was not fsynced may be lost. */
  crash(): void {
    this.kill()
    for (const [path, content] of this.#namesAfterCrash()) {
      if (content === null) this.#durableNames.delete(path)
      else this.#durableNames.set(path, content)
    }
    this.#names = new Map(this.#durableNames)
    this.#nameChanges = []
    for (const content of this.#names.values()) {
      content.durable = content.changes.reduce((bytes, change) => this.#maybe(bytes, change), content.durable)
      content.seen = content.durable
      content.changes = []
    }
  }

  /** A file's bytes, as a read returns them now. */
  contents(path: string): Buffer {
    return this.#get(path, 'read').seen
  }

  /** Stores a file durably. */
  put(path: string, bytes: Buffer): void {
    const content = { seen: bytes, durable: bytes, changes: [] }
    this.#names.set(path, content)
    this.#durableNames.set(path, content)
  }

  /** Deletes a file durably. */
  delete(path: string): void {
    this.#names.delete(path)
    this.#durableNames.delete(path)
  }

  /**
   * The disk as one process, or one thread of it, sees it. After a kill or a crash it is dead, and the next process mounts the disk again; a thread's is
   * dead when the thread has `ended`.
   */
  mount(ended?: AbortSignal): Disk {
    const run = this.#runOf(ended)
    return {
      list: (directory) => run('list', () => this.#list(directory)),
      listFolders: (directory) => run('list', () => this.#listFolders(directory)),
      makeDirectory: async () => {},
      open: (path, { create }) =>
        create
          ? run('create', () => this.#file(this.#create(path), run))
          : run('open', () => this.#file(this.#get(path, 'open'), run)),
      link: (from, to) => run('link', () => this.#link(from, to)),
      remove: (path) => run('remove', () => this.#remove(path)),
      removeFolder: (directory) => run('remove', () => this.#removeFolder(directory)),
      rename: (from, to) => run('rename', () => this.#rename(from, to)),
      syncDirectory: (directory) => run('syncDirectory', () => this.#syncDirectory(directory)),
    }
  }

  /** Commits to another durable store of the same process: entirely or not at all, also in a crash. */
  committer(ended?: AbortSignal): <T>(work: () => T) => Promise<T> {
    const run = this.#runOf(ended)
    return (work) => run('commit', work)
  }

  #runOf(ended: AbortSignal | undefined): Run {
    const process = this.#process
    return (operation, work) => this.#run(() => process !== this.#process || ended?.aborted === true, operation, work)
  }

  #list(directory: string): string[] {
    const paths = [...this.#names.keys()].filter((path) => dirname(path) === directory)
    return paths.map((path) => path.slice(directory.length + 1)).sort()
  }

  #listFolders(directory: string): string[] {
    const parts = [...this.#names.keys()]
      .filter((path) => path.startsWith(`${directory}/`))
      .map((path) => path.slice(directory.length + 1).split('/'))
    return [...new Set(parts.flatMap((names) => (names.length > 1 ? names.slice(0, 1) : [])))].sort()
  }

  #removeFolder(directory: string): void {
    for (const path of [...this.#names.keys()]) if (path.startsWith(`${directory}/`)) this.#remove(path)
  }

  #create(path: string): Content {
    if (this.#names.has(path)) throw failure('create', 'EEXIST', path)
    if (this.#usedBytes() >= this.spaceBytes) throw failure('create', 'ENOSPC', path)
    const content: Content = { seen: Buffer.alloc(0), durable: Buffer.alloc(0), changes: [] }
    this.#names.set(path, content)
    this.#nameChanges.push({ path, content })
    return content
  }

  #remove(path: string): void {
    this.#recycled = this.#get(path, 'remove').seen
    this.#names.delete(path)
    this.#nameChanges.push({ path, content: null })
  }

  #link(from: string, to: string): void {
    const content = this.#get(from, 'link')
    if (this.#names.has(to)) throw failure('link', 'EEXIST', to)
    this.#names.set(to, content)
    this.#nameChanges.push({ path: to, content })
  }

  #rename(from: string, to: string): void {
    const content = this.#get(from, 'rename')
    this.#names.delete(from)
    this.#names.set(to, content)
    this.#nameChanges.push({ path: to, content }, { path: from, content: null })
  }

  #syncDirectory(directory: string): void {
    for (const { path, content } of this.#nameChanges.filter((change) => dirname(change.path) === directory)) {
      if (content === null) this.#durableNames.delete(path)
      else this.#durableNames.set(path, content)
    }
    this.#nameChanges = this.#nameChanges.filter((change) => dirname(change.path) !== directory)
  }

  #file(content: Content, run: Run): DiskFile {
    return {
      size: () => run('size', () => content.seen.length),
      read: (buffer, offset) => run('read', () => content.seen.subarray(offset).copy(buffer)),
      write: async (buffers, offset) => {
        const bytes = Buffer.concat(buffers)
        // In two steps, so that others may see the write half done.
        const half = this.#random.below(bytes.length)
        await run('beginWrite', () => this.#write(content, bytes.subarray(0, half), offset))
        await run('write', () => this.#write(content, bytes.subarray(half), offset + half))
      },
      truncate: (size) => run('truncate', () => change(content, { size })),
      sync: async () => {
        try {
          await run('sync', () => {
            content.durable = content.changes.reduce(applied, content.durable)
            content.changes = []
          })
        } catch (error) {
          // As on Linux: the pages are marked clean, and no later fsync writes them.
          content.changes = []
          throw error
        }
      },
      close: async () => {
        const fault = this.#dueFault('close')
        if (fault !== undefined) throw failure('close', fault.code, '')
      },
    }
  }

  #write(content: Content, bytes: Buffer, offset: number): void {
    const growth = Math.max(0, offset + bytes.length - content.seen.length)
    const missing = Math.min(bytes.length, Math.max(0, this.#usedBytes() + growth - this.spaceBytes))
    if (bytes.length > missing) change(content, { offset, bytes: bytes.subarray(0, bytes.length - missing) })
    if (missing > 0) throw failure('write', 'ENOSPC', '')
  }

  /** Runs an operation at some moment soon; never resolves when the process has died by then. */
  async #run<T>(hasEnded: () => boolean, operation: DiskOperation, work: () => T): Promise<T> {
    const isDead = (): boolean => hasEnded() || this.#operationsLeft <= 0
    await this.#pause()
    if (isDead()) return never()
    this.#operationsLeft--
    const isLast = isDead()
    if (isLast) this.#onHalt()
    if (isLast && this.#random.below(2) === 0) return never()
    const fault = this.#dueFault(operation)
    if (fault !== undefined) throw failure(operation, fault.code, '')
    const result = work()
    await this.#pause()
    return isDead() ? never() : result
  }

  async #pause(): Promise<void> {
    for (let turns = this.#random.below(4); turns > 0; turns--) await null
  }

  #dueFault(operation: DiskOperation): Fault | undefined {
    const ofKind = this.#faults.filter((fault) => fault.operation === operation)
    const due = ofKind.find((fault) => fault.after === 0)
    for (const fault of ofKind) fault.after--
    this.#faults = this.#faults.filter((fault) => fault !== due)
    return due
  }

  #get(path: string, operation: DiskOperation): Content {
    const content = this.#names.get(path)
    if (content === undefined) throw failure(operation, 'ENOENT', path)
    return content
  }

  #usedBytes(): number {
    let bytes = 0
    for (const content of this.#names.values()) bytes += content.seen.length
    return bytes
  }

  /** For each name changed since its folder was last fsynced: any of its states since then. */
  #namesAfterCrash(): Map<string, Content | null> {
    const states = new Map<string, (Content | null)[]>()
    for (const { path, content } of this.#nameChanges) {
      const earlier = states.get(path) ?? [this.#durableNames.get(path) ?? null]
      states.set(path, [...earlier, content])
    }
    return new Map([...states].map(([path, each]) => [path, each[this.#random.below(each.length)] ?? null]))
  }

  /** The result of a crash on a change that was not fsynced. */
  #maybe(bytes: Buffer, change: Change): Buffer {
    const fate = this.#random.below(10)
    if (fate < 3) return bytes
    if (fate < 6 || 'size' in change) return applied(bytes, change)
    const end = change.offset + change.bytes.length
    let torn = this.#random.below(2) === 0 ? this.#grown(bytes, end) : bytes
    for (let from = change.offset; from < end; from = sectorEnd(from)) {
      if (this.#random.below(2) === 0) continue
      const part = change.bytes.subarray(from - change.offset, Math.min(sectorEnd(from), end) - change.offset)
      torn = applied(torn, { offset: from, bytes: part })
    }
    return torn
  }

  /** The file has its new size but not the bytes: zeros, or the content of recycled blocks. */
  #grown(bytes: Buffer, size: number): Buffer {
    const grown = Buffer.alloc(Math.max(size, bytes.length))
    if (this.#random.below(2) === 0) this.#recycled.copy(grown)
    bytes.copy(grown)
    return grown
  }
}

function change(content: Content, made: Change): void {
  content.seen = applied(content.seen, made)
  content.changes.push(made)
}

function sectorEnd(offset: number): number {
  return (Math.floor(offset / sectorBytes) + 1) * sectorBytes
}

function applied(before: Buffer, change: Change): Buffer {
  const size = 'size' in change ? change.size : Math.max(before.length, change.offset + change.bytes.length)
  const after = Buffer.alloc(size)
  before.copy(after)
  if ('bytes' in change) change.bytes.copy(after, change.offset)
  return after
}

function failure(operation: DiskOperation, code: string, path: string): Error {
  return Object.assign(new Error(`${code}: simulated, ${operation} ${path}`), { code })
}

function never(): Promise<never> {
  return new Promise(() => {})
}
