// The series of an entity on disk; docs/formats/series-registry.md describes the format.
import { join } from 'node:path'
import type { StoreRegistry } from '../../../catalog/manifest.ts'
import type { Disk, DiskFile } from '../../../lib/disk.ts'
import type { EntityRegistry } from './entity-registry.ts'
import { encodeBlock, encodeHeader, readBlocks, registryHeaderBytes } from './registry-format.ts'

/** Series per write, so that other work can run in between. */
const blockSeries = 4096
export const registryName = 'series.log'

export interface RegistryLogParts {
  readonly disk: Disk
  /** The entity's folder. */
  readonly directory: string
  readonly registry: EntityRegistry
  /** Called before trailing bytes are cut off: a failed commit may have recorded them (`ManifestCatalog.settle`). */
  readonly settle: () => Promise<void>
}

/** Appends new series of an entity to one file that only grows. */
export class RegistryLog {
  readonly #parts: RegistryLogParts
  #series: number
  #bytes: number

  private constructor(parts: RegistryLogParts, { series, bytes }: Pick<StoreRegistry, 'series' | 'bytes'>) {
    this.#parts = parts
    this.#series = series
    this.#bytes = bytes
  }

  /** Starts a registry without any recorded series; an existing file is obsolete and is deleted. */
  static async begin(parts: RegistryLogParts): Promise<RegistryLog> {
    const { disk, directory } = parts
    if ((await disk.list(directory)).includes(registryName)) await disk.remove(join(directory, registryName))
    return new RegistryLog(parts, { series: 0, bytes: 0 })
  }

  /**
   * Reads the recorded part of the file into the registry, which must be empty, and cuts off the rest. Throws an Error that names the file
   * when it is damaged.
   */
  static async open(parts: RegistryLogParts, recorded: StoreRegistry): Promise<RegistryLog> {
    const path = join(parts.directory, registryName)
    const file = await openRegistry(parts.disk, path)
    try {
      await readBlocks({ file, path }, recorded, parts.registry)
      if ((await file.size()) > recorded.bytes) {
        await parts.settle()
        await file.truncate(recorded.bytes)
        await file.sync()
      }
    } finally {
      await file.close()
    }
    return new RegistryLog(parts, recorded)
  }

  /** The part that is on disk. */
  get written(): StoreRegistry {
    return { entityId: this.#parts.registry.entityId, series: this.#series, bytes: this.#bytes }
  }

  /** Writes the series that are not on disk yet. The returned state is durable and may be recorded; null when there was none to write. */
  async extend(): Promise<StoreRegistry | null> {
    const { disk, directory, registry } = this.#parts
    const { series, entityId } = registry
    const end = series.count
    if (this.#series === end) return null
    const isNew = this.#bytes === 0
    if (isNew) await disk.makeDirectory(directory)
    const file = await this.#openToWrite(isNew)
    try {
      let offset = this.#bytes
      if (isNew) {
        await file.write([encodeHeader(entityId)], 0)
        offset = registryHeaderBytes
      }
      for (let first = this.#series; first < end; first += blockSeries) {
        const block = encodeBlock(series, entityId, first, Math.min(first + blockSeries, end))
        await file.write([block], offset)
        offset += block.length
      }
      await file.sync()
      if (isNew) await disk.syncDirectory(directory)
      this.#series = end
      this.#bytes = offset
    } finally {
      await file.close()
    }
    return { entityId, series: this.#series, bytes: this.#bytes }
  }

  /** A failed attempt may have left the file behind. */
  async #openToWrite(isNew: boolean): Promise<DiskFile> {
    const { disk, directory } = this.#parts
    const path = join(directory, registryName)
    const isThere = !isNew || (await disk.list(directory)).includes(registryName)
    return disk.open(path, { create: !isThere })
  }
}

/** Throws an Error that names the file when it cannot be opened. */
async function openRegistry(disk: Disk, path: string): Promise<DiskFile> {
  try {
    return await disk.open(path, { create: false })
  } catch (cause) {
    throw new Error(`${path}: the registry of series cannot be opened. Restore a backup.`, { cause })
  }
}
