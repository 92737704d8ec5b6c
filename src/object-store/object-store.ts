/** The storage of a replica: named objects, each written once and whole. Names are parts of letters, digits, dots and hyphens between slashes. */
export interface ObjectStore {
  /** Writes an object, which is durable when this resolves. Returns false if there is one with this name, which stays as it is. */
  putIfAbsent(name: string, bytes: Uint8Array): Promise<boolean>
  /** Null if there is none. */
  get(name: string): Promise<Uint8Array | null>
  /** Names that begin with `prefix` and come after `after`, by code point. Recently written ones may be missing. */
  list(prefix: string, after?: string): AsyncIterable<string>
  /** Does nothing if there is none. */
  delete(name: string): Promise<void>
  close(): void
}

/** The store is not suitable for a replica; a retry does not help. */
export class StoreUnfit extends Error {}

/** The store refuses because its address, its credentials or its permissions are wrong; it does so until somebody changes them. */
export class StoreRefused extends Error {}
