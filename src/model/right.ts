/** What a key may do, in the order of answers: push, read, watch the service, and all that operators do. */
export const rightNames = ['ingest', 'consume', 'observe', 'admin'] as const
export type Right = (typeof rightNames)[number]
