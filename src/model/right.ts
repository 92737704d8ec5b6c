/** The rights of a key, in response order: push, read, delete rows it may read, monitor the service, and all operator actions. */
export const rightNames = ['ingest', 'consume', 'correct', 'observe', 'admin'] as const
export type Right = (typeof rightNames)[number]
