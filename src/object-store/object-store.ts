/** Where a replica is kept: named objects, each written once and whole. A name is parts of letters, digits, dots and hyphens between slashes. */
export interface ObjectStore {
  /** Writes an object, on disk there when this resolves; false if there is one of the name: it stays as it is. */
  putIfAbsent(name: string, bytes: Uint8Array): Promise<boolean>
  /** Null if there is none. */
  get(name: string): Promise<Uint8Array | null>
  /** Names that begin with `prefix` and come behind `after`, by code point. What was written lately may be missing. */
  list(prefix: string, after?: string): AsyncIterable<string>
  /** Nothing happens if there is none. */
  delete(name: string): Promise<void>
  close(): void
}

/** The store is none for a replica; asking again does not mend that. */
export class StoreUnfit extends Error {}

/** The store says no, for its address, its credentials or its rights are wrong: somebody has to change something before it answers. */
export class StoreRefused extends Error {}
