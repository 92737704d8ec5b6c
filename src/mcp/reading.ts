import type { TidemarkClient } from '../client/client.ts'

/** What an assistant reads by: a client of the service, or the service itself. */
export type Reading = Pick<TidemarkClient, 'entities' | 'tags' | 'queryBytes' | 'sqlBytes' | 'metadata' | 'itemsText'>
