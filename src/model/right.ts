/** What a key may do, in the order of answers: push, read, delete rows of what it reads, watch the service, and all that operators do. */
export const rightNames = ['ingest', 'consume', 'correct', 'observe', 'admin'] as const
export type Right = (typeof rightNames)[number]
