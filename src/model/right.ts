/** What a key may be used for, in the order in which answers name them: to push, to read, to watch the service, and for all that operators do. */
export const rightNames = ['ingest', 'consume', 'observe', 'admin'] as const
export type Right = (typeof rightNames)[number]
